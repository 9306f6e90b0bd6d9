"""A match as one line of text, kept beside its events so that reading it is cheap.

A snapshot is disposable: one that cannot be read (another format, other rules) is
replaced by replaying the events.
"""

from itertools import chain
from types import MappingProxyType
from typing import Any

import orjson

from rules_core import Outcome, RulesError, find_game, restore
from rules_core.levels import FIRST
from services.match.clock import Clock
from services.match.match import Match, Offer, Seated

FORMAT = 2
CLOCK_FORMAT, CASUAL_FORMAT, HINTS_FORMAT, LADDER_FORMAT = 3, 4, 5, 6
"""With a clock; not rated, or a rematch; with hints; with an AI of a later ladder: a
program that knows nothing of that must not go on from such a snapshot."""

FORMATS = (FORMAT, CLOCK_FORMAT, CASUAL_FORMAT, HINTS_FORMAT, LADDER_FORMAT)


class Unreadable(Exception):
    """The snapshot is of another format; replay the events instead."""


def to_text(match: Match) -> str:
    """Return a match as text; its id, version and tenant stand beside it already.

    What most matches do not have is left out: every byte is kept once for each match.
    """
    outcome, offer = match.outcome, match.offer
    parts = {
        "f": _format(match),
        "g": match.game,
        "o": dict(match.options),
        "r": match.rules,
        "b": match.starter,
        "s": [who and _seated_parts(who) for who in match.seats.values()],
        "p": match.position.snapshot if match.position else None,
        "v": match.position_version,
        "l": " ".join(["%d:%s"] * len(match.line)) % (*chain(*match.line),),
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
        "y": match.aborted_for,
        "w": match.clock and _clock_parts(match.clock),
        "n": not match.rated,
        "m": match.rematch_of,
        "h": match.hints,
        "j": match.hinted_at,
    }
    parts.update({name: value for name, value in rare.items() if value})
    return orjson.dumps(parts).decode()


def _seated_parts(who: Seated) -> list[Any]:
    parts = [who.kind, who.player, who.level, who.generation]
    return parts if who.ladder == FIRST else [*parts, who.ladder]


def _format(match: Match) -> int:
    if any(who and who.ladder != FIRST for who in match.seats.values()):
        return LADDER_FORMAT
    if match.hints:
        return HINTS_FORMAT
    if not match.rated or match.rematch_of:
        return CASUAL_FORMAT
    return FORMAT if match.clock is None else CLOCK_FORMAT


def from_text(match_id: str, version: int, tenant: str, text: str) -> Match:
    """Return the match a snapshot tells of.

    :raises Unreadable: it is not a snapshot that this version can read.
    """
    try:
        return _match(match_id, version, tenant, orjson.loads(text))
    except (KeyError, TypeError, ValueError, RulesError) as error:
        raise Unreadable(f"{match_id}: {error}") from error


def _match(match_id: str, version: int, tenant: str, parts: dict[str, Any]) -> Match:
    if parts["f"] not in FORMATS:
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
        aborted_for=parts.get("y", ""),
        clock=_clock(parts["w"], tuple(seats)) if "w" in parts else None,
        rated=not parts.get("n", False),
        rematch_of=parts.get("m", ""),
        hints=parts.get("h", False),
        hinted_at=parts.get("j", 0),
        created_at_ms=created,
        updated_at_ms=updated,
    )


def _clock_parts(clock: Clock) -> list[Any]:
    return [
        dict(clock.control),
        [*clock.left_ms.values()],
        clock.turn,
        clock.since_ms,
        clock.is_guess,
        clock.movers,
        clock.plies,
    ]


def _clock(parts: list[Any], seats: tuple[str, ...]) -> Clock:
    control, left, turn, since_ms, is_guess, movers, plies = parts
    left_ms = MappingProxyType(dict(zip(seats, left, strict=True)))
    return Clock(
        MappingProxyType(control), left_ms, turn, since_ms, is_guess, (*movers,), plies
    )


def _played(word: str) -> tuple[int, str]:
    version, _, move = word.partition(":")
    return int(version), move
