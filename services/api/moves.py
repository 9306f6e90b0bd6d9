"""Moves: recorded before they are answered, and answered with the reply if wanted."""

from functools import partial

from flask import Blueprint, current_app, request
from flask.typing import ResponseReturnValue

from services.api.replies import REPLIES, Replies
from services.api.schemas import PlayMoveSchema
from services.http.authorization import acting_seat, actor, may_act
from services.http.context import services
from services.http.refusals import ExpectedVersionMissing
from services.http.representation import acted_response
from services.http.request import (
    read_body,
    read_expected_version,
    read_idempotency_key,
)
from services.http.wire.later import LATER, Later
from services.match import Handled, PlayMove

bp = Blueprint("moves", __name__)

PLAY_MOVE = PlayMoveSchema()


@bp.post("/matches/<match_id>/moves")
def play_move(match_id: str) -> ResponseReturnValue:
    """Play a move, provided that the client has seen the latest position."""
    later: Later | None = request.environ.get(LATER)
    if later is not None and later.kept is not None:
        return _replied(*later.kept)
    who = actor()
    body = read_body(PLAY_MOVE, recurs=True)
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
    if "wait_for_reply_s" not in body:
        return acted_response(handled, body["move"])
    return _replied(handled, body["move"], body["wait_for_reply_s"])


def _replied(handled: Handled, move: str, wait_s: int = 0) -> ResponseReturnValue:
    """Answer with a move and what followed it until no AI was to move, if it is there.

    If it is not, the server may ask again when it is, within *wait_s*. A retry is
    answered like the request before, for both look into the log.
    """
    replies: Replies = current_app.extensions[REPLIES]
    reply = replies.find(handled)
    later: Later | None = request.environ.get(LATER)
    if reply is None and wait_s and later is not None:
        later.wait(partial(replies.wait, handled.match, wait_s), (handled, move))
    return acted_response(handled, move, reply or ())
