"""The audit: verify a match, take it out as a file that proves itself, bring it in."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import structlog
from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from services.api.matches import opened_response
from services.api.memory import much_memory
from services.api.versions import visible_match_at
from services.audit import audit_match, export_lines, verify_fully
from services.audit.effort import BOUNDED
from services.audit.export import PlayerName
from services.audit.format import Header
from services.audit.page import page_parts
from services.audit.public_keys import UnreadableKeys, keys_json
from services.audit.signing_keys import InvalidSigningKey
from services.audit.statements import HeadStatement
from services.audit.trust import trusted_keys
from services.audit.whole_acts import end_of_act
from services.eventlog import Head, IdempotencyKey, StoredEvent, chain_all, genesis
from services.http.authentication import App, caller
from services.http.authorization import app_caller
from services.http.context import services
from services.http.problems import answer_problem
from services.http.refusals import (
    ForeignFist,
    InvalidImport,
    InvalidParameter,
    UnusableKeys,
)
from services.http.request import read_bytes, read_idempotency_key, read_query
from services.http.responses import json_response
from services.languages import Message
from services.match import Handled, Match
from services.match.events import Imported
from services.web.kept import kept_page

bp = Blueprint("audit", __name__)
well_known = Blueprint("well_known", __name__)

JSON_LINES = "application/x-ndjson"
IMPORTS = "/v1/imports"
AT_VERSION = {"version": Message("a version of the match, with which an act ends")}
EXPORT_QUERY = {"format": Message("left out, or html"), **AT_VERSION}

log = structlog.get_logger()


@bp.errorhandler(UnreadableKeys)
@bp.errorhandler(InvalidSigningKey)
@well_known.errorhandler(InvalidSigningKey)
def refuse_for_keys(error: Exception) -> Response:
    """Answer for keys that were well when the API started, and are broken now.

    Where the data folder is, its operator alone is told.
    """
    log.error("keys cannot be used", reason=str(error))
    folder = f"{services().settings.data}/"
    reason = str(error).replace(folder, "")
    said = Message("{reason}; it has to be put right first", reason=reason)
    return answer_problem(UnusableKeys(said))


@bp.get("/matches/<match_id>/audit")
def read_audit(match_id: str) -> ResponseReturnValue:
    """Verify the log of a match, now or at a version: form, chain, and every rule."""
    who = caller()
    query = read_query(AT_VERSION)
    match, is_frozen = visible_match_at(who, match_id, query)
    if is_frozen:
        events = _whole_acts(match)
        head = Head(match.version, chain_all(genesis(match_id), events))
    else:
        head = services().matches.head(match_id)
        events = services().matches.events(match_id, 0, head.version)
    verdict = audit_match(match_id, events, head)
    body = {
        "ok": verdict.is_ok,
        "match": match_id,
        "events": verdict.events,
        "counts": dict(sorted(Counter(event.type for event in events).items())),
        "hash": verdict.head,
        "findings": [finding.as_json() for finding in verdict.findings],
        "head": _signed_head(match_id, head, events) if verdict.is_ok else None,
    }
    return json_response(body, headers={"Cache-Control": "no-store"})


@bp.get("/matches/<match_id>/export")
def export_match(match_id: str) -> ResponseReturnValue:
    """Return a match as a signed file, with its whole log or that at a version."""
    who = caller()
    query = read_query(EXPORT_QUERY)
    if query.get("format") not in (None, "html"):
        raise InvalidParameter("format", EXPORT_QUERY["format"])
    match, is_frozen = visible_match_at(who, match_id, query)
    events = (
        _whole_acts(match)
        if is_frozen
        else services().matches.events(match_id, 0, match.version)
    )
    key, at = services().signing_keys.current(events[-1].at_ms)
    names = _player_names(match)
    lines = list(export_lines(match_id, match.rules, events, names, key, at))
    if "format" in query:
        page = kept_page(page_parts(match_id, lines, events, key))
        return _file(f"{match_id}.html", page, "text/html; charset=utf-8")
    return _file(f"{match_id}.jsonl", "".join(lines), JSON_LINES)


@bp.post("/imports")
def import_match() -> ResponseReturnValue:
    """Take over a match from an export, once it is verified to the last event."""
    who = app_caller()
    data = read_bytes(JSON_LINES)
    key = read_idempotency_key(who)
    with much_memory():
        handled = _take_over(data, who, key)
        return opened_response(handled)


def _take_over(data: bytes, who: App, key: IdempotencyKey | None) -> Handled:
    """Verify an export, and record it.

    :raises InvalidImport: it does not hold.
    """
    own = services().signing_keys.public_keys()
    trusted = trusted_keys(own, services().settings.data)
    verified = verify_fully(data, trusted, BOUNDED)
    verdict = verified.verdict
    if not verdict.is_ok or verified.header is None or verified.match is None:
        raise InvalidImport(
            [finding.as_json() for finding in verdict.findings], more=verdict.has_more
        )
    if not services().opening.can_open_fist(verified.match):
        raise ForeignFist(verified.match.id, str(verified.match.guesser))
    imported = Imported(
        tenant=who.tenant,
        head=str(verdict.head),
        key=str(verdict.key),
    )
    if key:  # before anything is kept: a match is found by its own id, not by the key
        services().imports.keep(key, verified.match.id)
    services().matches.check_unknown(verified.match.id, who.tenant, key)
    with _place_for(verified.match, who.tenant):
        _register_names(verified.header, who.tenant)
        return services().matches.take_over(
            verified.match, verified.events, imported, by=who.author, key=key
        )


def _place_for(match: Match, tenant: str) -> AbstractContextManager[None]:
    """Keep a place among the matches that are not over, if this one is not.

    One that is here already needs none: the request is repeated, or refused for that.
    """
    if match.is_over:
        return nullcontext()
    is_there = partial(services().opening.is_there, match.id)
    return services().quotas.place(tenant, match.id, is_there)


@well_known.get("/.well-known/seedlog-keys.json")
def list_signing_keys() -> ResponseReturnValue:
    """List the public keys that exports are or were signed with here."""
    keys = keys_json(services().signing_keys.public_keys())
    return json_response(keys, headers={"Cache-Control": "public, max-age=60"})


def _whole_acts(match: Match) -> list[StoredEvent]:
    """Return the events of a match as it was at a version.

    :raises InvalidParameter: an act went on after it: half of one proves nothing.
    """
    events = services().matches.events(match.id)
    version = end_of_act(match.id, events, match.version)
    if version > match.version:
        raise InvalidParameter(
            "version",
            Message(
                "{end}, or one before that act: event {version} goes on in event "
                "{end}, as one act",
                end=version,
                version=match.version,
            ),
        )
    return events[:version]


def _signed_head(
    match_id: str, head: Head, events: Sequence[StoredEvent]
) -> dict[str, Any]:
    """Return what is signed of a match that is well, and of no file."""
    key, at = services().signing_keys.current(events[-1].at_ms)
    statement = HeadStatement(
        match=match_id, events=head.version, hash=head.hash, at=at, key=key.public.id
    )
    signature = key.signer()(statement.text.encode())
    return {"head": statement.as_json(), "signature": signature}


def _player_names(match: Match) -> dict[str, PlayerName]:
    references = [who.player for who in match.seats.values() if who and who.player]
    names = services().players.names(references)
    erased = services().players.erased(references)
    return {
        reference: PlayerName(
            None if reference in erased else names.get(reference), reference in erased
        )
        for reference in references
    }


def _register_names(header: Header, tenant: str) -> None:
    """Keep the names of players who have none here; an erased one stays erased."""
    players = services().players
    known = players.names(header.players)
    for reference, who in header.players.items():
        if who["name"] and reference not in known:
            players.register(reference, tenant, who["name"])


def _file(name: str, text: str, media_type: str) -> Response:
    response = Response(text, content_type=media_type)
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["Content-Security-Policy"] = "sandbox"  # to keep, not to run here
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
