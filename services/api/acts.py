"""What seats do beside moving: guess the fist, offer, answer, resign, call off."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue
from marshmallow import Schema

from services.api.schemas import (
    AnswerSchema,
    GuessFistSchema,
    NothingSchema,
    OfferSchema,
    RequestTakebackSchema,
)
from services.http.authentication import SeatHolder
from services.http.authorization import acting_seat, actor, may_act, may_see
from services.http.context import services
from services.http.representation import acted_response
from services.http.request import read_body, read_idempotency_key
from services.match import (
    Abort,
    Answer,
    Command,
    GuessFist,
    OfferDraw,
    RequestTakeback,
    Resign,
)

bp = Blueprint("acts", __name__)

OFFER = OfferSchema()
REQUEST_TAKEBACK = RequestTakebackSchema()
ANSWER = AnswerSchema()
GUESS = GuessFistSchema()
NOTHING = NothingSchema()


@bp.post("/matches/<match_id>/resignation")
def resign(match_id: str) -> ResponseReturnValue:
    """Give up a match."""
    return _act(match_id, OFFER, lambda seat, _: Resign(seat=seat))


@bp.post("/matches/<match_id>/draw-offers")
def offer_draw(match_id: str) -> ResponseReturnValue:
    """Offer a draw."""
    return _act(match_id, OFFER, lambda seat, _: OfferDraw(seat=seat))


@bp.post("/matches/<match_id>/draw-offers/answer")
def answer_draw_offer(match_id: str) -> ResponseReturnValue:
    """Accept or decline the draw that the other seat has offered."""
    return _answer(match_id, "draw")


@bp.post("/matches/<match_id>/takebacks")
def request_takeback(match_id: str) -> ResponseReturnValue:
    """Ask to go back to the position of a version."""
    return _act(
        match_id,
        REQUEST_TAKEBACK,
        lambda seat, body: RequestTakeback(seat=seat, to_version=body["to_version"]),
    )


@bp.post("/matches/<match_id>/takebacks/answer")
def answer_takeback(match_id: str) -> ResponseReturnValue:
    """Accept or decline to go back."""
    return _answer(match_id, "takeback")


@bp.post("/matches/<match_id>/guess")
def guess_fist(match_id: str) -> ResponseReturnValue:
    """Guess the fist that decides who begins."""

    def command(seat: str, body: dict[str, Any]) -> Command:
        fist, secret = services().opening.hidden_fist(match_id)
        return GuessFist(seat=seat, guess=body["fist"], fist=fist, secret=secret)

    return _act(match_id, GUESS, command)


@bp.post("/matches/<match_id>/cancellation")
def abort_match(match_id: str) -> ResponseReturnValue:
    """Call off a match before its first move."""
    who = actor()
    read_body(NOTHING, optional=True)
    key = read_idempotency_key(who)
    command = Abort(seat=who.claim.seat if isinstance(who, SeatHolder) else "")
    handled = services().matches.handle(
        match_id, command, by=who.author, allow=may_see(who), key=key
    )
    return acted_response(handled)


def _answer(match_id: str, kind: str) -> ResponseReturnValue:
    return _act(
        match_id,
        ANSWER,
        lambda seat, body: Answer(seat=seat, kind=kind, accept=body["accept"]),
    )


def _act(
    match_id: str,
    schema: Schema,
    command: Callable[[str, dict[str, Any]], Command],
) -> ResponseReturnValue:
    """Carry out an act of one seat: a seat token knows its own, an app names it."""
    who = actor()
    body = read_body(schema, optional=schema is OFFER)
    key = read_idempotency_key(who)
    seat = acting_seat(who, body.get("seat"))
    handled = services().matches.handle(
        match_id,
        command(seat, body),
        by=who.author,
        allow=may_act(who, seat),
        key=key,
    )
    return acted_response(handled)
