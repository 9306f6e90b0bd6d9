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
    r"(event|reason|place|seat|fist|move|proof|why)\..*|board\.round.*"
    r"|who\.(ai|ai_level|by\..*)|over\.score|turn\.of|page\.language"
    r"|choose\.(none|yes|no)|log\.(heading|first|previous|next|last)"
)
"""What the page may say: nobody is spoken to as the one who has played."""
OF_THE_SITE = re.compile(
    r"proof\.(link|heading|intro|file|keep|too_large|back|signed_by_us)|.*\.you"
)
"""What is said around a proof, or to one who plays."""
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
    compressed = zlib.compress(whole.encode(), 9)
    packed = base64.b85encode(compressed, pad=True).decode().replace("<", ",")
    data = json.dumps(parts.data, ensure_ascii=False).replace("<", "\\u003c")
    facts = {
        "title": parts.title,
        "style": _style(),
        "languages": language_options(),
        "body": (HERE / "proof_body.html").read_text("utf-8"),
        "packed": packed,
        "length": str(len(compressed)),
        "data": data,
    }
    page = (HERE / "kept.html").read_text("utf-8")
    for name in ("style", "languages", "body", "title", "packed", "length", "data"):
        page = page.replace(f"{{{{{name}}}}}", facts[name])
    return page


@cache
def _words() -> str:
    """Return the words of every language that the page can need, in one order."""
    said = filter(SAID.fullmatch, PHRASES)
    keys = [key for key in said if not OF_THE_SITE.fullmatch(key)]
    told = {}
    for code in LANGUAGES:
        words = tell_all(language_of(code))
        told[code] = [words[key] for key in keys]
    all_words = {"keys": keys, "told": told}
    return json.dumps(all_words, ensure_ascii=False, separators=(",", ":"))


@cache
def _style() -> str:
    board, *others = [(STATIC / name).read_text("utf-8") for name in STYLES]
    board = board.replace('@import url("themes.css");', "")
    themes = (STATIC / "boards/themes.css").read_text("utf-8")
    forced = themes[themes.index("@media (forced-colors") :]
    text = "\n".join([board, forced, *others])
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\n\s*\n*", "\n", text).strip()
