"""The feed of a tenant: the events of all of its matches, numbered one by one."""

from collections.abc import Iterable, Sequence
from typing import Any

import structlog
from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.context import app_caller, services
from services.api.reading import MAX_NUMBER, read_number, read_query
from services.api.showing import json_response, list_json, told_json
from services.api.streams import feed_stream_url, refuse_streams
from services.match import Folds
from services.views import Place

bp = Blueprint("feed", __name__)

MAX_STEPS = 10_000  # events that are replayed for one page: a fraction of a second
QUERY = {
    "cursor": "the seq of the last entry that was read",
    "limit": "a whole number from 1 to 1000",
}

log = structlog.get_logger()


@bp.get("/events")
def list_feed() -> ResponseReturnValue:
    """List the events of all matches of the tenant after a number."""
    who = app_caller()
    refuse_streams(feed_stream_url())
    query = read_query(QUERY)
    after = read_number(query, "cursor", 0, 0, MAX_NUMBER)
    limit = read_number(query, "limit", 200, 1, 1000)
    services().tenant_feed.check_kept(who.tenant, after)
    places = services().tenant_feed.page(who.tenant, after, limit + 1)
    page = affordable(services().folds, places[:limit])
    shown = entries_json(services().folds, page)
    more = str(page[-1].number) if len(page) < len(places) else None
    body = list_json(shown, more)
    if not after and (trimmed := services().tenant_feed.trimmed(who.tenant)):
        body["trimmed_to"] = trimmed
    return json_response(body)


def affordable(folds: Folds, places: Sequence[Place]) -> Sequence[Place]:
    """Return the places from the first on that one page has the time to replay."""
    steps, reached = 0, dict[str, int]()
    for count, place in enumerate(places):
        match_id, version = place.match_id, place.version
        if match_id in reached:
            steps += version - reached[match_id]
        else:
            steps += folds.steps_to(match_id, version)
        reached[match_id] = version
        if count and steps > MAX_STEPS:
            return places[:count]
    return places


def entries_json(folds: Folds, places: Iterable[Place]) -> list[dict[str, Any]]:
    """Return the frames of places of a feed, each with its number and match."""
    wanted: dict[str, set[int]] = {}
    for place in places:
        wanted.setdefault(place.match_id, set()).add(place.version)
    told = {match_id: folds.tell(match_id, wanted[match_id]) for match_id in wanted}
    shown = []
    for place in places:
        found = told[place.match_id].get(place.version)
        if found is None:
            at = {"match": place.match_id, "version": place.version}
            log.error("event of the feed is not in the log", **at)
            continue
        named = {"seq": place.number, "match": place.match_id}
        shown.append(named | told_json(found))
    return shown
