"""Why a match refuses a command: each reason its own class, carrying the facts."""

from collections.abc import Iterable, Sequence

from services.eventlog import format_time
from services.languages import Counted, Explained, Message, Seat
from services.match.events import MatchEvent
from services.match.reasons import reason_in_words


class Refused(Explained):
    """The command cannot be carried out; nothing was recorded."""


class NotAllowed(Refused):
    """Whoever asks may not do this; the callers of the service say why."""


class NoSuchMatch(Refused):
    """There is no match of that id, or it belongs to somebody else."""

    def __init__(self, match_id: str) -> None:
        """Keep the id."""
        super().__init__(Message("there is no match {match!r}", match=match_id))
        self.match_id = match_id


class AlreadyOpen(Refused):
    """A match of that id is there already; carries what opening would have said."""

    def __init__(self, match_id: str, events: Sequence[MatchEvent]) -> None:
        """Keep the id and the events that were not recorded."""
        super().__init__(Message("match {match!r} is open already", match=match_id))
        self.match_id = match_id
        self.events = events


class NoSuchVersion(Refused):
    """The match has not reached that version, or it is not a version at all."""

    def __init__(self, version: int, latest: int) -> None:
        """Keep the version and the latest one."""
        super().__init__(
            Message(
                "there is no version {version}; this match has versions 1 to {latest}",
                version=version,
                latest=latest,
            )
        )
        self.version = version
        self.latest = latest


class NoSuchSeat(Refused):
    """The game has no such seat."""

    def __init__(self, seat: str, seats: Iterable[str]) -> None:
        """Keep the seat and those that there are."""
        self.seat = seat
        self.seats = tuple(seats)
        super().__init__(
            Message(
                "there is no seat {seat!r}; seats: {seats}", seat=seat, seats=self.seats
            )
        )


class NoSuchLevel(Refused):
    """Computer players of this game have fewer levels."""

    def __init__(self, level: int, levels: int) -> None:
        """Keep what was asked for and how many levels there are."""
        self.level = level
        self.levels = levels
        super().__init__(
            Message(
                "there is no level {level} in this game; levels: 1 to {levels}",
                level=level,
                levels=levels,
            )
        )


class InvalidStarter(Refused):
    """The game cannot be begun like that."""

    def __init__(self, starter: str, allowed: Iterable[str]) -> None:
        """Keep what was asked for and what would have been right."""
        self.starter = starter
        self.allowed = tuple(allowed)
        super().__init__(
            Message(
                "starter {starter!r} is not possible; allowed: {allowed}",
                starter=starter,
                allowed=self.allowed,
            )
        )


class InvalidClock(Refused):
    """The time control is none that there is, or out of bounds."""

    def __init__(
        self, member: str, wanted: Message, controls: Iterable[Iterable[str]]
    ) -> None:
        """Keep the member that is wrong, or none, and the members of each control."""
        place = f"clock: {member}" if member else "clock"
        super().__init__(
            Message("{name} should be {wanted}", name=place, wanted=wanted)
        )
        self.member = member
        self.controls = [list(members) for members in controls]


class SeatTaken(Refused):
    """Somebody sits there, or no seat is free."""

    def __init__(self, seat: str | None, free: Iterable[str]) -> None:
        """Keep the seat asked for and those that are free."""
        self.seat = seat
        self.free = tuple(free)
        said = Message("every seat is taken")
        if seat and self.free:
            said = Message(
                "seat {seat!r} is taken; free: {free}", seat=seat, free=self.free
            )
        elif seat:
            said = Message("seat {seat!r} is taken", seat=seat)
        super().__init__(said)


class SeatEmpty(Refused):
    """Nobody, or no human, sits there."""

    def __init__(self, seat: str) -> None:
        """Keep the seat."""
        super().__init__(Message("no human player sits at {seat!r}", seat=seat))
        self.seat = seat


class MatchNotStarted(Refused):
    """A move was sent before every seat was taken."""

    def __init__(self, free: Iterable[str]) -> None:
        """Keep the seats that are free."""
        self.free = tuple(free)
        super().__init__(
            Message(
                "the match begins when every seat is taken; free: {free}",
                free=tuple(map(Seat, self.free)),
            )
        )


class MatchOver(Refused):
    """The match is over, and accepts nothing more (G10)."""

    def __init__(self, reason: str) -> None:
        """Keep how it ended."""
        super().__init__(
            Message(
                "the match is over ({reason}); open another to play on",
                reason=reason_in_words(reason),
            )
        )
        self.reason = reason


class MatchGoesOn(Refused):
    """The match is not over yet."""

    def __init__(self, match_id: str) -> None:
        """Keep the id."""
        super().__init__(
            Message(
                "match {match} is not over; a rematch comes after it", match=match_id
            )
        )
        self.match_id = match_id


class TimeIsUp(Refused):
    """The time of a seat had run out before: that comes first."""

    def __init__(self, seat: str, what: str, at_ms: int) -> None:
        """Keep the seat, what became of it, and when, in ms since 1970."""
        facts = {"seat": Seat(seat), "time": format_time(at_ms)}
        super().__init__(
            Message("{seat} did not make its first move by {time}", **facts)
            if what == "no-show"
            else Message("the time of {seat} ran out by {time}", **facts)
        )
        self.seat = seat
        self.at_ms = at_ms


