"""Serves the page and its modules under a strict policy: nothing from elsewhere."""

from html import escape
from pathlib import Path

from flask import Blueprint, Response, send_from_directory
from flask.typing import ResponseReturnValue

from services.web.guard import guarded
from services.web.streams import stream_base

STATIC = Path(__file__).parent / "static"
INDEX = (STATIC / "index.html").read_text("utf-8")
STREAM_META = '<meta name="seedlog-stream" content="">'
STRICTER = ("font-src 'self'", "require-trusted-types-for 'script'")

bp = Blueprint("page", __name__)


@bp.get("/")
def read_page() -> ResponseReturnValue:
    """Return the page; it is told where the streams are."""
    told = STREAM_META.replace('""', f'"{escape(stream_base())}"')
    text = INDEX.replace(STREAM_META, told)
    page = Response(text, content_type="text/html; charset=utf-8")
    return guarded(page, *STRICTER)


@bp.get("/static/<path:name>")
def read_static(name: str) -> ResponseReturnValue:
    """Return a module, a style sheet or a picture of the page."""
    return guarded(send_from_directory(STATIC, name), *STRICTER)
