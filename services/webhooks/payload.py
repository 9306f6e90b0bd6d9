"""What a webhook says: one form with a version, which the samples of the tests keep.

``seedlog-webhook 1`` is an object with ``format``, ``type``, ``timestamp`` (of the
event) and ``data``. Members may be added to it; what is there keeps its meaning.
Players are opaque references, as in the log: a name is in no webhook, so none that was
erased can be told later.
"""

from typing import Any

import orjson

from services.eventlog import format_time
from services.match import EVENTS, Match, ReplayedEvent

FORMAT = "seedlog-webhook 1"
YOUR_TURN = "match.your_turn"
PING = "ping"
ALL = "*"

TYPES = (*(event.type for event in EVENTS), YOUR_TURN)
"""What an endpoint may ask for; a ping comes unasked."""


def event_payload(match_id: str, sequence: int, told: ReplayedEvent) -> bytes:
    """Return what is said of an event of the log.

    ``sequence`` counts, from 1, what this endpoint is told of the match.
    """
    event = told.event
    data = {
        "match": match_id,
        "sequence": sequence,
        "version": event.version,
        "by": event.by,
        "data": event.data,
        "hash": told.hash,
        **_seen(told.match),
    }
    return _text(event.type, event.at, data)


def turn_payload(match_id: str, sequence: int, told: ReplayedEvent) -> bytes | None:
    """Return what is said to whom a move is due, or None if that cannot be told."""
    match = told.match
    if match is None or not is_humans_turn(match):
        return None
    seat = match.to_move or ""
    who = match.seats[seat]
    data = {
        "match": match_id,
        "sequence": sequence,
        "version": told.event.version,
        "seat": seat,
        "player": who.player if who else "",
        **_seen(match),
        "legal_moves": list(match.position.legal_moves) if match.position else [],
    }
    return _text(YOUR_TURN, told.event.at, data)


def ping_payload(endpoint_id: str, at_ms: int) -> bytes:
    """Return what says nothing but that it came."""
    return _text(PING, format_time(at_ms), {"endpoint": endpoint_id})


def is_humans_turn(match: Match) -> bool:
    """Tell whether somebody who is not an AI has to move."""
    return match.to_move is not None and match.ai_to_move is None


def _seen(match: Match | None) -> dict[str, Any]:
    """Return the match in short; nothing of it where the rules could not answer."""
    if match is None:
        return {"game": None, "status": None, "to_move": None, "position": None}
    return {
        "game": match.game,
        "status": match.status,
        "to_move": match.to_move,
        "position": str(match.position) if match.position else None,
    }


def _text(type_: str, timestamp: str, data: dict[str, Any]) -> bytes:
    return orjson.dumps(
        {"format": FORMAT, "type": type_, "timestamp": timestamp, "data": data}
    )
