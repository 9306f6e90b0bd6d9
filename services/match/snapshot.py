"""A match as one line of text, kept beside its events so that reading it is cheap.

A snapshot is disposable: one that cannot be read (another format, other rules) is
replaced by replaying the events.
"""

from types import MappingProxyType
from typing import Any

import orjson

from rules_core import Outcome, RulesError, find_game, restore
from services.match.match import Match, Offer, Seated

FORMAT = 2


class Unreadable(Exception):
    """The snapshot is of another format; replay the events instead."""


def to_text(match: Match) -> str:
    """Return a match as text; its id, version and tenant stand beside it already.

    What most matches do not have is left out: every byte is kept once for each match.
    """
    outcome, offer = match.outcome, match.offer
    parts = {
        "f": FORMAT,
        "g": match.game,
        "o": dict(match.options),
        "r": match.rules,
        "b": match.starter,
        "s": [
            who and [who.kind, who.player, who.level, who.generation]
            for who in match.seats.values()
        ],
        "p": match.position.snapshot if match.position else None,
        "v": match.position_version,
        "l": " ".join(f"{version}:{move}" for version, move in match.line),
        "t": [match.created_at_ms, match.updated_at_ms],
    }
    rare = {
        "d": match.starter_by,
        "c": match.commitment,
        "a": match.base,
        "i": dict(match.origin),
        "k": match.taken_back,
        "q": offer and [offer.kind, offer.seat, offer.to_version],
        "e": outcome and [outcome.winner, outcome.reason, outcome.score],
        "x": match.is_aborted,
    }
    parts.update({name: value for name, value in rare.items() if value})
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
    seats = {
        seat: Seated(*who) if who else None
        for seat, who in zip(
            find_game(parts["g"], parts["r"]).seats, parts["s"], strict=True
        )
    }
    created, updated = parts["t"]
    text = parts["p"]
    return Match(
        id=match_id,
        version=version,
        tenant=tenant,
        game=parts["g"],
        options=options,
        rules=parts["r"],
        starter=parts["b"],
        starter_by=parts.get("d", ""),
        commitment=parts.get("c", ""),
        base=parts.get("a", ""),
        origin=MappingProxyType(parts.get("i", {})),
        seats=MappingProxyType(seats),
        position=restore(parts["g"], options, text, parts["r"]) if text else None,
        position_version=parts["v"],
        line=tuple(_played(word) for word in parts["l"].split()),
        taken_back=tuple((first, last) for first, last in parts.get("k", ())),
        offer=Offer(*parts["q"]) if "q" in parts else None,
        outcome=Outcome(*parts["e"]) if "e" in parts else None,
        is_aborted=parts.get("x", False),
        created_at_ms=created,
        updated_at_ms=updated,
    )


def _played(word: str) -> tuple[int, str]:
    version, _, move = word.partition(":")
    return int(version), move
