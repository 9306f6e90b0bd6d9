"""Positions: what the rules say of a board that the server does not keep."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import Position, parse, play_all, restore, start
from rules_core.snapshot import FORMAT
from services.api.schemas import PositionSchema
from services.http.authentication import App
from services.http.authorization import actor, visible_match
from services.http.game_representation import position_json, steps_json
from services.http.limits import analyses_policy, counted
from services.http.request import read_body
from services.http.responses import json_response
from services.tenants import GUEST_TENANT

bp = Blueprint("positions", __name__)

POSITION = PositionSchema()


@bp.post("/positions")
def compute_position() -> ResponseReturnValue:
    """Show what can be done in a position, or what a move in it leads to.

    Nothing is recorded. A key or a seat token is needed all the same, for it costs the
    server time: guests have a token, and how many they get is limited.
    """
    who = actor(writes=False)
    if isinstance(who, App):
        tenant = who.tenant
    else:  # a token that was replaced is none
        tenant = visible_match(who, who.claim.match_id).tenant
    asks = who.scope if tenant == GUEST_TENANT else tenant  # guests are many
    counted().count(analyses_policy(tenant), asks)
    body = read_body(POSITION)
    position = play_all(first_position(body), body["moves"])
    shown_steps: list[dict[str, Any]] = []
    if "move" in body:
        shown_steps = steps_json(position, body["move"])
        position = position.play(body["move"])
    return json_response({**position_json(position), "steps": shown_steps})


def first_position(body: Mapping[str, Any]) -> Position:
    """Return the position that moves are played from: given, or a start."""
    given = body.get("position")
    if given is None:
        return start(body["game"], body["options"], body.get("starter"))
    read = restore if given.startswith(f"{FORMAT}|") else _parse
    return read(body["game"], body["options"], given)


def _parse(game: str, options: Mapping[str, object], text: str) -> Position:
    return parse(game, text, options)
