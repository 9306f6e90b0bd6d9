"""Plays a match on by what its log tells: plain moves in bulk, all else one by one."""

from collections.abc import Sequence

from rules_core import play_recorded
from services.eventlog import StoredEvent
from services.match.events import from_log
from services.match.match import Match, evolve
from services.match.plain_moves import (
    NO_MOVE,
    May,
    PlainMove,
    allowed,
    plain_move,
)


def replay(match: Match, events: Sequence[StoredEvent]) -> Match:
    """Return a match after the events that follow in its log.

    :raises UnknownEvent, DigestMismatch, RulesError: log and rules disagree.
    """
    plain = [plain_move(event) for event in events]
    at = 0
    while at < len(events):
        count = 0
        if plain[at] is not NO_MOVE:
            match, count = advance(match, plain, events, at, _whoever)
        if not count:
            event, count = events[at], 1
            match = evolve(match, from_log(event), event.at_ms)
        at += count
    return match


def advance(
    match: Match,
    plain: Sequence[PlainMove],
    events: Sequence[StoredEvent],
    at: int,
    may: May,
) -> tuple[Match, int]:
    """Play the plain moves that begin at an index; return the match, and how many."""
    if match.position is None or match.is_over or match.free_seats:
        return match, 0
    position, count = play_recorded(match.position, allowed(plain, at, may))
    if not count:
        return match, 0
    first, last = match.version + 1, match.version + count
    played = [move for _, _, move, _ in plain[at : at + count]]
    after = match.but(
        version=last,
        position=position,
        position_version=last,
        line=(*match.line, *enumerate(played, start=first)),
        offer=None,
        updated_at_ms=events[at + count - 1].at_ms,
    )
    return after, count


def _whoever(by: str, seat: str) -> bool:
    """Tell that they may: who moved was asked when it was recorded."""
    return True
