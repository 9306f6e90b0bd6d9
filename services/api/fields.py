"""Partial answers: an app names the members that it needs (`fields=`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from services.http.representation import match_json
from services.match import Match

ENTRY_FIELDS = (
    *("seq", "match", "version", "type", "at", "by", "data", "hash"),
    *("position", "board", "owners", "to_move", "legal_moves", "clock", "steps"),
)
"""Of an entry of a feed; an event of a match has all but the first two."""


def match_fields() -> tuple[str, ...]:
    """Return the members that a match may be asked for, as it is shown."""
    return (*match_json(Match("")), "stream_url")


def pick(body: Mapping[str, Any], fields: Sequence[str] | None) -> dict[str, Any]:
    """Return the members of a body that are asked for and there; None: all of them."""
    if fields is None:
        return dict(body)
    return {name: body[name] for name in fields if name in body}
