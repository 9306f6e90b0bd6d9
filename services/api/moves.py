"""Moves and resignations: what a seat does, recorded before it is answered."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import Position
from services.api.context import acting_seat, caller, may_act, services
from services.api.reading import (
    read_body,
    read_expected_version,
    read_idempotency_key,
)
from services.api.refusals import ExpectedVersionMissing
from services.api.schemas import PlayMoveSchema, ResignSchema
from services.api.showing import (
    event_json,
    json_response,
    match_json,
    steps_json,
    version_headers,
)
from services.match import Handled, PlayMove, Resign

bp = Blueprint("moves", __name__)

PLAY_MOVE = PlayMoveSchema()
RESIGN = ResignSchema()


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
    return _acted(handled, handled.before.position, body["move"])


@bp.post("/matches/<match_id>/resignation")
def resign(match_id: str) -> ResponseReturnValue:
    """Give up a match."""
    who = caller()
    body = read_body(RESIGN, optional=True)
    key = read_idempotency_key(who)
    seat = acting_seat(who, body.get("seat"))
    handled = services().matches.handle(
        match_id,
        Resign(seat=seat),
        by=who.author,
        allow=may_act(who, seat),
        key=key,
    )
    return _acted(handled, None, "")


def _acted(handled: Handled, before: Position | None, move: str) -> ResponseReturnValue:
    """Answer with the match, the new events, and what there is to see of a move."""
    match = handled.match
    body = {
        "match": match_json(match),
        "events": [event_json(event) for event in handled.events],
        "steps": steps_json(before, move) if before else [],
    }
    status = 200 if handled.replayed else 201
    return json_response(body, status, version_headers(match))
