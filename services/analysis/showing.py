"""How an analysis looks to whoever reads or follows it: its events, folded."""

from collections.abc import Sequence
from typing import Any

from rules_core import find_game
from services.analysis.analysis import DEPTH, PLY, Analysis, Found
from services.analysis.judging import count_comments, mistakes
from services.analysis.question import MATCH
from services.eventlog import format_time


def found_json(found: Found) -> dict[str, Any]:
    """Return what became known, as it is told where an analysis is followed."""
    return {
        "version": found.version,
        "type": found.type,
        "at": format_time(found.at_ms),
        "data": found.data,
    }


def analysis_json(analysis: Analysis, events: Sequence[Found]) -> dict[str, Any]:
    """Return an analysis with all that was found up to the last of its events.

    It may have gone on since it was read; the events are what counts.
    """
    asked = analysis.question
    is_match = asked.kind == MATCH
    plies = [found.data for found in events if found.type == PLY]
    thoughts = [found.data for found in events if found.type == DEPTH]
    last = thoughts[-1] if thoughts else {}
    effort = plies if is_match else [last]
    seats = find_game(asked.game, asked.rules).seats
    return {
        "id": analysis.id,
        "kind": asked.kind,
        "status": analysis.status,
        "failed_for": analysis.failed_for or None,
        "version": analysis.version,
        "game": asked.game,
        "options": asked.options,
        "rules": asked.rules,
        "position": asked.snapshot.split("|")[1] if asked.snapshot else None,
        "match": asked.match or None,
        "match_version": asked.version or None,
        "seat": asked.seat or None,
        "budget": {
            "lines": asked.lines,
            "time_ms": asked.time_ms,
            "nodes": asked.nodes or None,
        },
        "depth": None if is_match else last.get("depth", 0),
        "nodes": sum(told.get("nodes", 0) for told in effort),
        "time_ms": sum(told.get("time_ms", 0) for told in effort),
        "lines": last.get("lines", []),
        "plies": plies if is_match else None,
        "mistakes": mistakes(plies) if is_match else None,
        "comments": count_comments(seats, plies) if is_match else None,
        "created_at": format_time(analysis.asked_ms),
        "ended_at": format_time(analysis.ended_ms) if analysis.ended_ms else None,
        "expires_at": format_time(analysis.until_ms),
    }
