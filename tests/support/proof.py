"""Proves a match from what the API tells of its log: chain, order, positions."""

import hashlib
import json
from typing import Any

from rules_core import start
from services.client import Seedlog


def prove(client: Seedlog, match_id: str) -> list[dict[str, Any]]:
    """Check chain and versions, replay the rules, and return the events."""
    events: list[dict[str, Any]] = [dict(event) for event in client.events(match_id)]
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    opened = events[0]["data"]
    position = start(
        opened["game"], opened["options"], opened["starter"], opened["rules"]
    )
    head = hashlib.sha256(f"seedlog/1 {match_id}".encode()).hexdigest()
    for event in events:
        named = {k: event[k] for k in ("at", "by", "data", "type", "version")}
        text = json.dumps(
            named, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        head = hashlib.sha256((head + text).encode()).hexdigest()
        assert event["hash"] == head
        if event["type"] == "match.move_played":
            position = position.play(event["data"]["move"])
            assert position.digest == event["data"]["digest"]
    return events
