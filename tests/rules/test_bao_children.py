"""Bao, the Kenyan children's game, rule by rule."""

import random

import pytest

from rules_core import parse, start
from rules_core.games import bao_children
from tests.rules.drawing import drawn, position

GAME = "bao-children"
NONE = "0,0,0,0,0,0,0,0"


def test_b1_three_seeds_in_sixteen_hollows() -> None:
    """The stores are to the players' right."""
    assert str(start(GAME)) == drawn(
        """
         3 3 3 3 3 3 3 3        h g f e d c b a
        0               0
         3 3 3 3 3 3 3 3        A B C D E F G H      south to move
        """,
        GAME,
    )


def test_b2_sowing_feeds_the_own_store_and_goes_on() -> None:
    """H sows the store, a and b."""
    assert str(start(GAME).play("H")) == drawn(
        """
         3 3 3 3 3 3 4 4        h g f e d c b a
        0               1
         3 3 3 3 3 3 3 0        A B C D E F G H      north to move
        """,
        GAME,
    )


def test_b3_the_hollow_sown_from_and_the_opponents_store_are_passed_over() -> None:
    """Of seventeen seeds the seventeenth goes into the next hollow."""
    before = parse(GAME, f"17,0,0,0,0,0,0,0/{NONE} 15,16 S")
    assert str(before.play("A")) == "0,2,1,1,1,1,1,1/1,1,1,1,1,1,1,1 16,16 N"


def test_b4_last_seed_in_the_own_store_moves_again() -> None:
    """F holds just enough."""
    again = start(GAME).play("F")
    assert str(again) == "3,3,3,3,3,0,4,4/3,3,3,3,3,3,3,3 1,0 S"


def test_b5_the_capturing_seed_stays() -> None:
    """B was empty; g's five go to the store."""
    before = position(
        GAME,
        """
         3 5 3 3 3 3 3 3        h g f e d c b a
        5               5
         1 0 3 3 3 0 0 2        A B C D E F G H      south to move
        """,
    )
    assert str(before.play("A")) == drawn(
        """
         3 0 3 3 3 3 3 3        h g f e d c b a
        5              10
         0 1 3 3 3 0 0 2        A B C D E F G H      north to move
        """,
        GAME,
    )


def test_b5_only_own_hollows_that_were_empty_capture() -> None:
    """Neither B, which holds a seed, nor north's empty a."""
    before = parse(GAME, "1,1,3,3,3,0,0,2/0,3,3,3,3,3,5,5 5,5 S")
    assert str(before.play("A")) == "0,2,3,3,3,0,0,2/0,3,3,3,3,3,5,5 5,5 N"
    assert str(before.play("H")) == "1,1,3,3,3,0,0,0/1,3,3,3,3,3,5,5 6,5 N"


def test_b6_twenty_five_seeds_win_before_another_turn() -> None:
    """The last seed reached the store, but the game is over."""
    over = parse(GAME, "1,0,0,0,0,0,0,1/5,0,0,0,0,0,0,0 24,17 S").play("H")
    assert str(over) == "1,0,0,0,0,0,0,0/5,0,0,0,0,0,0,0 25,17 -"
    assert (over.outcome.winner, over.outcome.reason) == ("south", "majority")


def test_b6_half_and_half_is_a_draw() -> None:
    """24 each."""
    over = parse(GAME, f"{NONE}/{NONE} 24,24 S")
    assert (over.outcome.winner, over.outcome.reason) == (None, "halves")


def sign_for_south(board: list[int]) -> int:
    """Return who wins with perfect play, having tried everything: 1, 0 or -1."""
    if board[bao_children.OVER]:
        lead = bao_children.score(board)
        return (lead > 0) - (lead < 0)
    moves, found = [0] * bao_children.MAX_MOVES, []
    count = bao_children.legal(board, moves)
    for move in moves[:count]:
        after = [*board]
        bao_children.apply(after, move, None)
        found.append(sign_for_south(after))
    return min(found) if board[bao_children.TURN] else max(found)


def test_b6_who_wins_is_the_same_if_it_is_played_to_the_last_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What `tests.bench.strength` proves of this game stands on it."""
    chance, boards = random.Random(6), []
    while len(boards) < 60:
        board = [0] * bao_children.SIZE
        for _ in range(4):
            board[chance.choice([*range(8), *range(9, 17)])] += 1
        board[bao_children.SOUTH] = chance.randint(20, 24)
        board[bao_children.NORTH] = 44 - board[bao_children.SOUTH]
        board[bao_children.TURN] = chance.randrange(2)
        bao_children.settle(board, None)
        if not board[bao_children.OVER]:
            boards.append(board)
    ended = [sign_for_south(board) for board in boards]
    assert set(ended) == {-1, 0, 1}
    monkeypatch.setattr(bao_children, "HALF", 48)
    assert [sign_for_south(board) for board in boards] == ended


def test_b7_a_player_without_seeds_ends_the_game_also_after_b4() -> None:
    """South should move again, but has none: north keeps its two."""
    over = parse(GAME, "0,0,0,0,0,0,0,1/2,0,0,0,0,0,0,0 22,23 S").play("H")
    assert str(over) == f"{NONE}/{NONE} 23,25 -"
    assert (over.outcome.winner, over.outcome.reason) == ("north", "no-seeds")


def test_b7_giving_the_last_seed_away_does_not_end_the_game() -> None:
    """North has something to move."""
    after = parse(GAME, "0,0,0,0,0,0,0,2/2,0,0,0,0,0,0,0 22,22 S").play("H")
    assert str(after) == f"{NONE}/3,0,0,0,0,0,0,0 23,22 N"
