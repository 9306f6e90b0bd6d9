"""Endings that a game solves by itself, as the search sees them."""

import pytest

from rules_core import find_game, parse, start
from rules_core.search.solving import margin_up_to
from rules_core.search.thinking import Budget, think
from rules_core.search.worth import INFINITE, WIN, margin_value
from tests.support.ffo import FFO
from tests.support.playing import dice

REVERSI = find_game("reversi")


@pytest.mark.parametrize("ply", [0, 7])
def test_a_window_of_values_is_one_of_margins(ply: int) -> None:
    """The highest margin that is worth no more, for every value that there may be."""
    board = start("reversi").flat
    worth = {m: margin_value(REVERSI.engine, board, m, ply) for m in range(-66, 67)}
    chance = dice("window")
    values = [*worth.values(), -1, 0, 1, 640, -640]
    values += [value + step for value in worth.values() for step in (-1, 1)]
    values += [chance.randint(-WIN - 16000, WIN + 16000) for _ in range(500)]
    for value in values:
        at_most = [m for m in worth if worth[m] <= value]
        if at_most and max(at_most) < 66:
            assert margin_up_to(value, ply) == max(at_most)
    assert margin_up_to(-INFINITE, ply) < -64
    assert margin_up_to(INFINITE, ply) > 64


def test_an_ending_is_thought_out_to_the_disc() -> None:
    """Long before the depth that it has."""
    position = parse("reversi", FFO[0].text)
    for move in ("a2", "b1", "c1", "b6", "h8", "c8"):
        if move in position.legal_moves:
            position = position.play(move)
    empty = 64 - len(position.board)
    thought = think(position, Budget(60))
    [line] = thought.lines
    assert line.exact
    assert line.value == int(line.value)
    assert thought.depth < empty
