"""Guests: the page opens a match without a key, and gets the tokens of its seats.

They belong to a tenant of their own, and how many matches they open is limited, for one
address and in total, by counters that expire.
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import find_game
from services.api.schemas import BOTH, INVITED, OpenGuestMatchSchema
from services.api.streams import stream_url
from services.http.credentials import Guest, services
from services.http.limits import counted
from services.http.representation import json_response, match_json, version_headers
from services.http.request import read_body, read_idempotency_key
from services.match import OpenMatch
from services.match.refusals import NoSuchSeat
from services.tenants import GUEST_TENANT

bp = Blueprint("guests", __name__)

OPEN_GUEST_MATCH = OpenGuestMatchSchema()


@bp.post("/guest-matches")
def open_guest_match() -> ResponseReturnValue:
    """Open a match of a guest: against an AI, somebody invited, or at one screen."""
    body = read_body(OPEN_GUEST_MATCH)
    seats = find_game(body["game"]).seats
    seat = body.get("seat", seats[0])
    if seat not in seats:
        raise NoSuchSeat(seat, seats)
    key = read_idempotency_key(Guest())
    opening = services().opening
    if key is None or not opening.is_there(opening.match_id(GUEST_TENANT, key)):
        counted().count_guest(once=key.key if key else "")
    wanted = OpenMatch(
        game=body["game"],
        tenant=GUEST_TENANT,
        options=body["options"],
        starter=body.get("starter"),
        clock=body.get("clock"),
        rated=body["opponent"] != BOTH and not body["hints"],
        hints=body["hints"],
    )
    players = {name: _player(body, is_own=name == seat) for name in seats}
    players = {name: who for name, who in players.items() if who}
    handled = opening.open_match(wanted, players, by="guest", key=key)
    match = handled.match
    shown = {
        **match_json(match),
        "stream_url": stream_url(match.id),
        "seat": seat,
        "seat_tokens": opening.seat_tokens(match),
    }
    headers = {**version_headers(match), "Location": f"/v1/matches/{match.id}"}
    return json_response(shown, 200 if handled.replayed else 201, headers)


def _player(body: Mapping[str, Any], *, is_own: bool) -> dict[str, Any]:
    """Return who is to sit at a seat from the beginning; nobody, if it stays free."""
    if is_own or body["opponent"] == BOTH:
        return {"kind": "human"}
    if body["opponent"] == INVITED:
        return {}
    return {"kind": "ai", "level": body["level"]}
