"""Matches: open, list and read them, at any version."""

import secrets
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import find_game
from services.api.context import app_caller, caller, services
from services.api.reading import (
    read_body,
    read_idempotency_key,
    read_number,
    read_query,
)
from services.api.refusals import InvalidParameter
from services.api.schemas import OpenMatchSchema
from services.api.showing import (
    json_response,
    layout_json,
    list_json,
    match_json,
    row_json,
    tagged_response,
    version_headers,
)
from services.api.streams import stream_url
from services.api.versions import visible_match_at
from services.eventlog import IdempotencyKey
from services.match import Match, OpenMatch, Player, fist_commitment
from services.match.decide import FISTS
from services.match.service import STREAM_PREFIX
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
    return opened_response(*open_for(who.tenant, who.author, body, key))


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
    body = match_json(match)
    if "include" in query:
        body["layout"] = layout_json(find_game(match.game).layout(match.options))
    if not is_frozen:
        body["stream_url"] = stream_url(match_id)
    return tagged_response(body, match.version, frozen=is_frozen)


def open_for(
    tenant: str, author: str, body: dict[str, Any], key: IdempotencyKey | None
) -> tuple[Match, int]:
    """Open a match for a tenant; return it with the HTTP status of the answer.

    With a key the id follows from tenant and key: the same request finds its match.
    """
    tokens = services().seat_tokens
    name = (
        tokens.derive("match", f"{tenant} {key.key}", 22)
        if key
        else secrets.token_urlsafe(16)
    )
    match_id = STREAM_PREFIX + name.replace("-", "x").replace("_", "y")
    seats = {
        seat: seat_player(match_id, tenant, seat, given)
        for seat, given in body["seats"].items()
    }
    command = OpenMatch(
        game=body["game"],
        tenant=tenant,
        options=body["options"],
        starter=body.get("starter"),
        drawn=ord(tokens.derive("starter", match_id, 1)) % 2,
        commitment=fist_commitment(*hidden_fist(match_id)),
        position=body.get("position"),
        snapshot=body.get("snapshot"),
        rules=body.get("rules"),
        origin=body.get("origin", {}),
        seats=seats,
    )
    handled = services().matches.handle(match_id, command, by=author, key=key)
    return handled.match, 200 if handled.replayed else 201


def hidden_fist(match_id: str) -> tuple[str, str]:
    """Return the fist of a match and its secret; only the server can derive them."""
    derive = services().seat_tokens.derive
    fist = FISTS[ord(derive("fist", match_id, 1)) % 2]
    return fist, derive("fist secret", match_id, 32)


def seat_player(
    match_id: str, tenant: str, seat: str | None, given: dict[str, Any]
) -> Player:
    """Return who is to sit; a human's name is kept beside the log, not in it."""
    if given["kind"] == "ai":
        return Player(kind="ai", level=given["level"])
    text = f"{match_id} {seat} {given.get('name', '')}"
    reference = f"ply_{services().seat_tokens.derive('player', text, 16)}"
    if "name" in given:
        services().players.register(reference, tenant, given["name"])
    return Player(kind="human", player=reference)


def tokens_json(match: Match) -> dict[str, str]:
    """Return the seat tokens of the humans of a match."""
    return {
        seat: services().seat_tokens.issue(match.id, seat, who.generation)
        for seat, who in match.seats.items()
        if who is not None and who.kind == "human"
    }


def opened_response(match: Match, status: int) -> ResponseReturnValue:
    """Answer with a new match and the tokens of its human seats."""
    body = {
        **match_json(match),
        "stream_url": stream_url(match.id),
        "seat_tokens": tokens_json(match),
    }
    headers = {**version_headers(match), "Location": f"/v1/matches/{match.id}"}
    return json_response(body, status, headers)
