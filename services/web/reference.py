"""Serves the interactive reference of the API, from this package alone."""

from pathlib import Path

from flask import Blueprint, Response, send_from_directory
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from services.web.streams import stream_origin

FOLDER = Path(__file__).parent / "reference"
SERVED = ("swagger-ui-bundle.js", "swagger-ui.css", "start.js")
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self' {stream}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)

bp = Blueprint("reference", __name__, url_prefix="/docs")


@bp.get("")
def read_reference() -> ResponseReturnValue:
    """Return the page; whoever reads it types a key in to try things out."""
    return _guarded(send_from_directory(FOLDER, "index.html"))


@bp.get("/<name>")
def read_reference_part(name: str) -> ResponseReturnValue:
    """Return what the page consists of."""
    if name not in SERVED:
        raise NotFound
    return _guarded(send_from_directory(FOLDER, name))


def _guarded(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY.format(stream=stream_origin())
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response
