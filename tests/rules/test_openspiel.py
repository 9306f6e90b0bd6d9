"""Random games, move by move beside OpenSpiel, whose rules were written by others.

Where the rules differ, the comparison stops or goes round it:

- its Oware ends a game when a position recurs for the first time, ours (W8) at the
  third: a line is compared up to there;
- after the end its boards are swept in Oware, and not in Kalah: only who won counts;
- it has no seeds options in Kalah, and no Oware in which heads may be cut.
"""

import warnings

import pytest

from rules_core import Position, start
from tests.support.playing import dice

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pyspiel = pytest.importorskip(
        "pyspiel", reason="OpenSpiel is not installed", exc_type=ImportError
    )

GAMES_EACH = 40


def counts(position: Position) -> list[int]:
    """Return the seeds of a two-row board: A to F, a to f."""
    return [int(position.board[pit]) for pit in "ABCDEFabcdef"]


def winner_of(position: Position, state: object) -> None:
    """Compare who has won."""
    first, second = position.game.seats
    returns = {first: [1, -1], second: [-1, 1], None: [0, 0]}
    assert state.returns() == returns[position.outcome.winner]


@pytest.mark.parametrize("seed", range(GAMES_EACH))
def test_kalah(seed: int) -> None:
    """The ring begins with north's store there."""
    chance = dice(seed)
    position, state = start("kalah"), pyspiel.load_game("mancala").new_initial_state()
    pits = {pit: number for number, pit in enumerate(" ABCDEF abcdef") if pit != " "}
    while position.outcome is None:
        assert not state.is_terminal()
        assert [pits[move] for move in position.legal_moves] == state.legal_actions()
        board = position.board
        south, north = counts(position)[:6], counts(position)[6:]
        ring = [board["north"], *south, board["south"], *north]
        assert [int(seeds) for seeds in state.observation_tensor(0)][:14] == ring
        move = chance.choice(position.legal_moves)
        position = position.play(move)
        state.apply_action(pits[move])
    assert state.is_terminal()
    winner_of(position, state)


@pytest.mark.parametrize("seed", range(GAMES_EACH))
def test_oware_abapa(seed: int) -> None:
    """A move is the number of the mover's house."""
    chance = dice(seed)
    position = start("oware-abapa")
    state = pyspiel.load_game("oware").new_initial_state()
    seen = set()
    while position.outcome is None and str(position) not in seen:
        seen.add(str(position))
        assert not state.is_terminal()
        names = [state.action_to_string(a) for a in state.legal_actions()]
        assert names == list(position.legal_moves)
        move = chance.choice(position.legal_moves)
        position = position.play(move)
        state.apply_action("ABCDEF".index(move.upper()))
    assert state.is_terminal()
    if position.outcome is not None:
        winner_of(position, state)


@pytest.mark.parametrize("seed", range(GAMES_EACH))
def test_reversi(seed: int) -> None:
    """A pass is an action there, and follows from the position here."""
    chance = dice(seed)
    position = start("reversi")
    state = pyspiel.load_game("othello").new_initial_state()
    squares = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh"]
    while position.outcome is None:
        legal = [squares.index(move) for move in position.legal_moves]
        assert legal == state.legal_actions()
        move = chance.choice(position.legal_moves)
        position = position.play(move)
        state.apply_action(squares.index(move))
        for _ in position.passes:
            assert state.legal_actions() == [64]
            state.apply_action(64)
    assert state.is_terminal()
    winner_of(position, state)
