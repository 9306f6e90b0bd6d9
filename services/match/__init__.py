"""Matches: commands in, events out, and the one door between them."""

from services.match.commands import (
    Command,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    Resign,
    TakeSeat,
)
from services.match.decide import decide
from services.match.events import EVENTS, MatchEvent, UnknownEvent, from_log, to_log
from services.match.match import DigestMismatch, Match, Seated, evolve, replay
from services.match.service import Handled, MatchService

__all__ = [
    "EVENTS",
    "Command",
    "DigestMismatch",
    "Handled",
    "Match",
    "MatchEvent",
    "MatchService",
    "OpenMatch",
    "PlayMove",
    "Player",
    "RenewSeatToken",
    "Resign",
    "Seated",
    "TakeSeat",
    "UnknownEvent",
    "decide",
    "evolve",
    "from_log",
    "replay",
    "to_log",
]
