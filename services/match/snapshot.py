"""A match as one line of text, kept beside its events so that reading it is cheap.

A snapshot is disposable: one that cannot be read (another format, other rules) is
replaced by replaying the events.
"""

from types import MappingProxyType
from typing import Any

import orjson

from rules_core import Outcome, RulesError, restore
from services.match.match import Match, Seated

FORMAT = 1


class Unreadable(Exception):
    """The snapshot is of another format; replay the events instead."""


def to_text(match: Match) -> str:
    """Return a match as text; its id and version stand beside it already."""
    outcome = match.outcome
    seats = [
        who and [who.kind, who.player, who.level, who.generation]
        for who in match.seats.values()
    ]
    parts = {
        "f": FORMAT,
        "g": match.game,
        "o": dict(match.options),
        "r": match.rules,
        "b": match.starter,
        "d": match.draw,
        "s": seats,
        "p": match.position.snapshot if match.position else None,
        "v": match.position_version,
        "n": match.ply,
        "e": outcome and [outcome.winner, outcome.reason, outcome.score],
        "t": [match.created_at_ms, match.updated_at_ms],
    }
    return orjson.dumps(parts).decode()


def from_text(match_id: str, version: int, tenant: str, text: str) -> Match:
    """Return the match a snapshot tells of.

    :raises Unreadable: it is not a snapshot that this version can read.
    """
    try:
        return _match(match_id, version, tenant, orjson.loads(text))
    except (KeyError, TypeError, ValueError, RulesError) as error:
        raise Unreadable(f"{match_id}: {error}") from error


def _match(match_id: str, version: int, tenant: str, parts: dict[str, Any]) -> Match:
    if parts["f"] != FORMAT:
        raise Unreadable(f"{match_id}: format {parts['f']}, not {FORMAT}")
    options = MappingProxyType(parts["o"])
    position = restore(parts["g"], options, parts["p"], parts["r"])
    seats = {
        seat: Seated(*who) if who else None
        for seat, who in zip(position.game.seats, parts["s"], strict=True)
    }
    created, updated = parts["t"]
    return Match(
        match_id,
        version,
        tenant,
        parts["g"],
        options,
        parts["r"],
        parts["b"],
        parts["d"],
        MappingProxyType(seats),
        position,
        parts["v"],
        parts["n"],
        Outcome(*parts["e"]) if parts["e"] else None,
        created,
        updated,
    )
