"""Matches: commands in, events out, and the one door between them."""

from services.match.clock import Clock
from services.match.commands import (
    Abandon,
    Abort,
    Answer,
    CallTime,
    Command,
    GuessFist,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    RequestTakeback,
    Resign,
    TakeHint,
    TakeSeat,
)
from services.match.decide import decide, fist_commitment
from services.match.events import EVENTS, MatchEvent, UnknownEvent, from_log, to_log
from services.match.folds import Fold, Folds, ReplayedEvent
from services.match.match import DigestMismatch, Match, Offer, Seated, evolve
from services.match.notes import author_of
from services.match.replay import replay
from services.match.service import Handled, MatchService

__all__ = [
    "EVENTS",
    "Abandon",
    "Abort",
    "Answer",
    "CallTime",
    "Clock",
    "Command",
    "DigestMismatch",
    "Fold",
    "Folds",
    "GuessFist",
    "Handled",
    "Match",
    "MatchEvent",
    "MatchService",
    "Offer",
    "OfferDraw",
    "OpenMatch",
    "PlayMove",
    "Player",
    "RenewSeatToken",
    "ReplayedEvent",
    "RequestTakeback",
    "Resign",
    "Seated",
    "TakeHint",
    "TakeSeat",
    "UnknownEvent",
    "author_of",
    "decide",
    "evolve",
    "fist_commitment",
    "from_log",
    "replay",
    "to_log",
]
