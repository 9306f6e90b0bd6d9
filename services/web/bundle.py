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
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from services.web.minifying import COMMENTS

IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)
OTHER_EXPORT = re.compile(r"^export (?!\{\};).*$", re.MULTILINE)
FUNCTION = re.compile(
    r"^(?:export )?(?:async )?function\*? (\w+)\(.*?^\}\n", re.MULTILINE | re.DOTALL
)
WORD = re.compile(r"\w+")
FILE = re.compile(r'new URL\("(\.{1,2}/[^"]+)", import\.meta\.url\)')
RENAMED = re.compile(r"(\w+) as (\w+)")

Find = Callable[[str], Path]
"""From the address of a module, as a browser would ask for it, to its file."""
Rename = Callable[[str], str]
"""From the address of a file that a module names, to where it is served."""


class CannotBundle(Exception):
    """A module says something that bundles do not know."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A bundle that is there already: where it is served, and of what it is."""

    url: str
    modules: tuple[str, ...]


def modules_of(first: str, find: Find) -> tuple[str, ...]:
    """Return a module after all that it imports, the addresses in their order.

    :raises CannotBundle: they import each other in a circle.
    """
    order: list[str] = []
    _visit(first, find, order, ())
    return tuple(order)


def bundle(
    first: str,
    find: Find,
    rename: Rename,
    shared: Mapping[str, set[str]] | None = None,
    loaded: Loaded | None = None,
) -> str:
    """Return one module that does what *first* does with all that it imports.

    It may be served anywhere: what it names beside itself is found by *rename*. It lets
    others have *shared* names of its modules, and takes those that were *loaded*.

    :raises CannotBundle: modules import each other in a circle, or export otherwise.
    """
    there = loaded.modules if loaded else ()
    order = [each for each in modules_of(first, find) if each not in there]
    wanted = imported(order, find)
    for address, names in (shared or {}).items():
        wanted.setdefault(address, set()).update(names)
    read = {address: _named(address, _read(address, find), rename) for address in order}
    parts = [
        _as_function(each, _used(read[each], wanted.get(each, set())))
        for each in order[:-1]
    ]
    taken = {each for address in order for each in _needed(address, find)} & {*there}
    before = _list("import", taken, f' from "{loaded.url}"') if loaded else ""
    after = _list("export", shared) if shared else ""
    return "".join([before, *parts, _imported(first, read[first]), after])


def _list(verb: str, addresses: Collection[str], rest: str = "") -> str:
    return f"{verb} {{ {', '.join(map(_name, sorted(addresses)))} }}{rest};\n"


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


def imported(modules: Collection[str], find: Find) -> dict[str, set[str]]:
    """Return the names that some modules import, by the module that has them."""
    names: dict[str, set[str]] = {}
    for address in modules:
        for found in IMPORT.finditer(_read(address, find)):
            named = WORD.findall(RENAMED.sub(r"\1", found[1] or ""))
            names.setdefault(_resolved(found[2], address), set()).update(named)
    return names


def _used(code: str, wanted: Collection[str]) -> str:
    """Return a module without the functions that nobody calls.

    A function that stands on its own begins and ends at the edge of the page.
    """
    code = COMMENTS.sub("", code)
    before = ""
    while before != code:
        before = code
        for found in FUNCTION.finditer(before):
            name = found[1]
            calls = len(re.findall(rf"\b{re.escape(name)}\b", code))
            if name not in wanted and calls == 1:
                code = code.replace(found[0], "")
    return code


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
