"""Forks: a new match from any version of another."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.matches import opened_response
from services.api.schemas import ForkSchema
from services.eventlog import chain_all, genesis
from services.http.authentication import App
from services.http.authorization import deciding_caller
from services.http.context import services
from services.http.limits import counted
from services.http.refusals import InvalidBody
from services.http.request import read_body, read_idempotency_key
from services.languages import Message
from services.match import OpenMatch
from services.match.decide import position_of

bp = Blueprint("forks", __name__)

FORK = ForkSchema()
NO_NAMES = Message("guests have no names; leave it out")


@bp.post("/matches/<match_id>/forks")
def fork_match(match_id: str) -> ResponseReturnValue:
    """Open a match that begins from the position of another at a version."""
    who, latest = deciding_caller(match_id, spectators=True)
    body = read_body(FORK)
    key = read_idempotency_key(who)
    matches, opening = services().matches, services().opening
    if not isinstance(who, App):
        _check_unnamed(body["seats"])
        if key is None or not opening.is_there(opening.match_id(latest.tenant, key)):
            counted().count_guest(once=key.key if key else "")
    version = body.get("version", latest.version)
    origin = matches.load_at(match_id, version)
    position = position_of(origin)
    head = chain_all(genesis(match_id), matches.events(match_id, 0, version))
    wanted = OpenMatch(
        game=origin.game,
        tenant=latest.tenant,
        options=origin.options,
        rules=origin.rules,
        snapshot=position.snapshot,
        clock=body.get("clock"),
        hints=origin.hints,
        origin={"match": match_id, "version": version, "hash": head},
    )
    by = who.author if isinstance(who, App) else "guest"
    return opened_response(opening.open_match(wanted, body["seats"], by=by, key=key))


def _check_unnamed(seats: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse names of guests: they have none."""
    errors = [
        {"pointer": f"/seats/{seat}/{member}", "detail": NO_NAMES}
        for seat, who in seats.items()
        for member in ("name", "player")
        if member in who
    ]
    if errors:
        raise InvalidBody(errors)
