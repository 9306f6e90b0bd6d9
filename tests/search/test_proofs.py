"""What the search calls exact is proven: published values, and by trying it all."""

import json
from pathlib import Path

import pytest

from rules_core import GAMES, Game, Position, start
from rules_core.compiled import find_compiled
from rules_core.search import INFINITE, PlainSearcher
from rules_core.search.thinking import Budget, think
from tests.support.playing import dice, play_on
from tests.support.require import skip_without

VALUES = json.loads(Path(__file__).with_name("kalah_values.json").read_text("utf-8"))
CHEAP_SEEDS = 16
"""In play at the start; more of them take longer than a test should."""

PLAIN_SEEDS = 8
MOST_PLIES = 60
ALL_NODES = 3_000_000


def solved() -> list[tuple[int, int, bool, int]]:
    """Return pits, seeds, the rule for empty captures, and the value for the first."""
    return [
        (int(pits), seeds, rule == "empty_capture", value)
        for rule in ("no_empty_capture", "empty_capture")
        for pits, row in VALUES[rule].items()
        for seeds, value in enumerate(row, start=1)
        if value is not None
    ]


def exact_value(position: Position) -> float:
    """Return the value of a position, which has to be proven."""
    thought = think(position, Budget(60, nodes=ALL_NODES))
    assert thought.lines[0].exact
    return thought.lines[0].value


@pytest.mark.parametrize(("pits", "seeds", "empty_capture", "value"), solved())
def test_kalah_is_worth_what_was_computed_elsewhere(
    pits: int, seeds: int, empty_capture: bool, value: int
) -> None:
    """Irving, Donkers, Uiterwijk (2000), and an own solver for both rules."""
    options = {"pits": pits, "seeds": seeds, "empty_capture": empty_capture}
    first = start("kalah", options)
    in_play = 2 * pits * seeds
    if find_compiled(first.game) is None:
        if in_play > PLAIN_SEEDS:
            skip_without("compiled", "python -m rules_core.translation.c.build")
    elif pits * seeds > CHEAP_SEEDS:
        pytest.skip("takes long: tests/bench/exact.py")
    assert exact_value(first) == value


class TooMany(Exception):
    """It takes too long to try everything."""


def try_everything(position: Position, left: list[int], ply: int = 0) -> int:
    """Return the final margin of the first seat, by playing every move to the end.

    It knows the whole way, and so the standstills; a win by no more is worth one.
    """
    if position.outcome is not None:
        winner = position.outcome.winner
        south, north = position.score.values()
        if winner is None:
            return 0
        counts = position.game.engine.counts
        won = max(1, abs(south - north)) if counts else 1
        return won if winner == position.game.seats[0] else -won
    left[0] -= len(position.legal_moves)
    if left[0] < 0 or ply > MOST_PLIES:
        raise TooMany
    afters = [position.play(move) for move in position.legal_moves]
    values = [try_everything(after, left, ply + 1) for after in afters]
    best = max if position.to_move == position.game.seats[0] else min
    return best(values)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_what_is_exact_is_what_trying_everything_finds(game: Game) -> None:
    """Near the end of random games, standstills and all."""
    options = {"max_rounds": 1} if game.key == "oware-nam-nam" else None
    compared = 0
    for seed in range(20):
        line = list(play_on(start(game.key, options), dice(seed), 400))
        for back in (2, 4, 6, 9, 12):
            position = line[-min(back, len(line))]
            try:
                margin = try_everything(position, [4_000])
            except TooMany:
                break
            if not position.legal_moves:
                continue
            best = think(position, Budget(20, nodes=200_000), lines=99).lines[0]
            if position.to_move != game.seats[0]:
                margin = -margin
            if best.exact:
                compared += 1
                told = best.value if game.engine.counts else min(1, max(-1, best.value))
                assert told == margin, (str(position), best)
            elif best.decided:
                assert (best.value > 0) == (margin > 0), (str(position), best)
    assert compared > 3 or game.engine.recurs  # there too much can come up again


def test_stores_that_bear_on_nothing_are_left_out_of_what_is_remembered() -> None:
    """The same seeds in play are worth as much more as there is more in the store."""
    for game in GAMES:
        if not game.engine.banks:
            continue
        for seed in range(8):
            *_, position = play_on(start(game.key), dice(seed), 8)
            board, engine = position.flat, game.engine
            if engine.banked(board, 0) < 0 or not position.legal_moves:
                continue
            side = board[engine.turn]
            store = engine.banked(board, side)
            richer = [*board[:store], board[store] + 7, *board[store + 1 :]]
            values = [
                PlainSearcher(game, 10**6, 60).value(cells, 3, -INFINITE, INFINITE)
                for cells in (board, richer)
            ]
            assert values[1] == values[0] + 700
