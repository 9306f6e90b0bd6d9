"""Plays a match on by what its log tells: plain moves in bulk, all else one by one."""

from collections.abc import Sequence
from itertools import islice

from rules_core import play_recorded
from services.eventlog import StoredEvent
from services.match.clock import Clock
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
    clock = match.clock
    if clock is not None and count:
        seats = [seat for *_, seat in plain[at : at + count]]
        times = [event.at_ms for event in events[at : at + count]]
        clock, in_time = _run(clock, match.ply, seats, times, position.to_move)
        if in_time < count:  # a move after the flag is not a plain one
            in_time_only = islice(allowed(plain, at, may), in_time)
            position, count = play_recorded(match.position, in_time_only)
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
        clock=clock,
        updated_at_ms=events[at + count - 1].at_ms,
    )
    return after, count


def _run(
    clock: Clock, ply: int, seats: list[str], times: list[int], to_move: str | None
) -> tuple[Clock, int]:
    """Let clocks run over moves; return them, and how many moves were in time."""
    following = [*seats[1:], to_move]
    for count, at_ms in enumerate(times):
        due = clock.due
        if due is not None and at_ms >= due.at_ms:
            return clock, count
        clock = clock.moved(ply + count + 1, at_ms)
        if (seat := following[count]) is not None:
            clock = clock.started(seat, at_ms)
    return clock, len(times)


def _whoever(by: str, seat: str) -> bool:
    """Tell that they may: who moved was asked when it was recorded."""
    return True
