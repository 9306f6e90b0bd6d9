"""Forks: a new match from any version of another."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.matches import opened_response
from services.api.schemas import ForkSchema
from services.eventlog import chain_all, genesis
from services.http.credentials import app_caller, services, visible_match
from services.http.request import read_body, read_idempotency_key
from services.match import OpenMatch
from services.match.refusals import MatchNotStarted

bp = Blueprint("forks", __name__)

FORK = ForkSchema()


@bp.post("/matches/<match_id>/forks")
def fork_match(match_id: str) -> ResponseReturnValue:
    """Open a match that begins from the position of another at a version."""
    who = app_caller()
    body = read_body(FORK)
    key = read_idempotency_key(who)
    matches = services().matches
    latest = visible_match(who, match_id)
    version = body.get("version", latest.version)
    origin = matches.load_at(match_id, version)
    if origin.position is None:
        raise MatchNotStarted(origin.free_seats)
    head = chain_all(genesis(match_id), matches.events(match_id, 0, version))
    wanted = OpenMatch(
        game=origin.game,
        tenant=who.tenant,
        options=origin.options,
        rules=origin.rules,
        snapshot=origin.position.snapshot,
        clock=body.get("clock"),
        hints=origin.hints,
        origin={"match": match_id, "version": version, "hash": head},
    )
    return opened_response(
        services().opening.open_match(wanted, body["seats"], by=who.author, key=key)
    )
