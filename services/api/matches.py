"""Matches: open, list and read them, at any version."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import find_game
from services.api.schemas import OpenMatchSchema
from services.api.streams import stream_url
from services.api.versions import visible_match_at
from services.bootstrap import now_ms
from services.http.credentials import app_caller, caller, services
from services.http.refusals import InvalidParameter
from services.http.representation import (
    json_response,
    layout_json,
    list_json,
    match_json,
    row_json,
    tagged_response,
    version_headers,
)
from services.http.request import (
    read_body,
    read_idempotency_key,
    read_number,
    read_query,
)
from services.match import Handled, OpenMatch
from services.names import ALPHABET, is_name

bp = Blueprint("matches", __name__)

OPEN_MATCH = OpenMatchSchema()
STATUSES = ("open", "running", "finished", "aborted")
READ_QUERY = {
    "version": "a version of the match",
    "include": "left out, or layout: where the places of the board are drawn",
}
LIST_QUERY = {
    "game": "the key of a game",
    "status": " or ".join(STATUSES),
    "player": "a player reference, for the history of one player",
    "cursor": "the next_cursor of the page before",
    "limit": "a whole number from 1 to 200",
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
    )
    return opened_response(
        services().opening.open_match(wanted, body["seats"], by=who.author, key=key)
    )


@bp.get("/matches")
def list_matches() -> ResponseReturnValue:
    """List the matches of the app's tenant, the newest first."""
    who = app_caller()
    query = read_query(LIST_QUERY)
    if query.get("status") not in (None, *STATUSES):
        raise InvalidParameter("status", LIST_QUERY["status"])
    for name in ("game", "player"):
        if name in query and not is_name(query[name]):
            raise InvalidParameter(name, f"{LIST_QUERY[name]}, {ALPHABET}")
    page = services().match_list.page(
        who.tenant,
        game=query.get("game"),
        status=query.get("status"),
        player=query.get("player"),
        cursor=query.get("cursor"),
        limit=read_number(query, "limit", 50, 1, 200),
    )
    players = {
        seat["player"]
        for row in page.rows
        for seat in row["seats"].values()
        if seat and seat["player"]
    }
    names = services().players.names(players)
    rows = [row_json(row, names) for row in page.rows]
    return json_response(list_json(rows, page.next_cursor))


@bp.get("/matches/<match_id>")
def read_match(match_id: str) -> ResponseReturnValue:
    """Show a match as it is, or as it was at a version."""
    who = caller()
    query = read_query(READ_QUERY)
    if query.get("include") not in (None, "layout"):
        raise InvalidParameter("include", READ_QUERY["include"])
    match, is_frozen = visible_match_at(who, match_id, query)
    body = match_json(match, None if is_frozen else now_ms())
    if "include" in query:
        body["layout"] = layout_json(find_game(match.game).layout(match.options))
    if not is_frozen:
        body["stream_url"] = stream_url(match_id)
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
