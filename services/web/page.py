"""Serves the page and its modules under a strict policy: nothing from elsewhere."""

from pathlib import Path

from flask import Blueprint, Response, send_from_directory
from flask.typing import ResponseReturnValue

STATIC = Path(__file__).parent / "static"
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ]
)

bp = Blueprint("page", __name__)


@bp.get("/")
def read_page() -> ResponseReturnValue:
    """Return the page."""
    return _send("index.html")


@bp.get("/static/<path:name>")
def read_static(name: str) -> ResponseReturnValue:
    """Return a module, a style sheet or a picture of the page."""
    return _send(name)


def _send(name: str) -> Response:
    response = send_from_directory(STATIC, name)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response
