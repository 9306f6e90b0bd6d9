"""The feed of a tenant: the events of all of its matches, numbered one by one."""

from collections.abc import Collection, Sequence
from functools import partial

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.fields import ENTRY_FIELDS, pick
from services.api.streams import feed_stream_url, refuse_streams
from services.http.authorization import app_caller
from services.http.context import services
from services.http.feed import affordable, entries_json, unless_damaged
from services.http.request import MAX_NUMBER, read_names, read_number, read_query
from services.http.responses import json_response, list_json
from services.languages import Message, number_within
from services.match import EVENTS
from services.views import Place

bp = Blueprint("feed", __name__)

QUERY = {
    "cursor": Message("the seq of the last entry that was read"),
    "limit": number_within(1, 1000),
    "type": Message("types of events, with commas between them"),
    "fields": Message("members of an entry, with commas between them"),
}
TYPES = tuple(kind.type for kind in EVENTS)
LOOKED_AT = 500
"""So many entries are read for one page that wants some types only."""


@bp.get("/events")
def list_feed() -> ResponseReturnValue:
    """List the events of all matches of the tenant after a number.

    Where some types are wanted, a page ends after so many entries, whatever they are:
    the feed holds references, and what an event is, its match says.
    """
    who = app_caller()
    refuse_streams(feed_stream_url())
    query = read_query(QUERY)
    after = read_number(query, "cursor", 0, 0, MAX_NUMBER)
    limit = read_number(query, "limit", 200, 1, 1000)
    types = read_names(query, "type", QUERY["type"], TYPES)
    fields = read_names(query, "fields", QUERY["fields"], ENTRY_FIELDS)
    most = limit if types is None else LOOKED_AT
    places = services().tenant_feed.page(who.tenant, after, most + 1)
    # Not before it was read: what is trimmed in between would be a silent hole.
    services().tenant_feed.check_place(who.tenant, after)
    looked_at = places[:most]
    wanted = looked_at if types is None else _of_types(looked_at, types)
    page = affordable(services().folds, wanted[:limit])
    if len(page) < len(wanted):
        read_to = page[-1].number
    else:
        read_to = looked_at[-1].number if looked_at else after
    entries = entries_json(services().folds, page)
    more = len(page) < len(wanted) or len(looked_at) < len(places)
    shown = [pick(entry, fields) for entry in entries]
    body = list_json(shown, str(read_to) if more else None)
    body["read_to"] = read_to
    if not after and (trimmed := services().tenant_feed.trimmed(who.tenant)):
        body["trimmed_to"] = trimmed
    return json_response(body)


def _of_types(places: Sequence[Place], types: Collection[str]) -> list[Place]:
    """Return the places whose events are of some types; each match is read once."""
    versions: dict[str, list[int]] = {}
    for place in places:
        versions.setdefault(place.match_id, []).append(place.version)
    found = set()
    for match_id, told in versions.items():
        first, last = min(told), max(told)
        read = partial(services().matches.events, match_id, first - 1, last - first + 1)
        for event in unless_damaged(match_id, read) or ():
            if event.type in types:
                found.add((match_id, event.version))
    return [place for place in places if (place.match_id, place.version) in found]
