"""Rematches: the same players, the same game, seats changed."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.schemas import NothingSchema
from services.api.streams import stream_url
from services.http.authentication import SeatHolder, caller
from services.http.authorization import actor, visible_match
from services.http.context import services
from services.http.limits import counted
from services.http.representation import match_json
from services.http.request import read_body, read_query
from services.http.responses import json_response, list_json, version_headers
from services.match.refusals import NoSuchMatch
from services.tenants import GUEST_TENANT

bp = Blueprint("rematches", __name__)

NOTHING = NothingSchema()


@bp.post("/matches/<match_id>/rematches")
def open_rematch(match_id: str) -> ResponseReturnValue:
    """Open the rematch of a match that is over, or sit down at it."""
    who = actor()
    read_body(NOTHING, optional=True)
    match = visible_match(who, match_id)
    seat = who.claim.seat if isinstance(who, SeatHolder) else ""
    opening = services().opening
    rematch_id = opening.rematch_id(match.id)
    if match.tenant == GUEST_TENANT and not opening.is_there(rematch_id):
        counted().count_guest(once=rematch_id)
    rematch, is_new = opening.rematch(match, by=who.author, seat=seat)
    tokens = opening.seat_tokens(rematch)
    if seat:
        mine = match.other(seat)
        tokens = {mine: tokens[mine]}
    body = {
        **match_json(rematch),
        "stream_url": stream_url(rematch.id),
        "seat_tokens": tokens,
    }
    headers = {**version_headers(rematch), "Location": f"/v1/matches/{rematch.id}"}
    return json_response(body, 201 if is_new else 200, headers)


@bp.get("/matches/<match_id>/rematches")
def list_rematches(match_id: str) -> ResponseReturnValue:
    """Show the rematch of a match, if somebody wants one."""
    who = caller()
    read_query({})
    match = visible_match(who, match_id)
    try:
        rematch = services().matches.load(services().opening.rematch_id(match.id))
    except NoSuchMatch:
        return json_response(list_json([], None))
    return json_response(list_json([match_json(rematch)], None))
