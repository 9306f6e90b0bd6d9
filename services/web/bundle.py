"""Puts modules of the page into one script, for a page that has no server.

They are written in one manner: names are imported by name, and exported by name or
where they are declared. Anything else is refused, rather than made what is not meant.
"""

import re
from functools import cache
from pathlib import Path, PurePosixPath

STATIC = Path(__file__).parent / "static"

IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?=(?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE
)
EXPORTED = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
BLOCK = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^[ \t]*//.*\n|[ \t]+// .*$", re.MULTILINE)
CAST = re.compile(r"/\*\* @type \{[^*]*\*/ ?")
INDENTED = re.compile(r"^[ \t]+", re.MULTILINE)
EMPTY = re.compile(r"\n{2,}")


@cache
def bundle(entry: str) -> str:
    """Return an expression: what the module of a name exports.

    :raises ValueError: a module is not written in the manner above.
    """
    order: list[str] = []
    _add(entry, order)
    places = {name: f"module{number}" for number, name in enumerate(order)}
    parts = [f"const {places[name]} = {_wrapped(name, places)};" for name in order]
    return "\n".join(["(() => {", *parts, f"return {places[entry]};", "})()"])


def _add(name: str, order: list[str]) -> None:
    """Add a module behind those that it imports."""
    for _, path in IMPORT.findall(_text(name)):
        imported = _resolved(name, path)
        if imported not in order:
            _add(imported, order)
    if name not in order:
        order.append(name)


def _wrapped(name: str, places: dict[str, str]) -> str:
    """Return a module as a function that is called, and returns what is exported."""
    text = _text(name)
    exported = EXPORT.findall(text)
    for names in EXPORTED.findall(text):
        exported += [each.strip() for each in names.split(",") if each.strip()]

    def brought(found: re.Match[str]) -> str:
        place = places[_resolved(name, found[2])]
        return f"const {{{found[1]}}} = {place};\n" if found[1] else ""

    body = EXPORTED.sub("", EXPORT.sub("", IMPORT.sub(brought, text)))
    if re.search(r"^(?:import|export) |import\.meta", body, re.MULTILINE):
        raise ValueError(f"{name} imports or exports in another manner")
    return f"(() => {{\n{small(body)}return {{{', '.join(exported)}}};\n}})()"


def small(script: str) -> str:
    """Return a script without comments and indentation; its lines stay."""
    plain = INDENTED.sub("", LINE.sub("", BLOCK.sub("", CAST.sub("", script))))
    return EMPTY.sub("\n", plain).lstrip("\n")


def _resolved(name: str, path: str) -> str:
    """Return the name of a module that another one imports."""
    if not path.startswith("."):
        raise ValueError(f"{name} imports {path}, which is not of the page")
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / path).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


@cache
def _text(name: str) -> str:
    return (STATIC / name).read_text("utf-8")
