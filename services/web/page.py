"""Serves the page and its modules under a strict policy: nothing from elsewhere."""

from html import escape
from pathlib import Path

from flask import Blueprint, Response, send_from_directory
from flask.typing import ResponseReturnValue

from services.web.streams import stream_base, stream_origin

STATIC = Path(__file__).parent / "static"
INDEX = (STATIC / "index.html").read_text("utf-8")
STREAM_META = '<meta name="seedlog-stream" content="">'
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self' {stream}",
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
    """Return the page; it is told where the streams are."""
    told = STREAM_META.replace('""', f'"{escape(stream_base())}"')
    text = INDEX.replace(STREAM_META, told)
    return _guarded(Response(text, content_type="text/html; charset=utf-8"))


@bp.get("/static/<path:name>")
def read_static(name: str) -> ResponseReturnValue:
    """Return a module, a style sheet or a picture of the page."""
    return _guarded(send_from_directory(STATIC, name))


def _guarded(response: Response) -> Response:
    policy = POLICY.format(stream=stream_origin())
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response
