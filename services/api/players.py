"""Players: sit down at a match, and get the token of the seat."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.schemas import NothingSchema, TakeSeatSchema
from services.bootstrap import now_ms
from services.http.authorization import app_caller, may_see, visible_match
from services.http.context import services
from services.http.representation import match_json
from services.http.request import read_body, read_idempotency_key
from services.http.responses import json_response, version_headers
from services.match import Handled, RenewSeatToken

bp = Blueprint("players", __name__)

TAKE_SEAT = TakeSeatSchema()
NOTHING = NothingSchema()


@bp.post("/matches/<match_id>/players")
def take_seat(match_id: str) -> ResponseReturnValue:
    """Seat a human or an AI; a human's seat token is shown in this answer."""
    who = app_caller()
    body = read_body(TAKE_SEAT)
    key = read_idempotency_key(who)
    match = visible_match(who, match_id)
    handled = services().opening.take_seat(
        match, body, by=who.author, allow=may_see(who), key=key
    )
    return _seated(handled, handled.events[0].data["seat"], handled.replayed)


@bp.post("/matches/<match_id>/players/<seat>/token")
def renew_seat_token(match_id: str, seat: str) -> ResponseReturnValue:
    """Issue a new token for a seat; the earlier ones stop being valid."""
    who = app_caller()
    read_body(NOTHING, optional=True)
    key = read_idempotency_key(who)
    command = RenewSeatToken(seat=seat)
    handled = services().matches.handle(
        match_id, command, by=who.author, allow=may_see(who), key=key
    )
    return _seated(handled, seat, handled.replayed)


@bp.delete("/players/<player>")
@bp.delete("/players/<player>/name")
def erase_player(player: str) -> ResponseReturnValue:
    """Erase name and id of a player everywhere; logs hold references only."""
    who = app_caller()
    services().players.erase(player, who.tenant, now_ms())
    services().event_log.await_replicas()
    return "", 204


def _seated(handled: Handled, seat: str, replayed: bool) -> ResponseReturnValue:
    match = handled.match
    who = match.seats[seat]
    body: dict[str, object] = {"seat": seat, "match": match_json(match)}
    if who is not None and who.kind == "human":
        tokens = services().seat_tokens
        body["seat_token"] = tokens.issue(match.id, seat, who.generation)
    return json_response(body, 200 if replayed else 201, version_headers(match))
