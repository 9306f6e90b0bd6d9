"""Serves the page under a strict policy: nothing from elsewhere, nothing inline."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from html import escape

from flask import Blueprint, Response, current_app, request, send_from_directory
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from services.languages import LANGUAGES, choose_language, language_of
from services.web.assets import NAMED as NAMED_STYLES
from services.web.assets import (
    STATIC,
    Asset,
    kept_response,
    later_script,
    named,
    script,
    style,
    words_of,
)
from services.web.guard import NOBODY, guarded
from services.web.streams import stream_base
from services.web.words import language_options, tell_all
from services.web.written import written

INDEX = written(STATIC / "index.html")
PROOF = written(STATIC / "proof.html")
ASTRAY = written(STATIC / "astray.html")
STREAM_META = '<meta name="seedlog-stream" content="">'
MAIN, LATER_ENTRY = "main", "later"
LATER = "/static/later.js"
STRICTER = (
    "font-src 'self'",
    "worker-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types notices",
)

STYLES = re.compile(r'(?:<link rel="stylesheet" href="/static/[^"]+">\n)+')
STYLE = re.compile(r'href="/static/([^"]+)"')
SCRIPT = re.compile(r'<script type="module" src="/static/[^"]+\.js"></script>')
SAID = re.compile(r'(data-say="([\w.-]+)"[^>]*>)(?=</)')
NAMED = re.compile(r'data-name="([\w.-]+)"')
CONTENT = re.compile(r'content="" data-content="([\w.-]+)"')

OF_ANOTHER = re.compile(r"([\w-]{1,40})\.[0-9a-f]{12}\.(js|css)")

ANCESTORS = "SEEDLOG_ANCESTORS"

bp = Blueprint("page", __name__)


@bp.get("/")
def read_page() -> ResponseReturnValue:
    """Return the page, in the language of `lang` or else as the browser likes it.

    Its script knows better if another was chosen before. It is told where the streams
    are.
    """
    code = _language()
    ancestors = _ancestors(request.args.get("match", ""))
    return _told(_page(code, stream_base()), code, ancestors)


def _ancestors(match_id: str) -> str:
    """Return whose pages may have a match in a frame: those its tenant lets in."""
    find: Callable[[str], str] = current_app.config[ANCESTORS]
    return (find(match_id) if match_id else "") or NOBODY


@bp.get("/proof")
def read_proof() -> ResponseReturnValue:
    """Return the audit view: whoever has an export, or a match, verifies it there."""
    code = _language()
    return _told(Asset("proof", "html", _in_language(code, PROOF, "proof/page")), code)


def likes_pages() -> bool:
    """Tell whether a request comes from somebody who looks, and not from an app."""
    accepted = request.accept_mimetypes
    return accepted["text/html"] > accepted["application/problem+json"]


def astray_page() -> Response:
    """Return what is said, and where one can go, where there is nothing."""
    code = _language()
    page = Asset("astray", "html", _in_language(code, ASTRAY)).response()
    page.status_code = 404
    page.headers["Content-Language"] = code
    page.vary.update(("Accept", "Accept-Language"))
    return uncached(guarded(page, *STRICTER))


def _language() -> str:
    """Return the language that is asked for by `lang`, or else the browser likes."""
    wanted = request.args.get("lang", "")
    header = request.headers.get("Accept-Language")
    return wanted if wanted in LANGUAGES else choose_language(header)


def _told(page: Asset, code: str, ancestors: str = NOBODY) -> ResponseReturnValue:
    """Return a page of a language, unless the browser has it."""
    answer = page.response()
    answer.headers["Content-Language"] = code
    answer.vary.add("Accept-Language")
    guarded(answer, *STRICTER, ancestors=ancestors)
    return answer.make_conditional(request.environ)


@bp.get("/words/<code>.js")
def read_words(code: str) -> ResponseReturnValue:
    """Return every text of the page in a language, as a module; for any origin."""
    if code not in LANGUAGES:
        raise NotFound
    return uncached(kept_response(words_of(code), *STRICTER))


@bp.get("/assets/<name>")
def read_asset(name: str) -> ResponseReturnValue:
    """Return what the page names, which may be kept: it is never anything else.

    A page of another version, from a server that is being replaced, gets what there is
    now, and keeps it nowhere.
    """
    asset = _assets().get(name)
    if asset is not None:
        return kept_response(asset, *STRICTER)
    of_another = OF_ANOTHER.fullmatch(name)
    for other in _assets().values():
        if of_another and (other.stem, other.ending) == of_another.groups():
            return uncached(kept_response(other, *STRICTER))
    raise NotFound


@bp.get("/static/<path:name>")
def read_static(name: str) -> ResponseReturnValue:
    """Return a picture, or a part of the page as it was written."""
    return guarded(send_from_directory(STATIC, name), *STRICTER)


@bp.get("/notices-worker.js")
def read_notices_worker() -> ResponseReturnValue:
    """Return the worker that tells of turns; from this place it may for every page."""
    return guarded(send_from_directory(STATIC, "notices-worker.js"), *STRICTER)


def uncached(response: Response) -> Response:
    """Return an answer that has to be asked for each time."""
    response.headers["Cache-Control"] = "no-cache"
    return response


@cache
def _assets() -> dict[str, Asset]:
    """Return every asset of today, by its name."""
    assets = [
        script("main", "later"),
        later_script("later", "main"),
        script("rulebook"),
        style("rulebook", "rulebook.css"),
        script("proof/page"),
        _style(INDEX),
        _style(PROOF),
        *map(named, NAMED_STYLES),
        *(words_of(code, whole=whole) for code in LANGUAGES for whole in (True, False)),
    ]
    return {asset.name: asset for asset in assets}


def _style(page: str) -> Asset:
    """Return the style sheets that a page links to, as one."""
    links = STYLES.search(page)
    return style("style", *STYLE.findall(links[0] if links else ""))


@lru_cache(maxsize=20)  # a host is whatever somebody says
def _page(code: str, streams: str) -> Asset:
    told = STREAM_META.replace('""', f'"{escape(streams)}"')
    return Asset("index", "html", _in_language(code).replace(STREAM_META, told))


@cache
def _in_language(code: str, page: str = INDEX, entry: str = MAIN) -> str:
    """Return a page with its texts, so that they are there before any script."""
    texts = tell_all(language_of(code))

    def say(key: str) -> str:
        return escape(str(texts[key]))

    def words(each: str) -> Asset:
        return words_of(each, whole=entry != MAIN)

    def facts(each: str) -> str:
        chosen = " selected" if each == code else ""
        return f' data-words="{words(each).url}"{chosen}'

    options = language_options(facts)
    later = (LATER_ENTRY,) if entry == MAIN else ()
    sheet, module = _style(page).url, script(entry, *later).url
    page = page.replace('<html lang="en">', f'<html lang="{code}">')
    page = STYLES.sub(f'<link rel="stylesheet" href="{sheet}">\n', page)
    page = SCRIPT.sub(
        f'<link rel="modulepreload" href="{words(code).url}">\n'
        f'<script type="module" src="{module}"></script>',
        page,
    )
    page = page.replace(LATER, later_script("later", "main").url)
    page = page.replace('<select id="language">', f'<select id="language">{options}')
    page = SAID.sub(lambda found: found[1] + say(found[2]), page)
    page = CONTENT.sub(lambda found: f'content="{say(found[1])}"', page)
    return NAMED.sub(lambda found: _named(found[0], say(found[1])), page)


def _named(attribute: str, name: str) -> str:
    return f'{attribute} aria-label="{name}" title="{name}"'
