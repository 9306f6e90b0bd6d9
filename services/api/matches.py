"""Matches: open and read them, at any version."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import find_game
from services.api.fields import match_fields, pick
from services.api.schemas import OpenMatchSchema
from services.api.streams import stream_url
from services.api.versions import visible_match_at
from services.bootstrap import now_ms
from services.http.authentication import caller
from services.http.authorization import app_caller
from services.http.context import services
from services.http.game_representation import layout_json
from services.http.refusals import InvalidParameter
from services.http.representation import match_json
from services.http.request import (
    read_body,
    read_idempotency_key,
    read_names,
    read_query,
)
from services.http.responses import json_response, tagged_response, version_headers
from services.languages import Message
from services.match import Handled, OpenMatch

bp = Blueprint("matches", __name__)

OPEN_MATCH = OpenMatchSchema()
READ_QUERY = {
    "version": Message("a version of the match"),
    "include": Message("left out, or layout: where the places of the board are drawn"),
    "fields": Message("members of a match, with commas between them"),
}


@bp.post("/matches")
def open_match() -> ResponseReturnValue:
    """Open a match and fill the seats that the request names."""
    who = app_caller()
    body = read_body(OPEN_MATCH)
    key = read_idempotency_key(who)
    wanted = OpenMatch(
        game=body["game"],
        tenant=who.tenant,
        options=body["options"],
        starter=body.get("starter"),
        position=body.get("position"),
        clock=body.get("clock"),
        rated=body["rated"],
        hints=body.get("hints", not body["rated"]),
    )
    return opened_response(
        services().opening.open_match(wanted, body["seats"], by=who.author, key=key)
    )


@bp.get("/matches/<match_id>")
def read_match(match_id: str) -> ResponseReturnValue:
    """Show a match as it is, or as it was at a version."""
    who = caller()
    query = read_query(READ_QUERY)
    if query.get("include") not in (None, "layout"):
        raise InvalidParameter("include", READ_QUERY["include"])
    fields = read_names(query, "fields", READ_QUERY["fields"], match_fields())
    match, is_frozen = visible_match_at(who, match_id, query)
    body = match_json(match, None if is_frozen else now_ms())
    if not is_frozen:
        body["stream_url"] = stream_url(match_id)
    body = pick(body, fields)
    if "include" in query:
        body["layout"] = layout_json(find_game(match.game).layout(match.options))
    return tagged_response(body, match.version, frozen=is_frozen)


def opened_response(handled: Handled) -> ResponseReturnValue:
    """Answer with a new match and the tokens of its human seats."""
    match = handled.match
    body = {
        **match_json(match),
        "stream_url": stream_url(match.id),
        "seat_tokens": services().opening.seat_tokens(match),
    }
    headers = {**version_headers(match), "Location": f"/v1/matches/{match.id}"}
    return json_response(body, 200 if handled.replayed else 201, headers)
