"""Perft tables: from the literature, or computed by independent programs."""

from __future__ import annotations

import pytest

from rules_core import start
from tests.rules.counting import perft

TABLES = [
    # confirmed by OpenSpiel, by an engine in C and by one in Java
    ("kalah", {}, (6, 35, 185, 942, 4690, 23233)),
    ("kalah", {"seeds": 3}, (6, 35, 182, 904, 4243, 19418)),
    ("kalah", {"seeds": 5}, (6, 35, 187, 982, 5113, 26927)),
    ("kalah", {"seeds": 6}, (6, 35, 190, 1056, 5882, 32243)),
    ("kalah", {"pits": 4, "seeds": 3}, (4, 15, 50, 158, 488, 1510, 4638, 14108)),
    ("kalah", {"empty_capture": True}, (6, 35, 185, 942, 4685, 23169)),
    ("oware-abapa", {}, (6, 36, 190, 1014, 5219, 27332)),
    # Aart Bik, "Perft for Reversi"
    ("reversi", {}, (4, 12, 56, 244, 1396, 8200, 55092)),
]


@pytest.mark.parametrize(("game", "options", "counts"), TABLES)
def test_perft(game, options, counts):
    """Every depth of the table."""
    first = start(game, options)
    found = tuple(perft(first, depth) for depth in range(1, len(counts) + 1))
    assert found == counts
