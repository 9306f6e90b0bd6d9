"""The rules of a game as a player reads them, in the language asked for."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from rules_core import UnknownGame, find_game
from services.http.refusals import InvalidParameter, NoSuchGame
from services.http.request import read_query
from services.languages import LANGUAGES, Message
from services.rulebooks import SHARED, choose_language, find_rulebook
from services.web.rulebook import POLICY, rulebook_page

bp = Blueprint("rules", __name__)

QUERY = {"lang": Message("one of {known}", known=LANGUAGES)}


@bp.get("/games/<key>/rules")
def read_rules(key: str) -> ResponseReturnValue:
    """Return the rulebook of a game, or `shared`: what all games have in common."""
    query = read_query(QUERY)
    if query.get("lang", LANGUAGES[0]) not in LANGUAGES:
        raise InvalidParameter("lang", QUERY["lang"])
    if key != SHARED:
        try:
            find_game(key)
        except UnknownGame as error:
            raise NoSuchGame(error.key, (*error.known, SHARED)) from error
    header = request.headers.get("Accept-Language")
    language = query.get("lang") or choose_language(header)
    rulebook = find_rulebook(key, language)
    wanted = request.accept_mimetypes.best_match(
        ["text/markdown", "text/html"], default="text/markdown"
    )
    text = rulebook.markdown
    if wanted == "text/html":
        text = rulebook_page(rulebook, language)
    response = Response(text, content_type=f"{wanted}; charset=utf-8")
    response.headers["Content-Language"] = rulebook.language
    response.headers["Vary"] = "Accept, Accept-Language"
    response.headers["Cache-Control"] = "public, max-age=300"
    response.headers["Content-Security-Policy"] = POLICY
    return response
