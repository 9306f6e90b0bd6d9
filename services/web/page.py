"""Serves the page and its modules under a strict policy: nothing from elsewhere."""

import json
import re
from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path

from flask import Blueprint, Response, current_app, request, send_from_directory
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from services.languages import LANGUAGES, NAMES, choose_language, language_of
from services.web.guard import NOBODY, guarded
from services.web.streams import stream_base
from services.web.words import tell_all

STATIC = Path(__file__).parent / "static"
INDEX = (STATIC / "index.html").read_text("utf-8")
STREAM_META = '<meta name="seedlog-stream" content="">'
STRICTER = ("font-src 'self'", "require-trusted-types-for 'script'")

SAID = re.compile(r'(data-say="([\w.-]+)"[^>]*>)(?=</)')
NAMED = re.compile(r'data-name="([\w.-]+)"')
CONTENT = re.compile(r'content="" data-content="([\w.-]+)"')

ANCESTORS = "SEEDLOG_ANCESTORS"

bp = Blueprint("page", __name__)


@bp.get("/")
def read_page() -> ResponseReturnValue:
    """Return the page, in the language of `lang` or else as the browser likes it.

    Its script knows better if another was chosen before. It is told where the streams
    are.
    """
    wanted = request.args.get("lang", "")
    header = request.headers.get("Accept-Language")
    code = wanted if wanted in LANGUAGES else choose_language(header)
    told = STREAM_META.replace('""', f'"{escape(stream_base())}"')
    text = _in_language(code).replace(STREAM_META, told)
    page = Response(text, content_type="text/html; charset=utf-8")
    page.headers["Content-Language"] = code
    page.vary.add("Accept-Language")
    return guarded(page, *STRICTER, ancestors=_ancestors(request.args.get("match", "")))


def _ancestors(match_id: str) -> str:
    """Return whose pages may have a match in a frame: those its tenant lets in."""
    find: Callable[[str], str] = current_app.config[ANCESTORS]
    return (find(match_id) if match_id else "") or NOBODY


@bp.get("/words/<code>.js")
def read_words(code: str) -> ResponseReturnValue:
    """Return every text of the page in a language, as a module; for any origin."""
    if code not in LANGUAGES:
        raise NotFound
    module = Response(_words(code), content_type="text/javascript; charset=utf-8")
    module.headers["Access-Control-Allow-Origin"] = "*"
    module.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    module.add_etag()
    return guarded(module, *STRICTER).make_conditional(request.environ)


@bp.get("/static/<path:name>")
def read_static(name: str) -> ResponseReturnValue:
    """Return a module, a style sheet or a picture; pages from elsewhere may have it.

    They draw boards by it (`embed.js`); nothing in it is for some people only.
    """
    response = send_from_directory(STATIC, name)
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return guarded(response, *STRICTER)


@cache
def _words(code: str) -> str:
    told = json.dumps(tell_all(language_of(code)), ensure_ascii=False, indent=0)
    return f"export default {told};\n"


@cache
def _in_language(code: str) -> str:
    """Return index.html with its texts, so that they are there before any script."""
    told = tell_all(language_of(code))

    def say(key: str) -> str:
        return escape(str(told[key]))

    options = "".join(
        f'<option value="{each}" lang="{each}" data-words="/words/{each}.js"'
        f"{' selected' if each == code else ''}>{NAMES[each]}</option>"
        for each in LANGUAGES
    )
    words = f'<link rel="modulepreload" href="/words/{code}.js">'
    page = INDEX.replace('<html lang="en">', f'<html lang="{code}">')
    page = page.replace("<!-- words -->", words)
    page = page.replace('<select id="language">', f'<select id="language">{options}')
    page = SAID.sub(lambda found: found[1] + say(found[2]), page)
    page = CONTENT.sub(lambda found: f'content="{say(found[1])}"', page)
    return NAMED.sub(lambda found: _named(found[0], say(found[1])), page)


def _named(attribute: str, name: str) -> str:
    return f'{attribute} aria-label="{name}" title="{name}"'
