"""Serves the script by which other sites show boards and matches: a public file."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.web.assets import kept_response, script

bp = Blueprint("embed", __name__)


@bp.get("/embed.js")
def read_embed() -> ResponseReturnValue:
    """Return the script that brings `<seedlog-board>` and `<seedlog-match>`."""
    response = kept_response(script("embed"))
    response.headers["Cache-Control"] = "no-cache"  # its name never changes
    return response
