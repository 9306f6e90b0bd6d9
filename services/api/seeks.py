"""Seeks: somebody looks for an opponent, and keeps asking for as long as that lasts."""

import secrets
from functools import partial
from typing import Any

from flask import Blueprint, current_app, request
from flask.typing import ResponseReturnValue

from rules_core import find_game
from services.api.fields import pick
from services.api.schemas import MAX_SEEK_WAIT_S, SeekSchema
from services.api.seeking import SEEKING, Seeking
from services.api.streams import stream_url
from services.bootstrap import now_ms
from services.eventlog import KeyReused, format_time
from services.http.authentication import App, Guest
from services.http.authorization import app_caller, playing_caller
from services.http.context import services
from services.http.refusals import AlreadyMatched
from services.http.representation import match_json
from services.http.request import (
    read_body,
    read_idempotency_key,
    read_number,
    read_query,
)
from services.http.responses import json_response
from services.http.wire.later import LATER, Later
from services.languages import number_within
from services.limits.quotas import SEEKS, QuotaExceeded
from services.lobby import LobbyFull, NoSuchSeek, Pairing, Seek
from services.lobby.lobby import LASTS_MS
from services.match import Match
from services.match.clock import check_control, clock_class
from services.tenants import GUEST_TENANT
from services.views import Pool
from services.views.standings import NEW

bp = Blueprint("seeks", __name__)

SEEK = SeekSchema()
QUERY = {"wait_s": number_within(0, MAX_SEEK_WAIT_S)}


@bp.post("/seeks")
def seek_opponent() -> ResponseReturnValue:
    """Look for an opponent, and wait for one for a while."""
    if seek_id := waited_for():
        return found_or_ended(seek_id)
    return look(app_caller(), read_body(SEEK))


def waited_for() -> str:
    """Return the seek that this request has waited for, if it goes on after that."""
    later: Later | None = request.environ.get(LATER)
    return later.kept if later is not None and later.kept is not None else ""


def look(who: App | Guest, body: dict[str, Any]) -> ResponseReturnValue:
    """Look for somebody who wants to play the same, as a body of `SeekSchema` says."""
    wanted = _seek(who, body)
    lobby = services().lobby.of(who.tenant)
    counts, seek = _let_seek(wanted)
    if counts != wanted.id and not _is_wanted(counts, wanted):
        lobby.forget_pairing(wanted)
        counts, seek = _let_seek(wanted)
    if seek is None:
        return _found(counts, 200, asked=wanted)
    _check_same(wanted, seek.id, seek.request)
    lobby.match_up(in_turn=False)
    if lobby.have_found([seek.id]):
        return found_or_ended(seek.id)
    return _waiting(seek, body["wait_s"], 202)


@bp.get("/seeks/<seek_id>")
def read_seek(seek_id: str) -> ResponseReturnValue:
    """Show a seek, which lasts on with it, and wait for an opponent for a while."""
    if waited_for():
        return _found(seek_id, 200)
    who = playing_caller()
    query = read_query(QUERY)
    wait_s = read_number(query, "wait_s", 0, 0, MAX_SEEK_WAIT_S)
    lobby = services().lobby.of(who.tenant)
    seek = lobby.read(seek_id)
    if seek is None:
        return _found(seek_id, 200, who)
    lobby.renew([seek_id])
    lobby.match_up()
    return _waiting(seek, wait_s, 200)


@bp.delete("/seeks/<seek_id>")
def end_seek(seek_id: str) -> ResponseReturnValue:
    """Look no longer. Who has been given an opponent already has a match."""
    who = app_caller()
    lobby = services().lobby.of(who.tenant)
    seek = lobby.read(seek_id)
    if seek is not None and lobby.withdraw(seek):
        return "", 204
    pairing = lobby.found(seek_id)
    if pairing is None or pairing.tenant != who.tenant:
        raise NoSuchSeek(seek_id)
    raise AlreadyMatched(pairing.match_id)


