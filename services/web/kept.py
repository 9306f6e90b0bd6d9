"""The page that an export can be: boards, words and verifier in one file, for ever.

It is the audit view of the site without the site: the same modules draw it. What it
proves is said in services/audit/README.md.
"""

import base64
import json
import re
import zlib
from functools import cache
from pathlib import Path

from services.audit.page import PageParts
from services.languages import LANGUAGES, language_of
from services.web.assets import STATIC, script
from services.web.minifying import smaller
from services.web.words import PHRASES, language_options, tell_all

HERE = Path(__file__).parent
STYLES = ("boards/board.css", "proof/proof.css", "proof/kept.css")
SAID = re.compile(
    r"(event|reason|place|board|seat|fist|move|proof|why)\..*|who\.(ai|ai_level|by\..*)"
    r"|over\.score|turn\.of|page\.language|choose\.(none|yes|no)"
    r"|log\.(heading|first|previous|next|last)"
)
"""What the page may say: nobody is spoken to as the one who has played."""
WHOLE = """\
globalThis.seedlog = (() => {{
{verifier}
return {{ verify, rules, words: {words} }};
}})();
(() => {{
{shown}
}})();
"""


def kept_page(parts: PageParts) -> str:
    """Return the page of an export; no text in it can end the elements around it."""
    whole = WHOLE.format(
        verifier=smaller(parts.verifier),
        shown=script("proof/kept").text,
        words=_words(),
    )
    packed = base64.b64encode(zlib.compress(whole.encode(), 9)).decode()
    data = json.dumps(parts.data, ensure_ascii=False).replace("<", "\\u003c")
    facts = {
        "title": parts.title,
        "style": _style(),
        "languages": language_options(),
        "body": (HERE / "proof_body.html").read_text("utf-8"),
        "packed": packed,
        "data": data,
    }
    page = (HERE / "kept.html").read_text("utf-8")
    for name in ("style", "languages", "body", "title", "packed", "data"):
        page = page.replace(f"{{{{{name}}}}}", facts[name])
    return page


@cache
def _words() -> str:
    """Return the words of every language that the page can need, as JSON."""
    keys = [key for key in PHRASES if SAID.fullmatch(key) and not key.endswith(".you")]
    told = {}
    for code in LANGUAGES:
        words = tell_all(language_of(code))
        told[code] = {key: words[key] for key in keys}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


@cache
def _style() -> str:
    board, *others = [(STATIC / name).read_text("utf-8") for name in STYLES]
    board = board.replace('@import url("themes.css");', "")
    themes = (STATIC / "boards/themes.css").read_text("utf-8")
    forced = themes[themes.index("@media (forced-colors") :]
    text = "\n".join([board, forced, *others])
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\n\s*\n*", "\n", text).strip()
