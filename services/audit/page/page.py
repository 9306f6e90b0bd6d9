"""What a page to keep holds: the export, to the byte, and a verifier of its own.

The verifier has the rules of the game in JavaScript, by which it plays the match anew.
What is shown beside the log is signed as well. `web/kept.py` makes a page of it.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

from rules_core import find_game
from rules_core.game import Variant
from rules_core.translation.javascript import script_of
from services.audit.findings import Finding
from services.audit.format import Header
from services.audit.signing_keys import SigningKey
from services.eventlog.event import StoredEvent, canonical_text
from services.match import EVENTS, Match, MatchEvent, evolve, from_log, to_log
from services.match.events import UPCASTS, default_of, kinds_of

DATA = re.compile(rb'<script type="application/json" id="data">(.*?)</script>', re.S)
VERIFIER = ("sha256.js", "events.js", "replay.js", "verify.js")


@dataclass(frozen=True, slots=True)
class PageParts:
    """What a page is called, its kind of board, what it shows, and what proves it."""

    title: str
    kind: str
    verifier: str
    data: Mapping[str, str]


def page_parts(
    match_id: str,
    lines: Sequence[str],
    events: Sequence[StoredEvent],
    key: SigningKey,
) -> PageParts:
    """Return what the page of an export, whose lines are given, is made of."""
    matches, today, match = [], {}, Match(match_id)
    for event in events:
        fact = from_log(event)
        match = evolve(match, fact, event.at_ms)
        matches.append(match)
        if event.type in UPCASTS and (older := _today(event, fact)):
            today[str(event.version)] = older
    game = find_game(match.game, match.rules)
    variant = game.variant(match.options)
    has_rules = script_of(variant) is not None
    shown = canonical_text(
        {
            **shown_game(variant),
            "today": today,
            # where the page replays the rules, it has the boards from there
            "boards": [] if has_rules else [_board(match) for match in matches],
        }
    )
    statement = page_statement(match_id, shown)
    data = {
        "export": "".join(lines),
        "shown": shown,
        "shown_signature": key.signer()(statement.encode()),
    }
    title, kind = f"{game.name}, {match_id}", variant.face.layout().kind
    return PageParts(title, kind, verifier_script(variant), data)


def shown_game(variant: Variant) -> dict[str, Any]:
    """Return what a game is called, how its board is laid out, and who sits there."""
    layout = variant.face.layout()
    return {
        "game": variant.game.name,
        "layout": {
            "kind": layout.kind,
            "rows": [list(row) for row in layout.rows],
            "stores": dict(layout.stores),
            "owners": dict(layout.owners),
        },
        "seats": list(variant.game.seats),
    }


def verifier_script(variant: Variant | None) -> str:
    """Return what verifies an export in a browser: `verify(data)`.

    Without a variant it knows no rules.
    """
    rules = script_of(variant) if variant else None
    head = f'"use strict";\nconst rules = {rules or "null"};'
    facts = f"const FACTS = {json.dumps(_facts())};"
    return "\n".join([head, facts, *map(_part, VERIFIER)])


def export_of_page(page: bytes) -> bytes | None:
    """Return the export that a page holds, or None if this is not such a page."""
    export = (_data_of(page) or {}).get("export")
    return export.encode() if isinstance(export, str) else None


def words_finding(page: bytes, header: Header | None) -> Finding | None:
    """Return what is wrong with what a page shows beside its export.

    That is signed by the key of the export; the script and the markup around
    are not, for no key could vouch for what a browser does with them.
    """
    data = _data_of(page)
    if data is None or header is None:
        return None
    shown, signature = str(data.get("shown")), str(data.get("shown_signature"))
    statement = page_statement(header.match, shown).encode()
    if len(DATA.findall(page)) == 1 and header.key.verify(statement, signature):
        return None
    return Finding(
        place="page", check="signature", reason="the words shown are not those signed"
    )


def _data_of(page: bytes) -> dict[str, Any] | None:
    script = DATA.search(page) if page.startswith(b"<!doctype html>") else None
    try:
        data = json.loads(script[1]) if script else None
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def page_statement(match_id: str, shown: str) -> str:
    """Return what the signature of the things shown covers."""
    digest = hashlib.sha256(shown.encode()).hexdigest()
    return canonical_text({"kind": "page", "match": match_id, "shown": digest})


def _board(match: Match) -> dict[str, Any] | None:
    """Return what stands on the board, for a page that does not know the rules."""
    position = match.position
    if position is None:
        return None
    return {
        "places": dict(position.board),
        "text": str(position),
        "to_move": match.to_move,
    }


def _today(event: StoredEvent, fact: MatchEvent) -> dict[str, Any] | None:
    """Return how an event of an older form reads today, if it is of one."""
    today = to_log(fact, event.by)
    if (today.type, canonical_text(today.data)) == (event.type, event.data_text):
        return None
    return {"type": today.type, "data": today.data}


def _facts() -> dict[str, dict[str, Any]]:
    """Return the members of every event, their kinds and what they are if absent."""
    return {event.type: _members(event) for event in EVENTS}


def _members(event: Any) -> dict[str, Any]:
    kinds = kinds_of(event)
    members: dict[str, dict[str, Any]] = {}
    for field in fields(event):
        member = members[field.name] = {"kind": kinds[field.name]}
        if (absent := default_of(field)) is not MISSING:
            member["default"] = absent
    return members


@cache
def _part(name: str) -> str:
    return files("services.audit.page").joinpath(name).read_text("utf-8")
