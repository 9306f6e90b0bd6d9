"""The facts of a match, as they stand in the log.

A class, its log type, its stream event and its webhook type bear one name. A new field
gets a default; a changed meaning gets a new event. `from_log` is the only place where
an old event is read as one of today.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from services.eventlog import NewEvent, StoredEvent


class UnknownEvent(Exception):
    """The log holds an event that this version of the program does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpened:
    """A match was opened; nothing in it changes afterwards.

    ``rules`` is the version of the rules the match is played by for ever. ``starter``
    is the seat that begins, ``draw`` how that was decided when not by the opener.
    """

    type: ClassVar[str] = "match.opened"
    game: str
    options: Mapping[str, Any]
    rules: str
    starter: str
    tenant: str
    draw: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken:
    """A player sat down. ``player`` is opaque: a name never enters the log."""

    type: ClassVar[str] = "match.seat_taken"
    seat: str
    kind: str
    player: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTokenRenewed:
    """Earlier tokens of a seat stopped being valid; the token itself is nowhere."""

    type: ClassVar[str] = "match.seat_token_renewed"
    seat: str
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MovePlayed:
    """A seat played a legal move. The board follows from the rules.

    ``digest`` is that of the position after it, so that a silent change of the rules is
    loud in a replay. ``given`` counts discs that the opponent had to give (R5).
    ``fallback`` says that an AI failed and its weakest level moved in its place.
    """

    type: ClassVar[str] = "match.move_played"
    seat: str
    move: str
    digest: str
    given: int = 0
    fallback: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPassed:
    """A seat had no move and missed its turn (G12)."""

    type: ClassVar[str] = "match.turn_passed"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned:
    """A seat gave up (G10)."""

    type: ClassVar[str] = "match.resigned"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """The match is over (G11). No winner is a draw."""

    type: ClassVar[str] = "match.ended"
    winner: str | None
    reason: str
    score: Mapping[str, int] = field(default_factory=dict)


MatchEvent = (
    MatchOpened
    | SeatTaken
    | SeatTokenRenewed
    | MovePlayed
    | TurnPassed
    | Resigned
    | MatchEnded
)

EVENTS: tuple[type[MatchEvent], ...] = (
    MatchOpened,
    SeatTaken,
    SeatTokenRenewed,
    MovePlayed,
    TurnPassed,
    Resigned,
    MatchEnded,
)

_BY_TYPE: dict[str, Callable[..., MatchEvent]] = {kind.type: kind for kind in EVENTS}
_DEFAULTS = {kind: tuple((f.name, f.default) for f in fields(kind)) for kind in EVENTS}


def to_log(event: MatchEvent, by: str) -> NewEvent:
    """Return an event as the log takes it; a field at its default is left out."""
    data = {
        name: value
        for name, default in _DEFAULTS[type(event)]
        if (value := getattr(event, name)) != default
    }
    return NewEvent(event.type, by, data)


def from_log(stored: StoredEvent) -> MatchEvent:
    """Return a stored event as one of today's.

    :raises UnknownEvent: its type or one of its fields is not known.
    """
    build = _BY_TYPE.get(stored.type)
    if build is None:
        raise UnknownEvent(f"event {stored.version}: unknown type {stored.type!r}")
    try:
        return build(**stored.data)
    except TypeError as error:
        raise UnknownEvent(f"event {stored.version}: {error}") from error
