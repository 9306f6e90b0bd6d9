"""Games: what can be played, and how a board of it is drawn."""

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from rules_core import UnknownGame, all_games, find_game
from services.http.game_representation import game_json
from services.http.packing import packed
from services.http.refusals import NoSuchGame
from services.http.request import read_query
from services.http.responses import json_response, list_json
from services.http.teller import language_of_reader, mark_language
from services.languages import Language

bp = Blueprint("games", __name__)

CACHED = {"Cache-Control": "public, max-age=300"}


@bp.get("/games")
def list_games() -> ResponseReturnValue:
    """List every game."""
    read_query({})
    language = language_of_reader()
    games = [game_json(game, language) for game in all_games()]
    return _cached(list_json(games, None), language)


@bp.get("/games/<key>")
def read_game(key: str) -> ResponseReturnValue:
    """Show one game."""
    read_query({})
    try:
        game = find_game(key)
    except UnknownGame as error:
        raise NoSuchGame(error.key, error.known) from error
    language = language_of_reader()
    return _cached(game_json(game, language), language)


def _cached(body: object, language: Language) -> Response:
    response = packed(json_response(body, headers=CACHED))
    mark_language(response, language)
    return response
