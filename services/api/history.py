"""Looking back: the moves that stand with their steps, and what changed between two."""

from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.versions import visible_match_at
from services.eventlog import StoredEvent
from services.http.authentication import caller
from services.http.authorization import visible_match
from services.http.context import services
from services.http.game_representation import steps_json
from services.http.refusals import InvalidParameter
from services.http.representation import event_json, match_json
from services.http.request import MAX_VERSION, read_number, read_query
from services.http.responses import list_json, tagged_response
from services.languages import Message, number_within
from services.match import Match

bp = Blueprint("history", __name__)

MOVES_QUERY = {
    "version": Message("a version of the match"),
    "cursor": Message("the next_cursor of the page before"),
    "limit": number_within(1, 1000),
}
DIFF_QUERY = {
    "from": Message("a version of the match"),
    "to": Message("a version of the match"),
}
SAME = frozenset({"id", "board", "created_at"})


@bp.get("/matches/<match_id>/moves")
def list_moves(match_id: str) -> ResponseReturnValue:
    """List the moves that stand, without what was taken back."""
    who = caller()
    query = read_query(MOVES_QUERY)
    match, is_frozen = visible_match_at(who, match_id, query)
    after = read_number(query, "cursor", 0, 0, MAX_VERSION)
    limit = read_number(query, "limit", 200, 1, 1000)
    events = services().matches.events(match_id, 0, match.version)
    last = after + limit
    more = str(last) if last < len(match.line) else None
    body = list_json(_moves_json(match, events, after, last), more)
    return tagged_response(body, match.version, frozen=is_frozen)


@bp.get("/matches/<match_id>/diff")
def compare_versions(match_id: str) -> ResponseReturnValue:
    """Tell what changed between two versions: places, facts, and the events between."""
    who = caller()
    query = read_query(DIFF_QUERY)
    for name, wanted in DIFF_QUERY.items():
        if name not in query:
            raise InvalidParameter(name, wanted)
    first = read_number(query, "from", 0, 1, MAX_VERSION)
    last = read_number(query, "to", 0, 1, MAX_VERSION)
    matches = services().matches
    visible_match(who, match_id)
    before = match_json(matches.load_at(match_id, first))
    after = match_json(matches.load_at(match_id, last))
    earlier, later = sorted((first, last))
    events = matches.events(match_id, earlier, later - earlier)
    body = {
        "from": first,
        "to": last,
        "board": _changes(before["board"], after["board"]),
        "match": {
            name: change
            for name, change in _changes(before, after).items()
            if name not in SAME
        },
        "events": [event_json(event) for event in events],
    }
    return tagged_response(body, later, frozen=True)


def _moves_json(
    match: Match, events: list[StoredEvent], first: int, last: int
) -> list[dict[str, Any]]:
    """Return the moves after a ply, up to another."""
    shown: list[dict[str, Any]] = []
    if first >= len(match.line):
        return shown
    position = match.position_at(match.line[first - 1][0] if first else 0)
    for ply, (version, move) in enumerate(match.line[first:last], start=first + 1):
        event = events[version - 1]
        after = position.play(move)
        shown.append(
            {
                "ply": ply,
                "version": version,
                "seat": event.data["seat"],
                "move": move,
                "at": event.at,
                "by": event.by,
                "position": str(after),
                "steps": steps_json(position, move),
            }
        )
        position = after
    return shown


def _changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, list[Any]]:
    """Return each name whose value differs, with the value before and after."""
    names = [*before, *(name for name in after if name not in before)]
    return {
        name: [before.get(name), after.get(name)]
        for name in names
        if before.get(name) != after.get(name)
    }
