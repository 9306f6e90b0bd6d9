"""The clocks of a match: what each seat has left, from the times of events alone.

Nothing here asks what time it is: whoever replays a match finds the same clocks, and
the same millisecond at which a time ran out. The rules stand in `README.md`, "Clocks".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from services.languages import all_of, any_of, number_within
from services.match.refusals import InvalidClock

TIME, NO_SHOW = "time", "no-show"
DAY_MS = 86_400_000
FIRST_MOVE_MS = 60_000
"""So long a seat may take for its first move, where days are not what is counted."""

CLASSES = ("bullet", "blitz", "rapid", "classical", "correspondence", "untimed")
"""Kinds of time control, each with ratings of its own, from the fastest to none."""

MOVES_OF_A_CLASS = 40
_FASTER_THAN_S = {"bullet": 180, "blitz": 480, "rapid": 1500}

CONTROLS = (("initial_s", "increment_s"), ("initial_s", "delay_s"), ("days_per_move",))
BOUNDS: Mapping[str, tuple[int, int]] = {
    "initial_s": (1, 86_400),
    "increment_s": (0, 3_600),
    "delay_s": (0, 3_600),
    "days_per_move": (1, 30),
}


@dataclass(frozen=True, slots=True)
class Due:
    """What happens to a seat at a time if nothing happens before: `TIME` or `NO_SHOW`.

    ``at_ms`` is in milliseconds since 1970, UTC; an act at that millisecond is late.
    """

    at_ms: int
    seat: str
    what: str


@dataclass(frozen=True, slots=True)
class Clock:
    """The clocks of both seats, as they stood when the turn of one began.

    ``left_ms`` is what each had then; ``turn`` is whose time runs since ``since_ms``,
    or nobody's. ``movers`` have made a first move. ``plies`` counts those for which an
    increment was given: none is given twice, whatever was taken back.
    """

    control: Mapping[str, int]
    left_ms: Mapping[str, int]
    turn: str = ""
    since_ms: int = 0
    is_guess: bool = False
    movers: tuple[str, ...] = ()
    plies: int = 0

    def left(self, seat: str, at_ms: int) -> int:
        """Return the milliseconds that a seat has left at a time, 0 at the least."""
        left = self.left_ms[seat]
        return max(left - self._used(at_ms), 0) if seat == self.turn else left

    @property
    def flag_ms(self) -> int | None:
        """Return when the time of the seat whose turn it is runs out, if any runs."""
        if not self.turn or self.is_guess:
            return None
        return self.since_ms + self._delay_ms + self.left_ms[self.turn]

    @property
    def first_move_by_ms(self) -> int | None:
        """Return by when a seat has to make its first move, or its guess, if it has."""
        if not self.turn or (self.turn in self.movers and not self.is_guess):
            return None
        return self.since_ms + (self._per_move_ms or FIRST_MOVE_MS)

    @property
    def due(self) -> Due | None:
        """Return what happens next of itself, and when; None if no time runs."""
        flag, show = self.flag_ms, self.first_move_by_ms
        if show is not None and (flag is None or show <= flag):
            return Due(show, self.turn, NO_SHOW)
        return None if flag is None else Due(flag, self.turn, TIME)

    # -- what events do

    def started(self, seat: str, at_ms: int, *, is_guess: bool = False) -> "Clock":
        """Let the time of a seat run; its days, if it has days, begin anew."""
        left = self.left_ms
        if self._per_move_ms:
            left = MappingProxyType({**left, seat: self._per_move_ms})
        return replace(self, left_ms=left, turn=seat, since_ms=at_ms, is_guess=is_guess)

    def stopped(self, at_ms: int) -> "Clock":
        """Let no time run; what was used since the turn began is gone."""
        if not self.turn:
            return self
        return replace(self._charged(at_ms), turn="", is_guess=False)

    def moved(self, ply: int, at_ms: int) -> "Clock":
        """Stop the clock of a seat that has made a move, and give what that earns."""
        seat, stopped = self.turn, self.stopped(at_ms)
        if not seat:
            return self
        movers = self.movers if seat in self.movers else (*self.movers, seat)
        earned = self._per_move_ms - stopped.left_ms[seat] if self._per_move_ms else 0
        if ply > self.plies:
            earned += self.control.get("increment_s", 0) * 1000
        left = {**stopped.left_ms, seat: stopped.left_ms[seat] + earned}
        return replace(
            stopped,
            left_ms=MappingProxyType(left),
            movers=movers,
            plies=max(ply, self.plies),
        )

    def resumed(self, last_ms: int, at_ms: int) -> "Clock":
        """Pass over the time between two events, in which nobody could move here."""
        return replace(self._charged(last_ms), since_ms=at_ms) if self.turn else self

    def _charged(self, at_ms: int) -> "Clock":
        left = {**self.left_ms, self.turn: self.left(self.turn, at_ms)}
        return replace(self, left_ms=MappingProxyType(left))

    def _used(self, at_ms: int) -> int:
        if self.is_guess:
            return 0
        return max(at_ms - self.since_ms - self._delay_ms, 0)

    @property
    def _delay_ms(self) -> int:
        return self.control.get("delay_s", 0) * 1000

    @property
    def _per_move_ms(self) -> int:
        return self.control.get("days_per_move", 0) * DAY_MS


def new_clock(control: Mapping[str, int], seats: Sequence[str]) -> Clock:
    """Return the clocks of a match that begins; no time runs yet."""
    per_move_ms = control.get("days_per_move", 0) * DAY_MS
    left_ms = per_move_ms or control["initial_s"] * 1000
    return Clock(
        MappingProxyType(dict(control)), MappingProxyType(dict.fromkeys(seats, left_ms))
    )


def clock_class(control: Mapping[str, int] | None) -> str:
    """Return the one of `CLASSES` that a time control belongs to; None is no clock.

    It is told by the time that a seat has for 40 moves, as elsewhere.
    """
    if control is None:
        return "untimed"
    if "days_per_move" in control:
        return "correspondence"
    gained = control.get("increment_s", 0) + control.get("delay_s", 0)
    time_s = control["initial_s"] + MOVES_OF_A_CLASS * gained
    faster = (name for name, below_s in _FASTER_THAN_S.items() if time_s < below_s)
    return next(faster, "classical")


def check_control(given: Mapping[str, object]) -> Mapping[str, int]:
    """Return a time control as it is recorded: one of `CONTROLS`, within `BOUNDS`.

    :raises InvalidClock: saying what would be one.
    """
    if set(given) not in map(set, CONTROLS):
        forms = any_of(*(all_of(*members) for members in CONTROLS))
        raise InvalidClock("", forms, CONTROLS)
    control: dict[str, int] = {}
    for name, value in given.items():
        low, high = BOUNDS[name]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:  # type: ignore[operator]
            raise InvalidClock(name, number_within(low, high), CONTROLS)
        control[name] = value  # type: ignore[assignment]
    return control
