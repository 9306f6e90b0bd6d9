"""The log of a match, event by event."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.context import caller, check_may_see, services
from services.api.reading import read_number, read_query
from services.api.refusals import InvalidParameter
from services.api.showing import events_json, list_json, tagged_response
from services.api.streams import refuse_streams, stream_url

bp = Blueprint("events", __name__)

QUERY = {
    "after": "a version; events after it are answered",
    "limit": "a whole number from 1 to 1000",
    "include": "position: the board after each event, and the steps of a move",
}


@bp.get("/matches/<match_id>/events")
def list_events(match_id: str) -> ResponseReturnValue:
    """List the events of a match after a version, each with the hash up to it."""
    who = caller()
    refuse_streams(stream_url(match_id))
    query = read_query(QUERY)
    after = read_number(query, "after", 0, 0, 10**9)
    limit = read_number(query, "limit", 200, 1, 1000)
    if query.get("include") not in (None, "position"):
        raise InvalidParameter("include", "left out, or position")
    match = services().matches.load(match_id)
    check_may_see(who, match)
    last = min(after + limit, match.version)
    shown = []
    if after < match.version:
        events = services().matches.events(match_id, 0, last)
        positions = "include" in query
        shown = list(events_json(match_id, events, after, positions=positions))
    more = str(last) if last < match.version else None
    return tagged_response(list_json(shown, more), match.version)
