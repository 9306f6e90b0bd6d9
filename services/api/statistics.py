"""What was counted: how the matches of each game went."""

from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import Game, all_games
from services.http.authorization import app_caller
from services.http.context import services
from services.http.request import read_query
from services.http.responses import json_response, list_json

bp = Blueprint("statistics", __name__)

STATUSES = ("opened", "open", "running", "finished", "aborted")


@bp.get("/statistics")
def list_statistics() -> ResponseReturnValue:
    """Count the matches of the app's tenant, game by game."""
    who = app_caller()
    read_query({})
    rows = [_statistics_json(who.tenant, game) for game in all_games()]
    return json_response(list_json(rows, None))


def _statistics_json(tenant: str, game: Game) -> dict[str, Any]:
    counts = services().match_list.statistics(tenant, game.key)
    finished = counts.get("finished", 0)
    moves = counts.get("moves", 0)
    return {
        "game": game.key,
        **{status: counts.get(status, 0) for status in STATUSES},
        "winners": _named(counts, "winner"),
        "reasons": _named(counts, "reason"),
        "moves": moves,
        "moves_per_match": round(moves / finished, 1) if finished else None,
    }


def _named(counts: dict[str, int], kind: str) -> dict[str, int]:
    prefix = f"{kind}:"
    return {
        name.removeprefix(prefix): count
        for name, count in sorted(counts.items())
        if name.startswith(prefix)
    }
