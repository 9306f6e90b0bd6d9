"""What a search tries before it knows that it is legal, and what it has learned."""

import math
from dataclasses import replace

import pytest

from rules_core import Position, parse, start
from rules_core.search import PlainSearcher, by_score, find_searcher
from rules_core.search.alphabeta import negamax
from rules_core.search.cancel import Cancel
from rules_core.search.memory import Memory
from rules_core.search.thinking import Budget, think
from rules_core.search.worth import INFINITE

FIRST = "owners=SSSSSS/NNNNNN round=1 starter=S"
BESIDE_ENDLESS = {
    "bao-laps": "4,0,1,2,1,3,2,3/2,1,2,3,0,3,2,3 0,0 S",
    "oware-nam-nam": f"0,2,1,2,0,2/1,0,1,0,2,1 18,18 S {FIRST}",
}
"""Positions with a move that never ends (G8) beside others."""

FROZEN = {
    "kalah": ("B", 170, 7),
    "oware": ("A", 0, 7),
    "oware-abapa": ("A", 0, 7),
    "congkak": ("g", -2700, 6),
    "oware-nam-nam": ("B", -400, 7),
    "bao-children": ("F", 280, 5),
    "bao-laps": ("G", 400, 8),
    "bao-kujifunza": ("A7L", 1600, 10),
    "reversi": ("d3", 148, 5),
}
"""What 2,000 positions found as the levels were fitted: move, hundredths, depth."""


def searched(position: Position, *, tries: bool, depth: int) -> tuple[int, int, int]:
    """Return the value of a position, what of it is proven, and what was looked at."""
    engine = replace(position.game.engine, tries=tries)
    memory = Memory(engine, 1 << 30, math.inf, Cancel(), {})
    memory.boards[0][:] = position.flat
    evaluate = engine.evaluate or by_score(engine)
    value = negamax(engine, evaluate, memory, 0, 0, depth, -INFINITE, INFINITE)
    return value, memory.proven, memory.nodes


@pytest.mark.parametrize("key", BESIDE_ENDLESS)
def test_g8_what_never_ends_is_tried_and_passed_over(key: str) -> None:
    """The same is found, with the same positions, as where all are legal."""
    position = parse(key, BESIDE_ENDLESS[key])
    engine, moves = position.game.engine, [0] * position.game.engine.max_moves
    assert engine.tries
    assert engine.candidates(position.flat, moves) > len(position.legal_moves)
    for depth in range(1, 5):
        tried = searched(position, tries=True, depth=depth)
        assert tried == searched(position, tries=False, depth=depth)


def test_levels_with_a_budget_go_without_what_was_learned_since() -> None:
    """They were fitted so, and matches that run count on them."""
    own_side = parse("bao-laps", "2,2,2,2,2,2,2,2/2,2,2,2,2,2,0,0 0,4 S")
    frozen, learned = (
        think(own_side, Budget(60, depth=1), everything=everything).lines[0].value
        for everything in (False, True)
    )
    assert frozen != learned


@pytest.mark.parametrize("key", FROZEN)
def test_levels_with_a_budget_find_what_they_found(key: str) -> None:
    """After six moves, each the middle one of those that are legal."""
    position = start(key)
    for _ in range(6):
        position = position.play(position.legal_moves[len(position.legal_moves) // 2])
    thought = think(position, Budget(600, nodes=2_000), everything=False)
    line = thought.lines[0]
    assert (line.moves[0], round(100 * line.value), thought.depth) == FROZEN[key]


def test_what_was_learned_is_added_plain_and_compiled() -> None:
    """Seven seeds more on the own side count as nearly six."""
    position = parse("bao-laps", "2,2,2,2,2,2,2,2/2,2,2,2,1,0,0,0 0,7 S")
    for searcher in (
        PlainSearcher(position.game, 1000, 60.0),
        find_searcher(position.game, 1000, 60.0),
    ):
        found = []
        for _ in range(2):
            found.append(searcher.value(position.flat, 0, -INFINITE, INFINITE))
            searcher.use_insight()
        assert found == [-700, -700 + 7 * 80]


def best_after_a_turn(position: Position, mover: str) -> int:
    """Return the most that the board is worth to who moves, when others are to move."""
    engine, sign = position.game.engine, 1 if mover == position.game.seats[0] else -1
    assert engine.evaluate is not None
    if position.to_move != mover:
        return sign * engine.evaluate(position.flat)
    return max(
        best_after_a_turn(position.play(move), mover) for move in position.legal_moves
    )


@pytest.mark.parametrize("key", ["kalah", "bao-children"])
def test_a_turn_of_several_moves_is_one_ply(key: str) -> None:
    position = start(key)
    for searcher in (
        PlainSearcher(position.game, 1000, 60.0),
        find_searcher(position.game, 1000, 60.0),
    ):
        searcher.use_insight()
        value = searcher.value(position.flat, 1, -INFINITE, INFINITE)
        assert value == best_after_a_turn(position, position.to_move)
