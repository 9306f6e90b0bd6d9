"""Games: what can be played, and how a board of it is drawn."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import UnknownGame, all_games, find_game
from services.http.refusals import NoSuchGame
from services.http.representation import game_json, json_response, list_json
from services.http.request import read_query

bp = Blueprint("games", __name__)

CACHED = {"Cache-Control": "public, max-age=300"}


@bp.get("/games")
def list_games() -> ResponseReturnValue:
    """List every game."""
    read_query({})
    return json_response(list_json(map(game_json, all_games()), None), headers=CACHED)


@bp.get("/games/<key>")
def read_game(key: str) -> ResponseReturnValue:
    """Show one game."""
    read_query({})
    try:
        game = find_game(key)
    except UnknownGame as error:
        raise NoSuchGame(error.key, error.known) from error
    return json_response(game_json(game), headers=CACHED)
