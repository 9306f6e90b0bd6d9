"""What the page consists of, ready to be sent: packed, and named by what it holds.

A name never holds anything else, so it may be kept for a year; the page, which is asked
for anew each time, names those of today.
"""

import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from flask import Response, request

from services.languages import language_of
from services.web.bundle import Loaded, bundle, imported, modules_of
from services.web.client import FOLDER as CLIENT
from services.web.guard import guarded
from services.web.minifying import minified
from services.web.words import tell_all

STATIC = Path(__file__).parent / "static"
KEPT = "public, max-age=31536000, immutable"
SMALLEST_PACKED = 500
MEDIA_TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html"}
ELSEWHERE = re.compile(r"proof\.(?!link$)|why\.|astray\.|example\.")
IMPORT_CSS = re.compile(r'@import url\("([^"]+)"\);\n')
NAMED = ("/static/boards/board.css", "/static/match-element.css")
"""Style sheets that the scripts of the page, and of other pages, ask for."""


@dataclass(frozen=True)
class Asset:
    """One file, with the name it is asked by: `main.5f3c2a9b10de.js`."""

    stem: str
    ending: str
    text: str

    @cached_property
    def name(self) -> str:
        """Return it, with a digest of what it holds."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:12]
        return f"{self.stem}.{digest}.{self.ending}"

    @property
    def url(self) -> str:
        """Return where it is served."""
        return f"/assets/{self.name}"

    @cached_property
    def packed(self) -> bytes:
        """Return it as gzip."""
        return gzip.compress(self.text.encode(), 9, mtime=0)

    def response(self) -> Response:
        """Return it, packed for who can unpack it, and with a tag."""
        packs = len(self.text) > SMALLEST_PACKED
        takes = request.accept_encodings.quality("gzip") > 0
        is_packed = packs and takes
        response = Response(self.packed if is_packed else self.text.encode())
        response.content_type = f"{MEDIA_TYPES[self.ending]}; charset=utf-8"
        if is_packed:
            response.content_encoding = "gzip"
        response.vary.add("Accept-Encoding")
        response.set_etag(f"{self.name}{'.gz' if is_packed else ''}")
        return response


def kept_response(asset: Asset, *directives: str) -> Response:
    """Return an asset to be kept, for pages of any origin: it is a public file."""
    response = guarded(asset.response(), *directives)
    response.headers["Cache-Control"] = KEPT
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.make_conditional(request.environ)
    return response


@cache
def script(entry: str, then: str = "") -> Asset:
    """Return the bundle of a module in `static`, and of all that it imports.

    *then* is the one that may be loaded after it, by `later_script`.
    """
    here, there = _modules(entry), _modules(then) if then else ()
    wanted = imported([each for each in there if each not in here], _find)
    shared = {module: names for module, names in wanted.items() if module in here}
    text = bundle(f"/static/{entry}.js", _find, _url_of, shared)
    return Asset(entry.replace("/", "-"), "js", minified(text, "js"))


@cache
def later_script(entry: str, after: str) -> Asset:
    """Return the bundle of a module, without what comes with the one before it."""
    loaded = Loaded(script(after, entry).url, _modules(after))
    text = bundle(f"/static/{entry}.js", _find, _url_of, loaded=loaded)
    return Asset(entry, "js", minified(text, "js"))


def _modules(entry: str) -> tuple[str, ...]:
    return modules_of(f"/static/{entry}.js", _find)


def _url_of(address: str) -> str:
    return named(address).url


@cache
def style(stem: str, *names: str) -> Asset:
    """Return style sheets in `static` as one."""
    text = "".join(_with_imports(STATIC / name) for name in names)
    return Asset(stem, "css", minified(text, "css"))


@cache
def named(address: str) -> Asset:
    """Return a style sheet in `static` that a script asks for."""
    path = _find(address)
    return style(path.stem, path.relative_to(STATIC).as_posix())


def _with_imports(path: Path) -> str:
    """Return a style sheet with those that it imports in it."""
    return IMPORT_CSS.sub(
        lambda found: _with_imports(path.parent / found[1]), path.read_text("utf-8")
    )


@cache
def words_of(code: str, *, whole: bool = True) -> Asset:
    """Return every text of the page in a language, as a module.

    If it is not the *whole*, it is what is said where matches are chosen and played.
    """
    texts = tell_all(language_of(code))
    if not whole:
        texts = {key: text for key, text in texts.items() if not ELSEWHERE.match(key)}
    told = json.dumps(texts, ensure_ascii=False, indent=0)
    return Asset(f"words-{code}", "js", f"export default {told};\n")


def _find(address: str) -> Path:
    """Return the file of a module, by the address it is imported from."""
    folder, _, name = address.removeprefix("/").partition("/")
    return {"static": STATIC, "client": CLIENT}[folder] / name
