"""Puts modules into one file: fewer requests, and less to read.

Each module becomes a function that returns what it exports; the first one, which
imports the others, stands at the end as it is.
What this can read is what our modules use::

    import { a, b as c } from "./other.js";
    import "./other.js";
    export function f() {}     export const, export class, export async function
    new URL("./file.css", import.meta.url)
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
OTHER_EXPORT = re.compile(r"^export (?!\{\};).*$", re.MULTILINE)
COMMENTS = re.compile(r"^\s*(?:/\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
TYPES = re.compile(r"/\*\* @[^*]*\*/ ?")
INDENTATION = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)
FILE = re.compile(r'new URL\("(\.{1,2}/[^"]+)", import\.meta\.url\)')
RENAMED = re.compile(r"(\w+) as (\w+)")

Find = Callable[[str], Path]
"""From the address of a module, as a browser would ask for it, to its file."""
Rename = Callable[[str], str]
"""From the address of a file that a module names, to where it is served."""


class CannotBundle(Exception):
    """A module says something that bundles do not know."""


def bundle(first: str, find: Find, rename: Rename) -> str:
    """Return one module that does what *first* does with all that it imports.

    It may be served anywhere: what it names beside itself is found by *rename*.

    :raises CannotBundle: modules import each other in a circle, or export otherwise.
    """
    order: list[str] = []
    _visit(first, find, order, ())
    read = {address: _named(address, _read(address, find), rename) for address in order}
    parts = [_as_function(address, read[address]) for address in order[:-1]]
    return small("".join([*parts, _imported(first, read[first])]))


def small(code: str) -> str:
    """Return JavaScript or CSS without lines of comment, and without indents."""
    return INDENTATION.sub("", TYPES.sub("", COMMENTS.sub("", code)))


def _visit(address: str, find: Find, order: list[str], path: tuple[str, ...]) -> None:
    if address in path:
        raise CannotBundle(f"a circle: {' -> '.join((*path, address))}")
    if address in order:
        return
    for other in _needed(address, find):
        _visit(other, find, order, (*path, address))
    order.append(address)


def _needed(address: str, find: Find) -> Iterator[str]:
    for imported in IMPORT.finditer(_read(address, find)):
        yield _resolved(imported[2], address)


def _named(address: str, code: str, rename: Rename) -> str:
    """Return the code with the files that it names under the names they have."""

    def renamed(found: re.Match[str]) -> str:
        return f'new URL("{rename(_resolved(found[1], address))}", import.meta.url)'

    return FILE.sub(renamed, code)


def _as_function(address: str, code: str) -> str:
    names = ", ".join(name for _, name in EXPORT.findall(code))
    body = EXPORT.sub(r"\1 \2", code)
    if other := OTHER_EXPORT.search(body):
        raise CannotBundle(f"{address}: {other[0]}")
    body = _imported(address, body)
    return f"const {_name(address)} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def _imported(address: str, code: str) -> str:
    """Return the code with its imports taken from the functions before it."""

    def taken(found: re.Match[str]) -> str:
        if found[1] is None:
            return ""
        names = RENAMED.sub(r"\1: \2", found[1])
        return f"const {{{names}}} = {_name(_resolved(found[2], address))};\n"

    return IMPORT.sub(taken, code)


def _resolved(wanted: str, by: str) -> str:
    """Return the address of a module that is named by another."""
    if wanted.startswith("/"):
        return wanted
    parts = by.split("/")[:-1]
    for part in wanted.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _name(address: str) -> str:
    return "$" + re.sub(r"\W", "_", address)


def _read(address: str, find: Find) -> str:
    return find(address).read_text("utf-8")