def _seek(who: App | Guest, body: dict[str, Any]) -> Seek:
    """Return what a request seeks; with an idempotency key always the same seek."""
    game = find_game(body["game"])
    options = game.options_on_record(game.complete_options(body["options"]))
    clock = body.get("clock")
    control = None if clock is None else dict(check_control(clock))
    key = read_idempotency_key(who)
    tokens = services().seat_tokens
    name = tokens.derive("seek", key.key, 22) if key else secrets.token_urlsafe(16)
    seek_id = f"skg_{name}"
    lobby = services().lobby.of(who.tenant)
    if key and not key.fits(lobby.request_of(seek_id) or key.digest):
        raise KeyReused(key.key)
    sitting = {"kind": "human", **pick(body, ("player",))}
    player = services().opening.player(seek_id, who.tenant, "", sitting).player
    pool = Pool(who.tenant, game.key, clock_class(control))
    standing = services().ratings.standings([pool], player).get(pool, NEW)
    return Seek(
        id=seek_id,
        tenant=who.tenant,
        player=player,
        game=game.key,
        options=options,
        by=who.author,
        since_ms=now_ms(),
        clock=control,
        rated=body["rated"],
        within=body.get("rating_within", 0),
        request=key.digest if key else "",
        name=body.get("name", ""),
        rating=standing.rating.rating,
        deviation=standing.rating.rd,
    )


def _let_seek(wanted: Seek) -> tuple[str, Seek | None]:
    """Let a player seek, as `Lobby.seek` does.

    :raises QuotaExceeded: as many of the tenant seek as may.
    """
    limit = services().quotas.limit(SEEKS, wanted.tenant) or 0
    try:
        return services().lobby.of(wanted.tenant).seek(wanted, limit)
    except LobbyFull as full:
        raise QuotaExceeded(SEEKS, limit, full.used) from full


def _is_wanted(seek_id: str, wanted: Seek) -> bool:
    """Tell whether what a seek came to goes on, and is what somebody seeks again."""
    pairing = services().lobby.found(seek_id)
    if pairing is None or pairing.pool != wanted.pool:
        return False
    return not _match_of(pairing).is_over


def _match_of(pairing: Pairing) -> Match:
    """Return the match of a pairing; whoever of the two comes first opens it."""
    opening = services().opening
    if pairing.names and not opening.is_there(pairing.match_id):
        for reference, name in pairing.names.items():
            services().players.register(reference, pairing.tenant, name)
    match, _ = opening.open_agreed(pairing.match_id, pairing.command, by=pairing.by)
    if pairing.tenant == GUEST_TENANT:
        services().watched.show(match.id, match.created_at_ms)
    return match


def _waiting(seek: Seek, wait_s: int, status: int) -> ResponseReturnValue:
    """Answer that nobody was found yet, unless somebody is within a time."""
    later: Later | None = request.environ.get(LATER)
    if wait_s and later is not None:
        seeking: Seeking = current_app.extensions[SEEKING]
        later.wait(partial(seeking.wait, seek, wait_s, later.is_gone), seek.id)
    body = _seek_json(
        seek.id,
        "waiting",
        since=format_time(seek.since_ms),
        lasts_until=format_time(now_ms() + 1000 * wait_s + LASTS_MS),
    )
    return json_response(body, status, {"Location": f"/v1/seeks/{seek.id}"})


def _check_same(wanted: Seek, seek_id: str, request_digest: str) -> None:
    """Refuse an idempotency key that came before with another request."""
    if wanted.request and wanted.id == seek_id and wanted.request != request_digest:
        raise KeyReused(request.headers["Idempotency-Key"])


def _found(
    seek_id: str, status: int, who: App | None = None, asked: Seek | None = None
) -> ResponseReturnValue:
    """Answer with the match that a seek came to, and the seat in it.

    :raises NoSuchSeek: it came to nothing, or is somebody else's.
    """
    pairing = services().lobby.found(seek_id)
    if pairing is None or (who is not None and pairing.tenant != who.tenant):
        raise NoSuchSeek(seek_id)
    if asked is not None:
        _check_same(asked, seek_id, pairing.requests[seek_id])
    match = _match_of(pairing)
    seat = pairing.seeks[seek_id]
    body = _seek_json(
        seek_id,
        "matched",
        match={**match_json(match), "stream_url": stream_url(match.id)},
        seat=seat,
        seat_token=services().opening.seat_tokens(match)[seat],
    )
    return json_response(body, status, {"Location": f"/v1/matches/{match.id}"})


def found_or_ended(seek_id: str) -> ResponseReturnValue:
    """Answer a request whose seek is no more: a newer one may have taken its place."""
    if services().lobby.found(seek_id) is None:
        return json_response(_seek_json(seek_id, "ended"), 202)
    return _found(seek_id, 201)


def _seek_json(seek_id: str, status: str, **told: Any) -> dict[str, Any]:
    unknown = ("since", "lasts_until", "match", "seat", "seat_token")
    return {"id": seek_id, "status": status, **dict.fromkeys(unknown), **told}
