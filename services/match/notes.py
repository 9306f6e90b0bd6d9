"""What the log is told beside events: whom a match waits for, and who says an event."""

from services.eventlog import Note
from services.match import events as facts
from services.match import snapshot
from services.match.events import MatchEvent
from services.match.match import Match

AI_DEADLINE_MS = 3_000
SERVER = "server"
AI, NOBODY = "ai", "nobody"
"""Whom the log knows a match to wait for; NOBODY if it is over, "" is somebody else."""
ANSWERS = facts.DrawAccepted | facts.DrawDeclined | facts.TakebackAccepted
CONSEQUENCES = facts.TurnPassed | facts.MatchEnded | facts.AiFailed


def note_of(match: Match) -> Note:
    """Return what the log notes of a match beside the events that led to it."""
    awaits_ai = match.ai_to_move is not None
    awaited = NOBODY if match.is_over else ""
    return Note(
        snapshot=snapshot.to_text(match),
        tenant=match.tenant,
        awaits=AI if awaits_ai else awaited,
        due_ms=match.updated_at_ms + AI_DEADLINE_MS if awaits_ai else None,
        alarm_ms=None if match.clock is None else _alarm_ms(match),
    )


def _alarm_ms(match: Match) -> int:
    return 0 if match.due is None else match.due.at_ms


def author_of(match: Match, event: MatchEvent, by: str) -> str:
    """Return who says an event: whoever asked, the server, or an AI that answers."""
    if isinstance(event, CONSEQUENCES):
        return SERVER
    if isinstance(event, ANSWERS):
        who = match.seats[event.seat]
        if who is not None and who.kind == "ai":
            return f"ai:{who.level}"
    return by
