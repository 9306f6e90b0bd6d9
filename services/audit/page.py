"""One page to keep: the log in words, the boards step by step, and its own verifier.

The page holds the export, to the byte, and beside it what is shown of each event. That
is signed as well, so that the boards cannot tell another story than the log.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from rules_core import find_game
from services.audit.export import PlayerName
from services.audit.signing_keys import SigningKey
from services.audit.words import sentence
from services.eventlog.event import StoredEvent, canonical_text
from services.match import Match, evolve, from_log

DATA = re.compile(rb'<script type="application/json" id="data">(.*?)</script>', re.S)


def export_page(
    match_id: str,
    lines: Sequence[str],
    events: Sequence[StoredEvent],
    players: Mapping[str, PlayerName],
    key: SigningKey,
) -> str:
    """Return the page of an export, whose lines are given."""
    names = {ref: who.name for ref, who in players.items() if who.name}
    views, match = [], Match(match_id)
    for event in events:
        fact = from_log(event)
        match = evolve(match, fact, event.at_ms)
        views.append(_view(event, sentence(fact, match, names), match))
    game = find_game(match.game, match.rules)
    layout = game.layout(match.options)
    shown = canonical_text(
        {
            "game": game.name,
            "layout": {
                "kind": layout.kind,
                "rows": [list(row) for row in layout.rows],
                "stores": dict(layout.stores),
                "owners": dict(layout.owners),
            },
            "seats": list(game.seats),
            "views": views,
        }
    )
    statement = page_statement(match_id, shown)
    data = {
        "export": "".join(lines),
        "shown": shown,
        "shown_signature": key.signer()(statement.encode()),
    }
    return _filled(f"{game.name}, {match_id}", data)


def export_of_page(page: bytes) -> bytes | None:
    """Return the export that a page holds, or None if this is not such a page."""
    found = DATA.search(page) if page.startswith(b"<!doctype html>") else None
    if found is None:
        return None
    try:
        return str(json.loads(found[1])["export"]).encode()
    except (ValueError, KeyError, TypeError):
        return None


def page_statement(match_id: str, shown: str) -> str:
    """Return what the signature of the things shown covers."""
    digest = hashlib.sha256(shown.encode()).hexdigest()
    return canonical_text({"kind": "page", "match": match_id, "shown": digest})


def _view(event: StoredEvent, words: str, match: Match) -> dict[str, Any]:
    position = match.position
    return {
        "at": event.at,
        "by": event.by,
        "words": words,
        "board": dict(position.board) if position else {},
        "position": str(position) if position else "",
        "to_move": match.to_move or "",
    }


def _filled(title: str, data: Mapping[str, str]) -> str:
    """Put style, script and data into the page; no text can end their elements."""
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    page = _part("page.html").replace("{{title}}", title)
    page = page.replace("{{style}}", _part("page.css"))
    return page.replace("{{script}}", _part("page.js")).replace("{{data}}", text)


@cache
def _part(name: str) -> str:
    return files("services.audit").joinpath(name).read_text("utf-8")
