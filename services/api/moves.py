"""Moves: recorded before they are answered."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.schemas import PlayMoveSchema
from services.http.credentials import acting_seat, caller, may_act, services
from services.http.refusals import ExpectedVersionMissing
from services.http.representation import acted_response
from services.http.request import (
    read_body,
    read_expected_version,
    read_idempotency_key,
)
from services.match import PlayMove

bp = Blueprint("moves", __name__)

PLAY_MOVE = PlayMoveSchema()


@bp.post("/matches/<match_id>/moves")
def play_move(match_id: str) -> ResponseReturnValue:
    """Play a move, provided that the client has seen the latest position."""
    who = caller()
    body = read_body(PLAY_MOVE)
    expected = read_expected_version(body)
    key = read_idempotency_key(who)
    if expected is None:
        raise ExpectedVersionMissing
    seat = acting_seat(who, body.get("seat"))
    handled = services().matches.handle(
        match_id,
        PlayMove(seat=seat, move=body["move"]),
        by=who.author,
        allow=may_act(who, seat),
        expected_version=expected,
        key=key,
    )
    return acted_response(handled, body["move"])
