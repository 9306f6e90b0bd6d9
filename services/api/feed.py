"""The feed of a tenant: the events of all of its matches, numbered one by one."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.streams import feed_stream_url, refuse_streams
from services.http.credentials import app_caller, services
from services.http.feed import affordable, entries_json
from services.http.representation import json_response, list_json
from services.http.request import MAX_NUMBER, read_number, read_query

bp = Blueprint("feed", __name__)

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
    services().tenant_feed.check_place(who.tenant, after)
    places = services().tenant_feed.page(who.tenant, after, limit + 1)
    page = affordable(services().folds, places[:limit])
    shown = entries_json(services().folds, page)
    more = str(page[-1].number) if len(page) < len(places) else None
    body = list_json(shown, more)
    if not after and (trimmed := services().tenant_feed.trimmed(who.tenant)):
        body["trimmed_to"] = trimmed
    return json_response(body)
