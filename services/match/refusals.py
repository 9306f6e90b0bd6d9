"""Why a match refuses a command: each reason its own class, carrying the facts."""

from collections.abc import Iterable, Sequence

from services.eventlog import format_time
from services.match.events import MatchEvent


class Refused(Exception):
    """The command cannot be carried out; nothing was recorded."""


class NotAllowed(Refused):
    """Whoever asks may not do this; the callers of the service say why."""


class NoSuchMatch(Refused):
    """There is no match of that id, or it belongs to somebody else."""

    def __init__(self, match_id: str) -> None:
        """Keep the id."""
        super().__init__(f"there is no match {match_id!r}")
        self.match_id = match_id


class AlreadyOpen(Refused):
    """A match of that id is there already; carries what opening would have said."""

    def __init__(self, match_id: str, events: Sequence[MatchEvent]) -> None:
        """Keep the id and the events that were not recorded."""
        super().__init__(f"match {match_id!r} is open already")
        self.match_id = match_id
        self.events = events


class NoSuchVersion(Refused):
    """The match has not reached that version, or it is not a version at all."""

    def __init__(self, version: int, latest: int) -> None:
        """Keep the version and the latest one."""
        super().__init__(
            f"there is no version {version}; this match has versions 1 to {latest}"
        )
        self.version = version
        self.latest = latest


class NoSuchSeat(Refused):
    """The game has no such seat."""

    def __init__(self, seat: str, seats: Iterable[str]) -> None:
        """Keep the seat and those that there are."""
        self.seat = seat
        self.seats = tuple(seats)
        super().__init__(f"there is no seat {seat!r}; seats: {', '.join(self.seats)}")


class InvalidStarter(Refused):
    """The game cannot be begun like that."""

    def __init__(self, starter: str, allowed: Iterable[str]) -> None:
        """Keep what was asked for and what would have been right."""
        self.starter = starter
        self.allowed = tuple(allowed)
        super().__init__(
            f"starter {starter!r} is not possible; allowed: {', '.join(self.allowed)}"
        )


class InvalidClock(Refused):
    """The time control is none that there is, or out of bounds."""

    def __init__(
        self, member: str, wanted: str, controls: Iterable[Iterable[str]]
    ) -> None:
        """Keep the member that is wrong, or none, and the members of each control."""
        place = f"clock: {member}" if member else "clock"
        super().__init__(f"{place} should be {wanted}")
        self.member = member
        self.controls = [list(members) for members in controls]


class SeatTaken(Refused):
    """Somebody sits there, or no seat is free."""

    def __init__(self, seat: str | None, free: Iterable[str]) -> None:
        """Keep the seat asked for and those that are free."""
        self.seat = seat
        self.free = tuple(free)
        what = f"seat {seat!r} is taken" if seat else "every seat is taken"
        rest = f"; free: {', '.join(self.free)}" if self.free else ""
        super().__init__(what + rest)


class SeatEmpty(Refused):
    """Nobody, or no human, sits there."""

    def __init__(self, seat: str) -> None:
        """Keep the seat."""
        super().__init__(f"no human player sits at {seat!r}")
        self.seat = seat


class MatchNotStarted(Refused):
    """A move was sent before every seat was taken."""

    def __init__(self, free: Iterable[str]) -> None:
        """Keep the seats that are free."""
        self.free = tuple(free)
        super().__init__(
            f"the match begins when every seat is taken; free: {', '.join(self.free)}"
        )


class MatchOver(Refused):
    """The match is over, and accepts nothing more (G10)."""

    def __init__(self, reason: str) -> None:
        """Keep how it ended."""
        super().__init__(f"the match is over ({reason}); open another to play on")
        self.reason = reason


class TimeIsUp(Refused):
    """The time of a seat had run out before: that comes first."""

    def __init__(self, seat: str, what: str, at_ms: int) -> None:
        """Keep the seat, what became of it, and when, in ms since 1970."""
        happened = "did not make its first move" if what == "no-show" else "ran out"
        whose = seat if what == "no-show" else f"the time of {seat}"
        super().__init__(f"{whose} {happened} by {format_time(at_ms)}")
        self.seat = seat
        self.at_ms = at_ms


class NotDue(Refused):
    """A time has not run out, or at another moment."""

    def __init__(self, due: str) -> None:
        """Say what is due, if anything is."""
        super().__init__(f"no time runs out then; due: {due or 'nothing'}")


class NotYourTurn(Refused):
    """The other seat is to move."""

    def __init__(self, seat: str, to_move: str) -> None:
        """Keep both seats."""
        super().__init__(f"{to_move} is to move, not {seat}")
        self.seat = seat
        self.to_move = to_move


class PositionChanged(Refused):
    """The caller thought about a position that is no longer on the board."""

    def __init__(self, expected: int, version: int, changed_at: int) -> None:
        """Keep the version expected, the current one, and when the position changed."""
        super().__init__(
            f"the position changed at version {changed_at}, after your version "
            f"{expected}; the match is now at version {version}: read it and decide "
            "again"
        )
        self.expected = expected
        self.version = version
        self.changed_at = changed_at


class AlreadyBegun(Refused):
    """Moves were played: the match can be resigned, not called off."""

    def __init__(self, ply: int) -> None:
        """Keep how many moves were played."""
        super().__init__(f"{ply} moves were played; resign, or offer a draw")
        self.ply = ply


class OfferPending(Refused):
    """An offer stands already, and has to be answered first."""

    def __init__(self, kind: str, seat: str) -> None:
        """Keep what was offered, and by whom."""
        super().__init__(f"{seat} has offered a {kind}; it has to be answered first")
        self.kind = kind
        self.seat = seat


class NoOffer(Refused):
    """There is nothing of that kind to answer."""

    def __init__(self, kind: str) -> None:
        """Keep what was to be answered."""
        super().__init__(f"no {kind} is offered; an offer lapses with the next move")
        self.kind = kind


class OwnOffer(Refused):
    """A seat cannot answer what it has offered itself."""

    def __init__(self, kind: str, seat: str) -> None:
        """Keep what was offered, and by whom."""
        super().__init__(f"{seat} has offered the {kind}; the other seat answers")
        self.kind = kind
        self.seat = seat


class InvalidTakeback(Refused):
    """The match cannot go back to that version."""

    def __init__(self, to_version: int, earliest: int, reason: str) -> None:
        """Keep the version, the earliest possible one, and why not."""
        super().__init__(f"cannot go back to version {to_version}: {reason}")
        self.to_version = to_version
        self.earliest = earliest


class NoFist(Refused):
    """There is no fist to guess, or not for this seat."""


class Quarantined(Refused):
    """Log and rules disagree about this match; it can be read, but not changed."""

    def __init__(self, match_id: str, reason: str) -> None:
        """Keep the id and the disagreement."""
        super().__init__(f"match {match_id} is read-only: {reason}")
        self.match_id = match_id
        self.reason = reason


class KnownMatch(Refused):
    """The match that was to be imported is in this log already."""

    def __init__(self, match_id: str, *, is_own: bool) -> None:
        """Keep the id, and whether the match belongs to whoever asks."""
        said = "; read it there" if is_own else ""
        super().__init__(f"match {match_id} is in this log already{said}")
        self.match_id = match_id
        self.is_own = is_own
