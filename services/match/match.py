"""A match as its events tell it: `evolve` folds one more event in, and never refuses.

``version`` counts all events; ``ply`` counts moves alone; ``position_version`` is the
version at which the board last changed, which is what a thinking player depends on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from rules_core import Outcome, Position, start
from services.match import events as facts
from services.match.events import MatchEvent

NOTHING: Mapping[str, Any] = MappingProxyType({})


class DigestMismatch(Exception):
    """A replayed position is not the one that was recorded."""

    def __init__(self, version: int, recorded: str, replayed: str) -> None:
        """Keep the version and both digests."""
        super().__init__(
            f"event {version} recorded the position digest {recorded}, "
            f"but the rules now give {replayed}"
        )
        self.version = version
        self.recorded = recorded
        self.replayed = replayed


@dataclass(frozen=True, slots=True)
class Seated:
    """Who sits at a seat; ``generation`` counts the renewals of its token."""

    kind: str
    player: str = ""
    level: int = 0
    generation: int = 1


@dataclass(frozen=True, slots=True)
class Match:
    """Everything the log says of one match, up to ``version``."""

    id: str
    version: int = 0
    tenant: str = ""
    game: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    rules: str = ""
    starter: str = ""
    draw: str = ""
    seats: Mapping[str, Seated | None] = field(default_factory=lambda: NOTHING)
    position: Position | None = None
    position_version: int = 0
    ply: int = 0
    outcome: Outcome | None = None
    created_at_ms: int = 0
    updated_at_ms: int = 0

    @property
    def status(self) -> str:
        """Return ``open`` (a seat is free), ``running`` or ``finished``."""
        if self.outcome is not None:
            return "finished"
        return "open" if self.free_seats else "running"

    @property
    def free_seats(self) -> tuple[str, ...]:
        """Return the seats that nobody has taken."""
        return tuple(seat for seat, who in self.seats.items() if who is None)

    @property
    def to_move(self) -> str | None:
        """Return the seat to move, or None if nobody may."""
        if self.status != "running" or self.position is None:
            return None
        return self.position.to_move

    @property
    def ai_to_move(self) -> Seated | None:
        """Return the AI that has to reply now, if one has."""
        seat = self.to_move
        who = self.seats[seat] if seat else None
        return who if who and who.kind == "ai" else None


def evolve(match: Match, event: MatchEvent, at_ms: int) -> Match:
    """Return the match after its next event.

    :raises DigestMismatch: the rules no longer give the recorded position.
    """
    version = match.version + 1
    step: dict[str, Any] = {"version": version, "updated_at_ms": at_ms}
    match event:
        case facts.MatchOpened():
            position = start(event.game, event.options, event.starter, event.rules)
            return Match(
                match.id,
                version,
                event.tenant,
                event.game,
                MappingProxyType(dict(event.options)),
                event.rules,
                event.starter,
                event.draw,
                MappingProxyType(dict.fromkeys(position.game.seats)),
                position,
                version,
                created_at_ms=at_ms,
                updated_at_ms=at_ms,
            )
        case facts.SeatTaken():
            who = Seated(event.kind, event.player, event.level)
            return replace(match, seats=_with(match, event.seat, who), **step)
        case facts.SeatTokenRenewed():
            now = match.seats[event.seat]
            renewed = replace(now, generation=event.generation) if now else None
            return replace(match, seats=_with(match, event.seat, renewed), **step)
        case facts.MovePlayed():
            assert match.position is not None, "moves come after the opening"  # noqa: S101
            position = match.position.play(event.move)
            if position.digest != event.digest:
                raise DigestMismatch(version, event.digest, position.digest)
            return replace(
                match,
                position=position,
                position_version=version,
                ply=match.ply + 1,
                **step,
            )
        case facts.TurnPassed():  # the move before it has passed the turn on already
            return replace(match, position_version=version, **step)
        case facts.Resigned():
            return replace(match, **step)
        case facts.MatchEnded():
            outcome = Outcome(event.winner, event.reason, dict(event.score))
            return replace(match, outcome=outcome, **step)


def replay(match: Match, events: Iterable[tuple[MatchEvent, int]]) -> Match:
    """Fold events with their times into a match."""
    for event, at_ms in events:
        match = evolve(match, event, at_ms)
    return match


def _with(match: Match, seat: str, who: Seated | None) -> Mapping[str, Seated | None]:
    return MappingProxyType({**match.seats, seat: who})
