"""The facts of a match, as they stand in the log.

A class, its log type, its stream event and its webhook type bear one name. A new field
gets a default; a changed meaning gets a new event. `from_log` is the only place where
an old event is read as one of today.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from types import NoneType
from typing import Any, ClassVar, get_args, get_type_hints

from rules_core.levels import FIRST
from services.eventlog import NewEvent, StoredEvent


class UnknownEvent(Exception):
    """The log holds an event that this version of the program does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOpened:
    """A match was opened; nothing in it changes afterwards.

    ``rules`` is the version of the rules the match is played by for ever. ``starter``
    is the seat that begins; ``starter_by`` says how that was decided when not by the
    opener: ``random``, or ``fist``, whose ``commitment`` is public before the guess
    (G2). A match that begins elsewhere has the ``position`` it begins from (a snapshot
    of the rules) and, if that is a match, its ``origin``. ``clock`` is the time
    control, where there is one. ``rated``: its result counts in the ratings of players
    who have any. ``rematch_of`` is the match whose players play again. ``hints``: a
    seat may ask what to play.
    """

    type: ClassVar[str] = "match.opened"
    game: str
    options: Mapping[str, Any]
    rules: str
    starter: str
    tenant: str
    starter_by: str = ""
    commitment: str = ""
    position: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)
    clock: Mapping[str, int] | None = None
    rated: bool = True
    rematch_of: str = ""
    hints: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken:
    """A player sat down. ``player`` is opaque: a name never enters the log.

    An AI has a ``level`` of a ``ladder`` of the game (`rules_core.levels`): what that
    is worth stays the same for a match.
    """

    type: ClassVar[str] = "match.seat_taken"
    seat: str
    kind: str
    player: str = ""
    level: int = 0
    ladder: int = FIRST


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
    """

    type: ClassVar[str] = "match.move_played"
    seat: str
    move: str
    digest: str
    given: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPassed:
    """A seat had no move and missed its turn (G12)."""

    type: ClassVar[str] = "match.turn_passed"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HintTaken:
    """A seat that was to move asked what to play; what it was told is not recorded."""

    type: ClassVar[str] = "match.hint_taken"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AiFailed:
    """An AI failed so often that its weakest level moves in its place."""

    type: ClassVar[str] = "match.ai_failed"
    seat: str
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FistGuessed:
    """A seat guessed the fist; the secret shows that it was decided before (G2).

    The commitment is the SHA-256 of ``<fist> <secret>``, in hexadecimal.
    """

    type: ClassVar[str] = "match.fist_guessed"
    seat: str
    guess: str
    fist: str
    secret: str
    starter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawOffered:
    """A seat offered a draw; the offer stands until it is answered or a move made."""

    type: ClassVar[str] = "match.draw_offered"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawAccepted:
    """The other seat accepted; the match ends without a winner (G10)."""

    type: ClassVar[str] = "match.draw_accepted"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDeclined:
    """The other seat declined the draw."""

    type: ClassVar[str] = "match.draw_declined"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakebackRequested:
    """A seat asked to go back to the position of a version (G13)."""

    type: ClassVar[str] = "match.takeback_requested"
    seat: str
    to_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakebackAccepted:
    """The position of an earlier version stands again, under a new version.

    What was taken back stays in the log; it no longer counts for repetition (G9).
    """

    type: ClassVar[str] = "match.takeback_accepted"
    seat: str
    to_version: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakebackDeclined:
    """The other seat declined to go back."""

    type: ClassVar[str] = "match.takeback_declined"
    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Aborted:
    """The match was called off before it had begun for both seats.

    ``reason`` is ``no-show`` if a seat made no first move in time.
    """

    type: ClassVar[str] = "match.aborted"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The events up to here were taken over from an export, after it was verified.

    ``head`` is the hash they ended with, ``key`` the key that had signed it. The match
    belongs to ``tenant`` from here on.
    """

    type: ClassVar[str] = "match.imported"
    tenant: str
    head: str
    key: str


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
    | FistGuessed
    | MovePlayed
    | TurnPassed
    | HintTaken
    | AiFailed
    | DrawOffered
    | DrawAccepted
    | DrawDeclined
    | TakebackRequested
    | TakebackAccepted
    | TakebackDeclined
    | Resigned
    | Aborted
    | MatchEnded
    | Imported
)

EVENTS: tuple[type[MatchEvent], ...] = (
    MatchOpened,
    SeatTaken,
    SeatTokenRenewed,
    FistGuessed,
    MovePlayed,
    TurnPassed,
    HintTaken,
    AiFailed,
    DrawOffered,
    DrawAccepted,
    DrawDeclined,
    TakebackRequested,
    TakebackAccepted,
    TakebackDeclined,
    Resigned,
    Aborted,
    MatchEnded,
    Imported,
)


def default_of(given: Field[Any]) -> object:
    """Return the default of a field, or MISSING; one that is made is made here."""
    made = given.default_factory
    return given.default if made is MISSING else made()


@cache
def kinds_of(event: Any) -> Mapping[str, str]:
    """Return what each member of a class of events may be in JSON.

    That is str, int, bool or dict; or None too, as in ``str | None``.
    """
    hints = get_type_hints(event)
    return {name: _kind(hint) for name, hint in hints.items() if name != "type"}


def _kind(hint: Any) -> str:
    names = {str: "str", int: "int", bool: "bool", NoneType: "None"}
    parts = get_args(hint) if NoneType in get_args(hint) else (hint,)
    return " | ".join(names.get(part, "dict") for part in parts)


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


Upcast = Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]

UPCASTS: dict[str, Upcast] = {}
"""What to make of an old event, by its old type: today's type and data.

A field that was added needs no entry, it has a default. A field that was renamed or an
event that was split does: the function leaves alone what is in today's form already.
"""


def from_log(stored: StoredEvent) -> MatchEvent:
    """Return a stored event as one of today's.

    :raises UnknownEvent: its type or one of its fields is not known.
    """
    type_, data = stored.type, stored.data
    if upcast := UPCASTS.get(type_):
        type_, data = upcast(data)
    build = _BY_TYPE.get(type_)
    if build is None:
        raise UnknownEvent(f"event {stored.version}: unknown type {type_!r}")
    try:
        return build(**data)
    except TypeError:
        reason = _astray(_BY_TYPE[type_], data)
        raise UnknownEvent(f"event {stored.version}: {reason}") from None


def _astray(kind: Any, data: Mapping[str, Any]) -> str:
    """Say which members an event of a kind lacks, or should not have."""
    known = {field_.name: default_of(field_) for field_ in fields(kind)}
    lacked = [name for name in known if known[name] is MISSING and name not in data]
    if lacked:
        return f"it lacks {lacked[0]}"
    return f"it should not have {', '.join(n for n in data if n not in known)}"
