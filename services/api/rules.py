"""The rules of a game as a player reads them, in the language asked for."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from rules_core import UnknownGame, find_game
from services.http.refusals import NoSuchGame
from services.http.request import read_query
from services.rulebooks import SHARED, choose_language, find_rulebook

bp = Blueprint("rules", __name__)

STYLE = "/static/rulebook.css"


@bp.get("/games/<key>/rules")
def read_rules(key: str) -> ResponseReturnValue:
    """Return the rulebook of a game, or `shared`: what all games have in common."""
    read_query({})
    if key != SHARED:
        try:
            find_game(key)
        except UnknownGame as error:
            raise NoSuchGame(error.key, (*error.known, SHARED)) from error
    language = choose_language(request.headers.get("Accept-Language"))
    rulebook = find_rulebook(key, language)
    wanted = request.accept_mimetypes.best_match(
        ["text/markdown", "text/html"], default="text/markdown"
    )
    text = rulebook.page(STYLE) if wanted == "text/html" else rulebook.markdown
    response = Response(text, content_type=f"{wanted}; charset=utf-8")
    response.headers["Content-Language"] = rulebook.language
    response.headers["Vary"] = "Accept, Accept-Language"
    response.headers["Cache-Control"] = "public, max-age=300"
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'self'"
    return response
