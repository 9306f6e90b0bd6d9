"""How much a cell of a compiled board can hold.

Plain Python has no limit. A board that C could not keep must not be, so that both play
the same game.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST = 32_767
"""The largest number of a 16-bit cell: so many seeds there may be in a game."""

MOST_WORD = (1 << 64) - 1
"""The largest number of a cell in a game of 64-bit words."""


class TooWide(Exception):
    """A board would not fit into its cells; says which, and what would."""


def check_width(opening: Sequence[int], places: Sequence[str], words: bool) -> None:
    """Look whether all seeds of an opening fit into one cell, and the rest as it is.

    *places* are the names of the cells in which seeds lie; the others have none.

    :raises TooWide: naming the cell, or the number of seeds.
    """
    least, most = (0, MOST_WORD) if words else (-MOST - 1, MOST)
    for cell, number in enumerate(opening):
        if not least <= number <= most:
            raise TooWide(f"cell {cell} is {number}; it holds {least} to {most}")
    seeds = sum(n for n, name in zip(opening, places, strict=False) if name)
    if not words and seeds > most:
        raise TooWide(f"{seeds} seeds do not fit into one cell, which holds {most}")