class NotDue(Refused):
    """A time has not run out, or at another moment."""

    def __init__(self, what: str = "", seat: str = "", at_ms: int = 0) -> None:
        """Say what is due of a seat, if anything is, and when, in ms since 1970."""
        super().__init__(
            Message(
                "no time runs out then; due: {what} of {seat} at {time}",
                what=what,
                seat=Seat(seat),
                time=format_time(at_ms),
            )
            if what
            else Message("no time runs out then; due: nothing")
        )


class NotYourTurn(Refused):
    """The other seat is to move."""

    def __init__(self, seat: str, to_move: str) -> None:
        """Keep both seats."""
        super().__init__(
            Message(
                "{other} is to move, not {seat}", other=Seat(to_move), seat=Seat(seat)
            )
        )
        self.seat = seat
        self.to_move = to_move


class HintsForbidden(Refused):
    """The match was opened without hints: while it runs nobody is told what to play."""

    def __init__(self) -> None:
        """Say when it is told."""
        super().__init__(
            Message("this match was opened without hints; analyse it once it is over")
        )


class HintKnown(Refused):
    """The seat was given a hint in this position before: there is nothing to record."""

    def __init__(self, version: int) -> None:
        """Keep the version of the match at which that is so."""
        super().__init__(Message("a hint was taken in this position before"))
        self.version = version


class PositionChanged(Refused):
    """The caller thought about a position that is no longer on the board."""

    def __init__(self, expected: int, version: int, changed_at: int) -> None:
        """Keep the version expected, the current one, and when the position changed."""
        super().__init__(
            Message(
                "the position changed at version {changed}, after your version "
                "{expected}; the match is now at version {version}: read it and decide "
                "again",
                changed=changed_at,
                expected=expected,
                version=version,
            )
        )
        self.expected = expected
        self.version = version
        self.changed_at = changed_at


class AlreadyBegun(Refused):
    """Moves were played: the match can be resigned, not called off."""

    def __init__(self, ply: int) -> None:
        """Keep how many moves were played."""
        super().__init__(
            Counted(
                "{count} move was played; resign, or offer a draw",
                "{count} moves were played; resign, or offer a draw",
                count=ply,
            )
        )
        self.ply = ply


class OfferPending(Refused):
    """An offer stands already, and has to be answered first."""

    def __init__(self, kind: str, seat: str) -> None:
        """Keep what was offered, and by whom."""
        super().__init__(
            Message(
                "{seat} has offered a draw; it has to be answered first",
                seat=Seat(seat),
            )
            if kind == "draw"
            else Message(
                "{seat} has asked for a takeback; it has to be answered first",
                seat=Seat(seat),
            )
        )
        self.kind = kind
        self.seat = seat


class NoOffer(Refused):
    """There is nothing of that kind to answer."""

    def __init__(self, kind: str) -> None:
        """Keep what was to be answered."""
        super().__init__(
            Message("no draw is offered; an offer lapses with the next move")
            if kind == "draw"
            else Message("no takeback is asked for; that lapses with the next move")
        )
        self.kind = kind


class OwnOffer(Refused):
    """A seat cannot answer what it has offered itself."""

    def __init__(self, kind: str, seat: str) -> None:
        """Keep what was offered, and by whom."""
        super().__init__(
            Message(
                "{seat} has offered the draw; the other seat answers", seat=Seat(seat)
            )
            if kind == "draw"
            else Message(
                "{seat} has asked for the takeback; the other seat answers",
                seat=Seat(seat),
            )
        )
        self.kind = kind
        self.seat = seat


class InvalidTakeback(Refused):
    """The match cannot go back to that version."""

    def __init__(self, to_version: int, earliest: int, reason: Message) -> None:
        """Keep the version, the earliest possible one, and why not."""
        super().__init__(
            Message(
                "cannot go back to version {version}: {reason}",
                version=to_version,
                reason=reason,
            )
        )
        self.to_version = to_version
        self.earliest = earliest


class NoFist(Refused):
    """There is no fist to guess, or not for this seat."""


class Quarantined(Refused):
    """Log and rules disagree about this match; it can be read, but not changed."""

    def __init__(self, match_id: str, reason: str) -> None:
        """Keep the id and the disagreement."""
        super().__init__(
            Message(
                "match {match} is read-only: {reason}", match=match_id, reason=reason
            )
        )
        self.match_id = match_id
        self.reason = reason


class KnownMatch(Refused):
    """The match that was to be imported is in this log already."""

    def __init__(self, match_id: str, *, is_own: bool) -> None:
        """Keep the id, and whether the match belongs to whoever asks."""
        super().__init__(
            Message(
                "match {match} is in this log already; read it there", match=match_id
            )
            if is_own
            else Message("match {match} is in this log already", match=match_id)
        )
        self.match_id = match_id
        self.is_own = is_own
