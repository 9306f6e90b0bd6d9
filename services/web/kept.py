"""The page that an export can be: boards, words and verifier in one file, for ever.

It is the audit view of the site without the site: the same modules draw it. What it
proves is said in services/audit/README.md.
"""

import json
import re
import zlib
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from services.audit.page import PageParts
from services.languages import LANGUAGES, language_of
from services.web.assets import STATIC, script
from services.web.minifying import smaller
from services.web.words import PHRASES, language_options, tell_all
from services.web.written import PARTS

HERE = Path(__file__).parent
STYLES = ("boards/board.css", "proof/proof.css", "proof/kept.css")
QUOTED = re.compile(r"""["'`]([\w.-]+)["'`]""")
BEGINNING = re.compile(r"`([\w.]+\.)\$\{")
"""How a script asks for a text whose key ends with what a log, or a verifier, says."""
OF_LOGS = ("event.", "fist.", "reason.", "seat.", "who.by.")
"""Texts whose keys end with a word of the log: there is no need of others."""
WORD = re.compile(r"[\w-]+")
DIGITS = bytes(code for code in range(33, 127) if chr(code) not in '"<\\').decode()
"""What a file can hold that mail and editors leave alone, in a string of a script."""
WHOLE = """\
globalThis.seedlog = (() => {{
{verifier}
return {{ verify, rules }};
}})();
globalThis.seedlog.open = () => {{
{shown}
}};
globalThis.seedlog.words = {words};
globalThis.seedlog.open();
"""
"""Like beside like: so it is compressed best."""


def kept_page(parts: PageParts) -> str:
    """Return the page of an export; no text in it can end the elements around it."""
    kind = "squares" if parts.kind == "squares" else "pits"
    shown = script(f"proof/kept-{kind}").text
    page = (HERE / "kept.html").read_text("utf-8")
    log = {*WORD.findall(parts.data["export"]), *WORD.findall(parts.data["shown"])}
    scripts = WHOLE.format(
        verifier=smaller(parts.verifier),
        shown=shown,
        words=_words(_said(shown + PARTS["proof"] + page, log)),
    )
    data = json.dumps(parts.data, ensure_ascii=False).replace("<", "\\u003c")
    compressed = _compressed(scripts)
    facts = {
        "style": _style(),
        "languages": language_options(),
        "unchecked": _unchecked(),
        "body": PARTS["proof"],
        "title": parts.title,
        "packed": _in_digits(compressed),
        "length": str(len(compressed)),
        "data": data,
    }
    for name, fact in facts.items():  # what a match can say comes last, and stays
        page = page.replace(f"{{{{{name}}}}}", fact)
    return page


def _compressed(text: str) -> bytes:
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS, memLevel=9)
    return packer.compress(text.encode()) + packer.flush()


def _in_digits(data: bytes) -> str:
    """Return data in digits of 91: two of them are 13 bits, from the lowest."""
    digits, held, bits = [], 0, 0
    for byte in (*data, 0, 0):  # the last bits need a group, too
        held |= byte << bits
        bits += 8
        if bits >= 13:
            second, first = divmod(held & 0x1FFF, len(DIGITS))
            digits += [DIGITS[first], DIGITS[second]]
            held >>= 13
            bits -= 13
    return "".join(digits)


def _said(source: str, log: Collection[str]) -> list[str]:
    """Return the keys of what a page may say, as its source asks for them."""
    asked = {*QUOTED.findall(source)}
    begun = {*BEGINNING.findall(source)}

    def may_be_said(key: str) -> bool:
        if key in asked:
            return True
        found = next((each for each in begun if key.startswith(each)), None)
        return bool(found) and (found not in OF_LOGS or key.removeprefix(found) in log)

    return [key for key in PHRASES if may_be_said(key)]


def _words(keys: Sequence[str]) -> str:
    """Return some words of every language, in one order."""
    told = {}
    for code in LANGUAGES:
        words = _told(code)
        told[code] = [words[key] for key in keys]
    all_words = {"keys": keys, "told": told}
    return json.dumps(all_words, ensure_ascii=False, separators=(",", ":"))


@cache
def _told(code: str) -> dict[str, str | dict[str, str]]:
    return tell_all(language_of(code))


@cache
def _unchecked() -> str:
    """Return, in every language, that nothing was checked: no script can choose one."""
    said = ((code, _told(code)["proof.no_script"]) for code in LANGUAGES)
    return "".join(f'<p lang="{code}">{words}</p>' for code, words in said)


@cache
def _style() -> str:
    board, *others = [(STATIC / name).read_text("utf-8") for name in STYLES]
    board = board.replace('@import url("themes.css");', "")
    themes = (STATIC / "boards/themes.css").read_text("utf-8")
    forced = themes[themes.index("@media (forced-colors") :]
    text = "\n".join([board, forced, *others])
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"\n\s*\n*", "\n", text).strip()
