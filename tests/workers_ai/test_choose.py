"""The computer player: legal, repeatable, in time, and stronger from level to level."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_core import GAMES, Game, Position, parse, start
from rules_core.search.thinking import Budget, think
from tests.support.patience import WITHIN_S
from tests.support.playing import dice, lines, play_on
from workers.ai import choose
from workers.ai.choice import draw
from workers.ai.levels import HARD_CAP_S


@given(lines(plies=40), st.integers(1, 3), st.integers(0, 2**64))
@settings(max_examples=60)
def test_the_chosen_move_is_legal_and_the_same_each_time(
    line: list[Position], level: int, seed: int
) -> None:
    """Whatever the position, the level and the seed."""
    for position in line[::7]:
        if position.legal_moves:
            move = choose(position, level, seed)
            assert move in position.legal_moves
            assert choose(position, level, seed) == move


def test_another_seed_may_choose_another_move_at_low_levels_only() -> None:
    """Chance belongs to the levels that have a temperature."""
    first = start("oware")
    assert len({choose(first, 1, seed) for seed in range(40)}) > 3
    assert len({choose(first, 9, seed) for seed in range(5)}) == 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_the_highest_level_answers_in_time(game: Game) -> None:
    """Half-way through a random game."""
    *_, position = play_on(start(game.key), dice(3), 12)
    before = time.monotonic()
    assert choose(position, 8, 1, ladder=1) in position.legal_moves
    assert time.monotonic() - before < HARD_CAP_S


def test_the_time_is_a_limit_of_its_own() -> None:
    """A thousand million positions would take an hour; a busy machine, a second."""
    first = start("reversi")
    before = time.monotonic()
    thought = think(first, Budget(0.1), lines=99)
    assert 0.05 < time.monotonic() - before < WITHIN_S
    assert {line.moves[0] for line in thought.lines} == set(first.legal_moves)


def test_without_time_a_move_is_still_found() -> None:
    """Not even one round of looking is finished."""
    first = start("kalah")
    assert think(first, Budget(0.0, nodes=0)).lines == ()
    assert choose(first, 1, 5, time_s=0) in first.legal_moves


def test_there_is_no_move_when_the_game_is_over() -> None:
    """And no level but those of the table."""
    over = parse("kalah", "0,0,0,0,0,1/0,0,0,0,0,1 23,23 S").play("F")
    with pytest.raises(ValueError, match="over"):
        choose(over, 1, 0)
    with pytest.raises(ValueError, match="1 to 8"):
        choose(start("kalah"), 9, 0, ladder=1)


def test_a_temperature_makes_worse_moves_rarer() -> None:
    """One temperature worse is e times as rare."""
    chance = dice(0)
    drawn = [draw({"A": 100, "B": 0}, 100, chance) for _ in range(2000)]
    assert 2.3 < drawn.count("A") / drawn.count("B") < 3.2
    assert {draw({"A": 100, "B": 99}, 0, chance) for _ in range(20)} == {"A"}


def test_a_win_at_hand_is_taken() -> None:
    """F captures a majority."""
    before = parse("oware", "4,4,4,0,0,1/1,1,4,4,0,0 24,1 S")
    assert before.play(choose(before, 10, 0)).outcome.winner == "south"


def test_a_standstill_is_seen_coming() -> None:
    """North leads, but the next move brings the position up for the third time."""
    position = parse("oware", "0,0,0,0,0,1/0,0,0,0,0,1 22,24 S")
    while position.play(position.legal_moves[0]).outcome is None:
        position = position.play(position.legal_moves[0])
    move = position.legal_moves[0]
    thought = think(position, Budget(1, nodes=100), lines=9)
    assert [(line.moves, line.value) for line in thought.lines] == [((move,), 0)]


def points(
    game: str, options: dict[str, int] | None, strong: int, weak: int, pairs: int
) -> float:
    """Return the share of points of the stronger level, both colours in turn."""
    points: float = 0
    for seed in range(pairs):
        for strong_seat in (0, 1):
            position = start(game, options)
            seats = position.game.seats
            for ply in range(300):
                if not position.legal_moves:
                    break
                is_strong = position.to_move == seats[strong_seat]
                level = strong if is_strong else weak
                position = position.play(choose(position, level, 1000 * seed + ply))
            winner = position.outcome.winner if position.outcome else None
            points += {seats[strong_seat]: 1, None: 0.5}.get(winner, 0)
    return points / (2 * pairs)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
@pytest.mark.parametrize(("strong", "weak"), [(3, 1), (5, 2)])
def test_a_higher_level_wins(game: Game, strong: int, weak: int) -> None:
    """By a clear margin; the games are the same in every run."""
    options = {"max_rounds": 1} if game.key == "oware-nam-nam" else None
    pairs = 2 if game.key == "bao-kujifunza" else 4  # its fifth level is its highest
    assert points(game.key, options, strong, weak, pairs) >= 0.65
