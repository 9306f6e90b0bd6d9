"""Random games beside a slow, independent writing of the rules."""

import pytest

from rules_core import start
from tests.rules.second_opinion import OPINIONS, kujifunza_moves
from tests.support.playing import dice


@pytest.mark.parametrize("game", OPINIONS)
@pytest.mark.parametrize("seed", range(40))
def test_the_second_opinion_is_the_same(game: str, seed: int) -> None:
    """The board, the seat to move and the end, at every ply."""
    chance, options = dice(seed), {}
    if game == "congkak" and seed % 2:
        options = {"pits": 5 + seed % 5, "seeds": 3 + seed % 7}
    if game == "oware-nam-nam":
        options = {"max_rounds": 1}
    position = start(game, options)
    while position.legal_moves:
        if game == "bao-kujifunza":
            moves, _ = kujifunza_moves(dict(position.board), position.to_move)
            assert tuple(moves) == position.legal_moves
        move = chance.choice(position.legal_moves)
        expected, following = OPINIONS[game](
            dict(position.board), position.to_move, move
        )
        position = position.play(move)
        if position.outcome and position.outcome.reason in ("standstill", "rounds"):
            break  # repetition is told by the match, not by the board
        assert position.board == expected
        assert position.to_move == following
