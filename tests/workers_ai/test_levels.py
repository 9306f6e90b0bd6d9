"""Levels: they rise, they are fitted to a game, and those of a match never change."""

import itertools
import json

import pytest

from rules_core import GAMES, Game, find_game
from rules_core.levels import (
    FIRST,
    Level,
    NoSuchLadder,
    latest_ladder,
    levels_of,
    most_levels,
)
from tests.support.samples import SAMPLES
from workers.ai.choice import find_level
from workers.ai.fitting import EVERYTHING, MOST, fit

FITTED = [game for game in GAMES if latest_ladder(game) > FIRST]
"""A game that has come since plays by the first ladder until its own is measured."""


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_levels_rise(game: Game) -> None:
    """More to look at, and less chance, from each level to the next."""
    for ladder in range(FIRST, latest_ladder(game) + 1):
        levels = levels_of(game, ladder)
        assert 2 <= len(levels) <= max(MOST, 8)
        for lower, higher in itertools.pairwise(levels):
            assert lower.nodes <= higher.nodes
            assert lower.plain_nodes <= higher.plain_nodes
            assert lower.temperature >= higher.temperature
            assert lower != higher


@pytest.mark.parametrize("game", FITTED, ids=lambda game: game.key)
def test_the_latest_ladder_was_measured(game: Game) -> None:
    """Each level is stronger than the one below it, by what its games have shown."""
    levels = levels_of(game, latest_ladder(game))
    measured = [level.elo for level in levels if level.elo is not None]
    assert len(measured) == len(levels)
    assert measured[0] == 0
    assert sorted(measured) == measured
    assert len(levels) <= most_levels()


def test_what_a_level_does_never_changes() -> None:
    """In matches that run; what it is worth may be measured again."""
    recorded = json.loads((SAMPLES / "levels-1.json").read_text("utf-8"))
    for rules, ladders in recorded["ladders"].items():
        game = find_game(rules.split("/")[0], rules)
        for number, told in ladders.items():
            does = [
                (level.nodes, level.temperature, level.tables)
                for level in levels_of(game, int(number))
            ]
            assert does == [
                (one["nodes"], one["temperature"], one.get("tables", False))
                for one in told
            ]


def test_the_first_ladder_is_that_of_all_matches_before_there_were_others() -> None:
    assert [
        (level.nodes, level.plain_nodes, level.temperature)
        for level in levels_of(find_game("kalah"), FIRST)
    ] == [
        (40, 40, 500),
        (80, 80, 250),
        (200, 160, 120),
        (1_000, 400, 60),
        (5_000, 1_000, 20),
        (30_000, 2_500, 0),
        (200_000, 6_000, 0),
        (1_500_000, 14_000, 0),
    ]
    assert levels_of(find_game("reversi"), FIRST)[7].nodes in (500_000, 1_500_000)


def test_there_is_no_other_ladder_and_no_other_level() -> None:
    kalah = find_game("kalah")
    with pytest.raises(NoSuchLadder, match="no ladder 99"):
        levels_of(kalah, 99)
    with pytest.raises(ValueError, match="levels: 1 to 8"):
        find_level(kalah, 9, FIRST)
    assert find_level(kalah, 1) == levels_of(kalah, latest_ladder(kalah))[0]


LEVELS = (Level(40, 40, 400), Level(400, 400, 100), Level(4000, 4000, 0))


def test_fitted_levels_are_equally_far_apart() -> None:
    told = fit(LEVELS, [(1, 0.0, 0.0), (2, 200.0, 50.0), (3, 400.0, 70.0)])
    assert [one["nodes"] for one in told] == [40, 130, 400, 1300, 50_000_000]
    assert [one["temperature"] for one in told] == [400, 200, 100, 22, 0]
    assert told[-1] == EVERYTHING


def test_a_game_with_little_to_tell_apart_has_few_levels() -> None:
    assert len(fit(LEVELS, [(1, 0.0, 0.0), (2, 40.0, 50.0), (3, 90.0, 70.0)])) == 2
    assert len(fit(LEVELS, [(1, 0.0, 0.0), (3, 5000.0, 70.0)])) == MOST
