"""Serves the script by which other sites show boards and matches: a public file."""

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

SCRIPT = 'import "./static/embed.js";\n'

bp = Blueprint("embed", __name__)


@bp.get("/embed.js")
def read_embed() -> ResponseReturnValue:
    """Return the script that brings `<seedlog-board>` and `<seedlog-match>`."""
    response = Response(SCRIPT, content_type="text/javascript; charset=utf-8")
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request.environ)
    return response
