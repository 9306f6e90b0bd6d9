"""What may be asked of a match. Time and chance arrive in the command, drawn before."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Who is to sit: a human (an opaque reference) or an AI (a level, 1-8)."""

    kind: str
    player: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenMatch:
    """Open a match, with the seats that are filled from the beginning.

    ``starter`` is a seat or ``"random"``; for the latter ``drawn`` is 0 or 1.
    """

    game: str
    tenant: str
    options: Mapping[str, Any] = field(default_factory=dict)
    starter: str | None = None
    drawn: int = 0
    seats: Mapping[str, Player] = field(default_factory=dict)


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
class PlayMove:
    """Play a move."""

    seat: str
    move: str
    fallback: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign:
    """Give up."""

    seat: str


Command = OpenMatch | TakeSeat | RenewSeatToken | PlayMove | Resign
