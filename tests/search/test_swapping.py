"""A swap that may still come: what is proven holds, and it is taken when better."""

from functools import cache
from typing import Any

import pytest

from rules_core import Position, find_game, start
from rules_core.compiled import find_compiled
from rules_core.search import INFINITE, PlainSearcher, Searcher, find_searcher
from rules_core.search.ending_tables import (
    SHELF,
    build_endings,
    file_name,
    write_endings,
)
from rules_core.search.root import TO_ANY_END
from rules_core.search.thinking import Budget, think
from tests.support.playing import dice
from tests.support.require import skip_without
from workers.ai import choose

SMALL: list[dict[str, Any]] = [
    {"pits": 1, "seeds": 1},
    {"pits": 1, "seeds": 6},
    {"pits": 2, "seeds": 1},
    {"pits": 2, "seeds": 3},
    {"pits": 3, "seeds": 2, "empty_capture": True},
]
EACH_SMALL = pytest.mark.parametrize(
    "options", SMALL, ids=lambda o: f"{o['pits']}-{o['seeds']}"
)


@cache
def margin(position: Position) -> int:
    """Return what south wins by at the end, by looking at everything there is."""
    if position.outcome is not None:
        score = position.outcome.score
        return score["south"] - score["north"]
    found = [margin(position.play(move)) for move in position.legal_moves]
    return max(found) if position.to_move == "south" else min(found)


def value(searcher: Searcher, position: Position) -> int:
    """Return what a search proves that south wins by, in seeds."""
    found = searcher.value(position.flat, TO_ANY_END, -INFINITE, INFINITE)
    assert searcher.proven
    return found // 100 if position.to_move == "south" else -found // 100


def offered(options: dict[str, Any], seed: int, key: str = "kalah") -> Position | None:
    """Return a position with a swap on offer, if random play leads to one."""
    chance, position = dice(seed), start(key, {**options, "pie": True})
    while position.legal_moves and "swap" not in position.legal_moves:
        position = position.play(chance.choice(position.legal_moves))
    return position if position.legal_moves else None


@EACH_SMALL
@pytest.mark.parametrize("seat", ["south", "north"])
def test_what_is_proven_is_so(options: dict[str, Any], seat: str) -> None:
    """From the start on, by plain Python and compiled, whoever begins."""
    first = start("kalah", {**options, "pie": True}, seat)
    searchers: list[Searcher] = [PlainSearcher(first.game, 10**6, 60)]
    if find_compiled(first.game) is not None:
        searchers.append(find_searcher(first.game, 10**7, 60))
    for searcher in searchers:
        assert value(searcher, first) == margin(first)
        for move in first.legal_moves:
            after = first.play(move)
            if after.outcome is None:
                assert value(searcher, after) == margin(after)


@EACH_SMALL
def test_the_swap_is_taken_exactly_when_it_is_better(options: dict[str, Any]) -> None:
    """Level 8 has proven it; what is as good either way may go either way."""
    for seed in range(12):
        position = offered(options, seed)
        if position is None:
            continue
        swapped = -margin(position.play("swap"))
        others = [m for m in position.legal_moves if m != "swap"]
        kept = max(-margin(position.play(move)) for move in others)
        assert max(swapped, kept) == abs(kept)  # the better side is always to be had
        if swapped != kept:
            assert (choose(position, 8, seed) == "swap") == (swapped > kept)


def test_who_begins_looks_for_balance() -> None:
    """Not for what would be best without a swap: that would be lost at once."""
    plain, options = start("kalah", {"pits": 3, "seeds": 3}), {"pits": 3, "seeds": 3}
    first = start("kalah", {**options, "pie": True})
    [best] = think(plain, Budget(60, nodes=10**6)).lines
    [balanced] = think(first, Budget(60, nodes=10**6)).lines
    assert best.exact
    assert balanced.exact
    assert best.value > 0 >= balanced.value


def test_a_first_move_in_congkak_is_not_the_greedy_one() -> None:
    """Seven seeds in seven houses: alone it would win most of them in one turn."""
    if find_compiled(find_game("congkak")) is None:
        skip_without("compiled", "python -m rules_core.translation.c.build")
    taken = {}
    for pie in (False, True):
        position = start("congkak", {"pie": pie})
        while position.to_move == "south" and position.outcome is None:
            thought = think(position, Budget(60, nodes=30_000))
            position = position.play(thought.lines[0].moves[0])
        taken[pie] = position.score["south"]
    assert taken[True] < taken[False]


def test_plain_and_compiled_find_the_same_before_a_swap() -> None:
    """To the last digit, at every depth."""
    for key, options in (("kalah", {}), ("congkak", {"pits": 5, "rounds": "match"})):
        position = offered(options, 3, key)
        assert position is not None
        if find_compiled(position.game) is None:
            skip_without("compiled", "python -m rules_core.translation.c.build")
        for depth in (1, 2, 4):
            window = position.flat, depth, -INFINITE, INFINITE
            plain = PlainSearcher(position.game, 10**6, 60)
            fast = find_searcher(position.game, 10**6, 60)
            assert plain.value(*window) == fast.value(*window)


def test_stores_bear_on_what_a_position_is_remembered_by() -> None:
    """A swap brings them to the other: the same seeds in play are not the same."""
    position = offered({"pits": 2, "seeds": 3}, 1)
    assert position is not None
    board = position.flat
    searcher = PlainSearcher(position.game, 10**6, 60)
    known = value(searcher, position)
    south, north = position.variant.face.stores  # type: ignore[attr-defined]
    for more in range(3):
        board[south] += 1
        board[north] -= 1
        fresh = PlainSearcher(position.game, 10**6, 60)
        window = board, TO_ANY_END, -INFINITE, INFINITE
        assert searcher.value(*window) == fresh.value(*window), (more, known)


def test_a_table_of_endings_serves_with_the_swap_and_without(tmp_path: Any) -> None:
    """It knows no swap, so it is asked when there is none any more."""
    options = {"pits": 3, "seeds": 2}
    plain, first = start("kalah", options), start("kalah", {**options, "pie": True})
    assert file_name(plain.variant) == file_name(first.variant)
    endings = build_endings(first.variant, 8)
    assert endings.values == build_endings(plain.variant, 8).values
    without = think(first, Budget(60, nodes=10**6))
    write_endings(tmp_path / file_name(first.variant), first.variant, endings)
    SHELF.use(tmp_path)
    try:
        with_it = think(first, Budget(60, nodes=10**6))
        tiny = start("kalah", {"pits": 3, "seeds": 1, "pie": True})
        assert think(tiny, Budget(60)).lines[0].value == margin(tiny)
    finally:
        SHELF.use(None)
    assert with_it.lines[0].value == without.lines[0].value
    assert with_it.nodes < without.nodes
