"""Serves the JavaScript client, to the pages of every origin: it is a public file."""

from pathlib import Path

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

FOLDER = Path(__file__).parents[1] / "client" / "javascript"
MODULE, TYPES = "seedlog.js", "seedlog.d.ts"
TEXTS = {name: (FOLDER / name).read_text("utf-8") for name in (MODULE, TYPES)}
MEDIA_TYPES = {MODULE: "text/javascript", TYPES: "application/typescript"}

bp = Blueprint("client", __name__, url_prefix="/client")


@bp.get(f"/{MODULE}")
def read_module() -> ResponseReturnValue:
    """Return the client."""
    return _public(MODULE)


@bp.get(f"/{TYPES}")
def read_types() -> ResponseReturnValue:
    """Return its types."""
    return _public(TYPES)


def _public(name: str) -> Response:
    """Return a file that pages from elsewhere may import."""
    content_type = f"{MEDIA_TYPES[name]}; charset=utf-8"
    response = Response(TEXTS[name], content_type=content_type)
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request.environ)
    return response
