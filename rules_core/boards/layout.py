"""Where the places of a board are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """The board as the first seat sees it, rows from top to bottom, left to right."""

    kind: str  # "two-row", "four-row" or "squares"
    rows: tuple[tuple[str, ...], ...]
    stores: Mapping[str, str]  # seat -> "left" or "right" end; empty without stores
    owners: Mapping[str, str]  # pit -> seat at the start; empty for squares
