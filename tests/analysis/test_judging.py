"""What a move was worth: its loss, and the code that comments on it."""

from typing import Any

import pytest

from rules_core import Position, parse, start
from rules_core.search.root import all_there_is, final_margin
from rules_core.search.thinking import Budget, think
from services.analysis.judging import (
    COMMENTS,
    count_comments,
    judge,
    mistakes,
)
from tests.support.playing import dice, play_on

START = start("kalah", {})
FORCED = parse("kalah", "0,0,0,0,0,1/0,0,0,0,0,1 23,23 S")
OVER = parse("kalah", "0,0,0,0,0,1/0,0,0,0,0,1 29,17 S").play("F")


def best(move: str, value: float, *, exact: bool = False) -> dict[str, Any]:
    return {"moves": [move], "value": value, "exact": exact, "depth": 9}


def comment(
    move: str,
    before: float,
    after: float,
    *,
    exact: bool = False,
    position: Position = START,
) -> tuple[str, float]:
    told = judge(position, move, best("C", before, exact=exact), (after, exact))
    return told["comment"], told["loss"]


@pytest.mark.parametrize(
    ("loss", "code"),
    [
        (-2.0, "good"),
        (0.0, "good"),
        (0.9, "good"),
        (1.0, "inaccuracy"),
        (2.8, "inaccuracy"),
        (2.9, "mistake"),
        (5.7, "mistake"),
        (5.8, "blunder"),
    ],
)
def test_a_comment_is_by_the_share_of_the_seeds_that_a_move_loses(
    loss: float, code: str
) -> None:
    """Of the 48 of Kalah; what turns out better than the best loses nothing."""
    assert comment("A", 3.0, 3.0 - loss) == (code, pytest.approx(max(loss, 0)))


def test_the_best_move_loses_nothing_whatever_comes_of_it() -> None:
    told = judge(START, "C", best("C", 3.0), (-5.0, False))
    assert (told["comment"], told["loss"], told["value"]) == ("best", 0.0, 3.0)
    assert (told["seat"], told["move"]) == ("south", "C")
    proven = judge(START, "C", best("C", 3.0), (-5.0, True))
    assert (proven["comment"], proven["loss"], proven["value"]) == ("best", 0.0, -5.0)


def test_what_could_not_be_otherwise_is_forced() -> None:
    assert len(FORCED.legal_moves) == 1
    assert comment("F", 4.0, -9.0, position=FORCED) == ("forced", 0.0)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [(0.5, 0.0, "blunder"), (0.0, -0.5, "blunder"), (9.0, 8.5, "good")],
)
def test_who_gives_a_proven_win_or_draw_away_blunders(
    before: float, after: float, code: str
) -> None:
    """However little it is; and only if both are proven."""
    assert comment("A", before, after, exact=True)[0] == code
    assert comment("A", before, after)[0] == "good"


@pytest.mark.parametrize(
    ("game", "size"), [("kalah", 48), ("congkak", 98), ("reversi", 64)]
)
def test_the_size_of_a_game_is_that_of_its_seeds_or_squares(
    game: str, size: int
) -> None:
    assert all_there_is(start(game)) == size


def test_a_game_that_is_over_is_worth_its_margin() -> None:
    assert final_margin(OVER) == 12


@pytest.mark.parametrize("key", ["oware-nam-nam", "bao-kujifunza"])
def test_where_winning_is_all_a_win_is_worth_all_there_is(key: str) -> None:
    """To whoever judges a match that is over as to who searches."""
    options = {"max_rounds": 1} if key == "oware-nam-nam" else {}
    for seed in range(100):
        *_, before, over = play_on(start(key, options), dice(seed), 1_000)
        outcome = over.outcome
        if outcome is not None and outcome.winner == before.to_move:
            break
    mover = 1 if before.to_move == before.game.seats[0] else -1
    best = think(before, Budget(60.0, nodes=10_000)).lines[0]
    assert best.exact
    assert best.value == mover * final_margin(over) == all_there_is(over)


def test_mistakes_come_by_size() -> None:
    plies = [
        {"ply": ply, **judge(START, "A", best("C", 9.0), (9.0 - loss, False))}
        for ply, loss in enumerate([1.0, 7.0, 0.2, 4.0, 8.0], start=1)
    ]
    told = mistakes(plies)
    assert [ply["ply"] for ply in told] == [5, 2, 4, 1]
    assert set(told[0]) == {"ply", "seat", "move", "loss", "comment"}
    counted = count_comments(("south", "north"), plies)
    assert counted["north"] == dict.fromkeys(COMMENTS, 0)
    assert counted["south"]["blunder"] == 2
    assert sum(counted["south"].values()) == 5
