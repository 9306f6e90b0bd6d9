"""Serves the interactive reference of the API, from this package alone."""

from pathlib import Path

from flask import Blueprint, send_from_directory
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from services.web.guard import guarded

FOLDER = Path(__file__).parent / "reference"
SERVED = ("swagger-ui-bundle.js", "swagger-ui.css", "start.js")

bp = Blueprint("reference", __name__, url_prefix="/docs")


@bp.get("")
def read_reference() -> ResponseReturnValue:
    """Return the page; whoever reads it types a key in to try things out."""
    return guarded(send_from_directory(FOLDER, "index.html"))


@bp.get("/<name>")
def read_reference_part(name: str) -> ResponseReturnValue:
    """Return what the page consists of."""
    if name not in SERVED:
        raise NotFound
    return guarded(send_from_directory(FOLDER, name))
