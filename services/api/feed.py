"""The feed of a tenant: the events of all of its matches, numbered one by one."""

from collections.abc import Iterable
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.context import app_caller, services
from services.api.reading import read_number, read_query
from services.api.showing import event_json, json_response, list_json
from services.api.streams import feed_stream_url, refuse_streams
from services.eventlog import EventLog
from services.views import Place

bp = Blueprint("feed", __name__)

MAX_NUMBER = 10**15 - 1
QUERY = {
    "cursor": "the seq of the last entry that was read",
    "limit": "a whole number from 1 to 1000",
}


@bp.get("/events")
def list_feed() -> ResponseReturnValue:
    """List the events of all matches of the tenant after a number."""
    who = app_caller()
    refuse_streams(feed_stream_url())
    query = read_query(QUERY)
    after = read_number(query, "cursor", 0, 0, MAX_NUMBER)
    limit = read_number(query, "limit", 200, 1, 1000)
    places = services().tenant_feed.page(who.tenant, after, limit + 1)
    shown = entries_json(services().event_log, places[:limit])
    more = str(places[limit - 1].number) if len(places) > limit else None
    return json_response(list_json(shown, more))


def entries_json(event_log: EventLog, places: Iterable[Place]) -> list[dict[str, Any]]:
    """Return places of a feed with their events; each match is read once."""
    wanted: dict[str, list[int]] = {}
    for place in places:
        wanted.setdefault(place.match_id, []).append(place.version)
    found = {}
    for match_id, versions in wanted.items():
        first, last = min(versions), max(versions)
        for event in event_log.read(match_id, first - 1, last - first + 1):
            found[match_id, event.version] = event_json(event)
    return [
        {
            "seq": place.number,
            "match": place.match_id,
            "event": found[place.match_id, place.version],
        }
        for place in places
        if (place.match_id, place.version) in found
    ]
