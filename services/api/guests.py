"""Guests: the page opens a match without a key, and gets the tokens of its seats.

It also looks for a stranger to play, and lists what strangers play. They belong to a
tenant of their own, and how many matches they open is limited, for one address and in
total, by counters that expire.
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import find_game
from services.api.fields import pick
from services.api.schemas import BOTH, INVITED, GuestSeekSchema, OpenGuestMatchSchema
from services.api.seeks import found_or_ended, look, waited_for
from services.api.streams import stream_url
from services.http.authentication import Guest
from services.http.context import services
from services.http.limits import counted
from services.http.representation import match_json
from services.http.request import (
    need_idempotency_key,
    read_body,
    read_idempotency_key,
    read_query,
)
from services.http.responses import json_response, list_json, version_headers
from services.match import Match, OpenMatch
from services.match.refusals import NoSuchMatch, NoSuchSeat, Quarantined
from services.tenants import GUEST_TENANT

bp = Blueprint("guests", __name__)

OPEN_GUEST_MATCH = OpenGuestMatchSchema()
GUEST_SEEK = GuestSeekSchema()
MOST_LISTED = 12
LISTED = ("id", "game", "options", "ply", "position", "to_move", "created_at")


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


@bp.post("/guest-seeks")
def seek_as_guest() -> ResponseReturnValue:
    """Look for another guest who wants to play the same, and wait for a while.

    Whoever sends it again, with the same idempotency key, goes on looking: its answer
    holds the token of a seat, so no address may name the seek.
    """
    if seek_id := waited_for():
        return found_or_ended(seek_id)
    body = read_body(GUEST_SEEK)
    # Without it nobody could ask again, and an opponent would meet nobody.
    key = need_idempotency_key(Guest())
    find_game(body["game"]).complete_options(body["options"])
    counted().count_guest(once=key.key)
    return look(Guest(), {**body, "rated": False})


@bp.get("/guest-matches")
def list_guest_matches() -> ResponseReturnValue:
    """List the matches that guests play who met by chance, the newest first."""
    read_query({})
    watched = services().watched
    running: list[Match] = []
    for match_id in watched.newest():
        if len(running) == MOST_LISTED:
            break
        match = _find(match_id)
        if match is None or match.is_over:
            watched.hide(match_id)
        else:
            running.append(match)
    crowds = services().crowds
    shown = [
        {**pick(match_json(match), LISTED), "followers": crowds.used(match.id)}
        for match in running
    ]
    return json_response(list_json(shown, None))


def _find(match_id: str) -> Match | None:
    """Return a match; None if it cannot be shown any more."""
    try:
        return services().matches.load(match_id)
    except (NoSuchMatch, Quarantined):
        return None


def _player(body: Mapping[str, Any], *, is_own: bool) -> dict[str, Any]:
    """Return who is to sit at a seat from the beginning; nobody, if it stays free."""
    if is_own or body["opponent"] == BOTH:
        return {"kind": "human"}
    if body["opponent"] == INVITED:
        return {}
    return {"kind": "ai", "level": body["level"]}
