"""The log of a match, event by event."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.fields import ENTRY_FIELDS, pick
from services.api.streams import refuse_streams, stream_url
from services.http.authentication import caller
from services.http.authorization import visible_match
from services.http.context import services
from services.http.refusals import InvalidParameter
from services.http.representation import events_json
from services.http.request import MAX_VERSION, read_names, read_number, read_query
from services.http.responses import list_json, tagged_response
from services.languages import Message, number_within
from services.match.refusals import NoSuchVersion

bp = Blueprint("events", __name__)

QUERY = {
    "after": Message("a version; events after it are answered"),
    "limit": number_within(1, 1000),
    "include": Message("position: the board after each event, and the steps of a move"),
    "version": Message("a version of the match; the log as it was then"),
    "fields": Message("members of an event, with commas between them"),
}


@bp.get("/matches/<match_id>/events")
def list_events(match_id: str) -> ResponseReturnValue:
    """List the events of a match after a version, each with the hash up to it.

    :raises NoSuchVersion: the log is asked for as it was at a version to come.
    """
    who = caller()
    refuse_streams(stream_url(match_id))
    query = read_query(QUERY)
    after = read_number(query, "after", 0, 0, MAX_VERSION)
    limit = read_number(query, "limit", 200, 1, 1000)
    if query.get("include") not in (None, "position"):
        raise InvalidParameter("include", Message("left out, or position"))
    fields = read_names(query, "fields", QUERY["fields"], ENTRY_FIELDS[2:])
    match = visible_match(who, match_id)
    is_frozen = "version" in query
    end = read_number(query, "version", match.version, 1, MAX_VERSION)
    if end > match.version:
        raise NoSuchVersion(end, match.version)
    last = min(after + limit, end)
    shown = []
    if after < end:
        events = services().matches.events(match_id, 0, last)
        positions = "include" in query
        told = events_json(match_id, events, after, positions=positions)
        shown = [pick(event, fields) for event in told]
    more = str(last) if last < end else None
    return tagged_response(list_json(shown, more), end, frozen=is_frozen)
