"""Paths, queries and bodies, from what a caller gives."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode


def part_of(text: str) -> str:
    """Return an id as a part of a path: whatever it holds, it stays one part.

    :raises ValueError: it would lead somewhere else.
    """
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is no id")
    return quote(text, safe="")


def match_path(match_id: str, act: str = "") -> str:
    """Return the path of a match, or of something of it."""
    return f"/v1/matches/{part_of(match_id)}" + (f"/{act}" if act else "")


def query_of(query: Mapping[str, Any]) -> str:
    """Return a query, with its question mark, of all that is given."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"?{urlencode(given, safe=',')}" if given else ""


def given(**members: Any) -> dict[str, Any]:
    """Return a body of all that is given."""
    return {name: value for name, value in members.items() if value is not None}
