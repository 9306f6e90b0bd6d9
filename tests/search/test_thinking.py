"""Thinking: lines that can be played, the best first, in a budget, until cancelled."""

import threading
import time

import pytest

from rules_core import GAMES, Game, parse, start
from rules_core.search.cancel import Cancel
from rules_core.search.thinking import Budget, Thought, think
from tests.support.playing import dice, play_on

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)


@EACH_GAME
def test_lines_are_legal_and_the_best_first(game: Game) -> None:
    """From half-way through a random game; as many as were asked for, and there are."""
    *_, position = play_on(start(game.key), dice(3), 12)
    thought = think(position, Budget(10, nodes=3_000), lines=3)
    assert len(thought.lines) == min(3, len(position.legal_moves))
    values = [line.value for line in thought.lines]
    assert values == sorted(values, reverse=True)
    for line in thought.lines:
        after = position
        for move in line.moves:
            after = after.play(move)


def test_each_depth_is_told_as_it_is_reached() -> None:
    """The last one is what is returned."""
    told = list[Thought]()
    thought = think(start("kalah"), Budget(10, depth=5), on_depth=told.append)
    assert [one.depth for one in told] == [1, 2, 3, 4, 5]
    assert told[-1].lines == thought.lines
    assert told[-1].nodes <= thought.nodes


def test_the_same_budget_of_nodes_finds_the_same() -> None:
    """Neither clock nor table of an earlier search is in it."""
    found = [think(start("oware"), Budget(60, nodes=5_000)).lines for _ in range(2)]
    assert found[0] == found[1]


@EACH_GAME
def test_a_cancelled_search_ends_at_once(game: Game) -> None:
    """Whoever asked is told what was found until then."""
    cancel = Cancel()
    told = threading.Event()

    def ask() -> None:
        told.wait(20)
        cancel.set()

    asking = threading.Thread(target=ask)
    asking.start()
    began = time.monotonic()
    thought = think(
        start(game.key), Budget(600), on_depth=lambda _: told.set(), cancel=cancel
    )
    asking.join()
    assert time.monotonic() - began < 20
    assert thought.lines
    assert think(start(game.key), Budget(600), cancel=cancel).lines == ()


def test_once_at_least_finds_lines_with_no_budget_and_tells_all_that_it_cost() -> None:
    """Without, there would be none; what the first search has cost is not forgotten."""
    first, nothing = start("bao-laps"), Budget(60, nodes=1)
    begun = think(first, nothing, lines=3)
    look = think(first, Budget(60, depth=1), lines=3)

    thought = think(first, nothing, lines=3, once_at_least=True)

    assert begun.lines == ()
    assert thought.lines == look.lines
    assert thought.nodes == begun.nodes + look.nodes


def test_there_is_nothing_to_think_about_when_the_game_is_over() -> None:
    """As with a move."""
    over = parse("kalah", "0,0,0,0,0,1/0,0,0,0,0,1 23,23 S").play("F")
    with pytest.raises(ValueError, match="over"):
        think(over, Budget(1))


def test_two_threads_look_at_the_same_moves_and_count_together() -> None:
    """They end with the search that they help, and find what one finds."""
    first = start("kalah", {"pits": 4, "seeds": 3})
    alone = think(first, Budget(30, nodes=1_000_000))
    before = threading.active_count()
    together = think(first, Budget(30, nodes=2_000_000, threads=2))
    assert threading.active_count() == before
    assert alone.lines[0].exact
    assert together.lines[0].exact
    assert together.lines[0].value == alone.lines[0].value


def test_who_thinks_beside_another_finds_what_is_found_alone() -> None:
    """Both: neither takes what the other keeps for what it has found itself."""
    game, budget = start("oware"), Budget(60, nodes=20_000)
    alone = think(game, budget)
    beside = list[Thought]()

    other = think(game, budget, on_depth=lambda _: beside.append(think(game, budget)))

    assert len(beside) > 3
    for found in (other, *beside):
        assert (found.lines, found.nodes) == (alone.lines, alone.nodes)


def test_what_was_found_before_is_used_when_that_is_asked_for() -> None:
    """The same question takes fewer positions; without, it takes the same number."""
    first = start("bao-children")
    fresh = [think(first, Budget(60, depth=7)).nodes for _ in range(2)]
    kept = [think(first, Budget(60, depth=7), keep=True).nodes for _ in range(2)]
    assert fresh[0] == fresh[1]
    assert kept[1] < kept[0]


def test_nothing_is_exact_where_a_position_has_been_there_twice() -> None:
    """A proof might lead to it a third time, which is a draw."""
    position = parse("oware", "0,0,0,0,0,1/0,0,0,0,0,1 22,24 S")
    for _ in range(40):
        lines = think(position, Budget(10, depth=3)).lines
        twice = any(position.seen.count(key) > 1 for key in position.seen)
        assert not (twice and lines[0].exact)
        after = position.play(position.legal_moves[0])
        if after.outcome is not None:
            break
        position = after
    assert twice
    assert lines[0].value == 0
