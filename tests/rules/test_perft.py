"""Perft tables: from the literature and independent programs, and our own for the rest.

The deep ones are counted by the compiled games; plain Python counts what it can in a
moment.
"""

import itertools
from collections.abc import Sequence

import pytest

from rules_core import GAMES, find_game, start
from rules_core.compiled import find_compiled
from rules_core.perft import perft
from tests.rules.perft_tables import KNOWN, OWN
from tests.support.require import skip_without

SHALLOW = 30_000
"""How many lines plain Python counts here."""


@pytest.mark.parametrize(("game", "options", "counts"), [*KNOWN, *OWN])
def test_perft_of_the_plain_games(
    game: str, options: dict[str, object], counts: Sequence[int]
) -> None:
    """As deep as it goes in a moment."""
    first = start(game, options)
    shallow = list(itertools.takewhile(lambda count: count <= SHALLOW, counts))
    assert len(shallow) > 2
    assert [perft(first, n) for n in range(1, len(shallow) + 1)] == shallow


@pytest.mark.parametrize(("game", "options", "counts"), [*KNOWN, *OWN])
def test_perft_of_the_compiled_games(
    game: str, options: dict[str, object], counts: Sequence[int]
) -> None:
    """To the last depth of the table."""
    compiled = find_compiled(find_game(game))
    if compiled is None:
        skip_without("compiled", "python -m rules_core.translation.c.build")
    board = start(game, options).flat
    found = [compiled.perft(board, depth) for depth in range(1, len(counts) + 1)]
    assert found == list(counts)


def test_every_game_has_a_table_of_a_million_lines() -> None:
    deep = {game for game, _, counts in [*KNOWN, *OWN] if counts[-1] >= 1_000_000}
    assert deep == {game.key for game in GAMES}
