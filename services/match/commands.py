"""What may be asked of a match. Time and chance arrive in the command, drawn before."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Who is to sit: a human (an opaque reference) or an AI (a level of a ladder).

    Without a ladder it is the latest of the game.
    """

    kind: str
    player: str = ""
    level: int = 0
    ladder: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMatch:
    """Open a match, with the seats that are filled from the beginning.

    ``starter`` is a seat, ``"random"`` (then ``drawn`` is 0 or 1) or ``"fist"`` (then
    ``commitment`` hides the fist). A match may begin from a ``position`` (its text) or
    from a ``snapshot`` of another match, its ``origin``. ``clock`` is a time control,
    as in `clock.CONTROLS`. ``rematch_of`` is the match that is played again.
    ``hints``: whoever is to move may ask what to play.
    """

    game: str
    tenant: str
    options: Mapping[str, Any] = field(default_factory=dict)
    starter: str | None = None
    drawn: int = 0
    commitment: str = ""
    position: str | None = None
    snapshot: str | None = None
    rules: str | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)
    seats: Mapping[str, Player] = field(default_factory=dict)
    clock: Mapping[str, Any] | None = None
    rated: bool = True
    rematch_of: str = ""
    hints: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSeat:
    """Sit down: at a given seat, or at the first that is free."""

    who: Player
    seat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewSeatToken:
    """Make the tokens of a seat invalid and issue a new one."""

    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuessFist:
    """Guess the fist; the server brings what it had committed itself to."""

    seat: str
    guess: str
    fist: str
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayMove:
    """Play a move; ``failed`` counts the attempts of an AI that failed before."""

    seat: str
    move: str
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeHint:
    """Ask what to play; it is recorded once for each position."""

    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferDraw:
    """Offer a draw."""

    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTakeback:
    """Ask to go back to the position of a version."""

    seat: str
    to_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answer the offer of the other seat: ``kind`` is ``draw`` or ``takeback``."""

    seat: str
    kind: str
    accept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Abort:
    """Call off a match that has not begun.

    With a clock, a ``seat`` may until its own first move; without one, any who may.
    """

    seat: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign:
    """Give up."""

    seat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandon:
    """End a match that would not end by itself; the server alone asks.

    ``reason`` is ``abandoned``, if nothing has happened for long, or ``too-long``, if
    it has as many events as a match may have.
    """

    reason: str = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTime:
    """Say that a time ran out, at the moment at which it did; the server alone asks."""


INVITED = "invited"
"""Who sits down by an invitation of the app."""

SERVER_REASONS = ("abandoned", "too-long")

Command = (
    OpenMatch
    | TakeSeat
    | RenewSeatToken
    | GuessFist
    | PlayMove
    | TakeHint
    | OfferDraw
    | RequestTakeback
    | Answer
    | Resign
    | Abort
    | Abandon
    | CallTime
)
