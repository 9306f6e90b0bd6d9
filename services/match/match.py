"""A match as its events tell it: `evolve` folds one more event in, and never refuses.

``version`` counts all events; ``ply`` counts the moves that stand; ``position_version``
is the version at which the board last changed, which a thinking player depends on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from rules_core import Outcome, Position, find_game, play_all, restore, start
from rules_core.levels import FIRST
from services.match import events as facts
from services.match.clock import Clock, Due, new_clock
from services.match.events import MatchEvent

NOTHING: Mapping[str, Any] = MappingProxyType({})
FIST = "fist"
NAMED = "usr_"
"""So begin the references of players whom an app has named; others sit down once."""


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
    ladder: int = FIRST

    @property
    def identity(self) -> str:
        """Return who that is in other matches too, or "" for one who cannot be told."""
        if self.kind == "ai":
            return f"ai:{self.level}"
        return self.player if self.player.startswith(NAMED) else ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A draw or a takeback that one seat has offered and the other has to answer."""

    kind: str
    seat: str
    to_version: int = 0


@dataclass(frozen=True)
class Match:
    """Everything the log says of one match, up to ``version``.

    ``line`` holds the moves that stand, each with its version: what was taken back is
    not in it, but in ``taken_back``, as first and last version. ``base`` is the
    snapshot of the position the line begins from, if that is not the game's start.
    ``hinted_at`` is the ``position_version`` at which the last hint was taken.
    """

    id: str
    version: int = 0
    tenant: str = ""
    game: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    rules: str = ""
    starter: str = ""
    starter_by: str = ""
    commitment: str = ""
    base: str = ""
    origin: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    seats: Mapping[str, Seated | None] = field(default_factory=lambda: NOTHING)
    position: Position | None = None
    position_version: int = 0
    line: tuple[tuple[int, str], ...] = ()
    taken_back: tuple[tuple[int, int], ...] = ()
    offer: Offer | None = None
    outcome: Outcome | None = None
    is_aborted: bool = False
    aborted_for: str = ""
    clock: Clock | None = None
    rated: bool = True
    rematch_of: str = ""
    hints: bool = False
    hinted_at: int = 0
    created_at_ms: int = 0
    updated_at_ms: int = 0

    @property
    def status(self) -> str:
        """Return ``open`` (not begun), ``running``, ``finished`` or ``aborted``."""
        if self.is_aborted:
            return "aborted"
        if self.outcome is not None:
            return "finished"
        if self.position is None or None in self.seats.values():
            return "open"
        return "running"

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more can happen on the board."""
        return self.is_aborted or self.outcome is not None

    @property
    def ply(self) -> int:
        """Return the number of moves that stand."""
        return len(self.line)

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

    @property
    def due(self) -> Due | None:
        """Return what happens next of itself because a time runs out, if one runs."""
        return None if self.clock is None else self.clock.due

    @property
    def guesser(self) -> str | None:
        """Return the seat that guesses the fist, while it has to be guessed (G2).

        The second seat guesses, unless it is an AI; the other one hides.
        """
        if self.position is not None or self.starter_by != FIST or self.is_over:
            return None
        first, second = self.seats
        who = self.seats[second]
        return first if who is not None and who.kind == "ai" else second

    def other(self, seat: str) -> str:
        """Return the seat across the board."""
        first, second = self.seats
        return second if seat == first else first

    def but(self, **changes: Any) -> "Match":
        """Return the match with some members changed.

        As `dataclasses.replace`, at a tenth of the cost: it is done for every event.
        """
        assert changes.keys() <= vars(self).keys(), changes  # noqa: S101
        changed = object.__new__(Match)
        vars(changed).update(vars(self), **changes)
        return changed

    def position_at(self, version: int) -> Position:
        """Return the position that the line had at a version, by replay."""
        moves = [move for played_at, move in self.line if played_at <= version]
        return play_all(_first_position(self, self.starter), moves)


def evolve(match: Match, event: MatchEvent, at_ms: int) -> Match:
    """Return the match after its next event.

    :raises DigestMismatch: the rules no longer give the recorded position.
    """
    after = _evolve(match, event, at_ms)
    if match.clock is None:
        return after
    return after.but(clock=_clock_after(match.clock, match, after, event, at_ms))


def _evolve(match: Match, event: MatchEvent, at_ms: int) -> Match:
    version = match.version + 1
    step: dict[str, Any] = {"version": version, "updated_at_ms": at_ms}
    match event:
        case facts.MovePlayed():
            assert match.position is not None, "moves come after the opening"  # noqa: S101
            position = match.position.play(event.move)
            _check_digest(position, event.digest, version)
            return match.but(
                position=position,
                position_version=version,
                line=(*match.line, (version, event.move)),
                offer=None,
                **step,
            )
        case facts.TurnPassed():  # the move before it has passed the turn on already
            return match.but(position_version=version, **step)
        case facts.MatchEnded():
            outcome = Outcome(event.winner, event.reason, dict(event.score))
            return match.but(outcome=outcome, offer=None, **step)
        case facts.MatchOpened():
            return _opened(match, event, at_ms)
        case facts.SeatTaken():
            who = Seated(event.kind, event.player, event.level, ladder=event.ladder)
            return match.but(seats=_with(match, event.seat, who), **step)
        case facts.SeatTokenRenewed():
            now = match.seats[event.seat]
            renewed = replace(now, generation=event.generation) if now else None
            return match.but(seats=_with(match, event.seat, renewed), **step)
        case facts.FistGuessed():
            return match.but(
                starter=event.starter,
                position=_first_position(match, event.starter),
                position_version=version,
                **step,
            )
        case facts.DrawOffered():
            return match.but(offer=Offer("draw", event.seat), **step)
        case facts.TakebackRequested():
            offer = Offer("takeback", event.seat, event.to_version)
            return match.but(offer=offer, **step)
        case facts.TakebackAccepted():
            return _taken_back(match, event, step)
        case facts.DrawAccepted() | facts.DrawDeclined() | facts.TakebackDeclined():
            return match.but(offer=None, **step)
        case facts.Aborted():
            return match.but(is_aborted=True, aborted_for=event.reason, **step)
        case facts.Imported():
            return match.but(tenant=event.tenant, **step)
        case facts.HintTaken():
            return match.but(hinted_at=match.position_version, **step)
        case facts.Resigned() | facts.AiFailed():  # told by the events beside them
            return match.but(**step)


def _opened(match: Match, event: facts.MatchOpened, at_ms: int) -> Match:
    opened = Match(
        id=match.id,
        version=1,
        tenant=event.tenant,
        game=event.game,
        options=MappingProxyType(dict(event.options)),
        rules=event.rules,
        starter=event.starter,
        starter_by=event.starter_by,
        commitment=event.commitment,
        base=event.position,
        rated=event.rated,
        rematch_of=event.rematch_of,
        hints=event.hints,
        origin=MappingProxyType(dict(event.origin)),
        seats=MappingProxyType(dict.fromkeys(find_game(event.game, event.rules).seats)),
        position_version=1,
        created_at_ms=at_ms,
        updated_at_ms=at_ms,
    )
    if event.clock is not None:
        opened = opened.but(clock=new_clock(event.clock, tuple(opened.seats)))
    if event.starter_by == FIST:  # nobody begins before the fist is guessed
        return opened
    return opened.but(position=_first_position(opened, event.starter))


def _clock_after(
    clock: Clock, before: Match, after: Match, event: MatchEvent, at_ms: int
) -> Clock:
    """Return the clocks after an event: offers and answers let them run on."""
    match event:
        case facts.MovePlayed():
            clock = clock.moved(after.ply, at_ms)
        case facts.Imported():  # nobody could move between the two installations
            return clock.resumed(before.updated_at_ms, at_ms)
        case facts.TakebackAccepted() | facts.MatchEnded() | facts.Aborted():
            clock = clock.stopped(at_ms)
        case facts.SeatTaken() | facts.FistGuessed():
            clock = clock.stopped(at_ms)
        case _:
            return clock
    if after.to_move is not None:
        return clock.started(after.to_move, at_ms)
    if after.guesser is not None and not after.free_seats:
        return clock.started(after.guesser, at_ms, is_guess=True)
    return clock


def _first_position(match: Match, starter: str) -> Position:
    if match.base:
        return restore(match.game, match.options, match.base, match.rules)
    return start(match.game, match.options, starter, match.rules)


def _taken_back(
    match: Match, event: facts.TakebackAccepted, step: dict[str, Any]
) -> Match:
    version = step["version"]
    position = match.position_at(event.to_version)
    _check_digest(position, event.digest, version)
    return match.but(
        position=position,
        position_version=version,
        line=tuple(played for played in match.line if played[0] <= event.to_version),
        taken_back=(*match.taken_back, (event.to_version + 1, version - 1)),
        offer=None,
        **step,
    )


def _check_digest(position: Position, recorded: str, version: int) -> None:
    if position.digest != recorded:
        raise DigestMismatch(version, recorded, position.digest)


def _with(match: Match, seat: str, who: Seated | None) -> Mapping[str, Seated | None]:
    return MappingProxyType({**match.seats, seat: who})
