"""What is known of Bao for Children if it is played to its last seed.

Then stores bear on nothing, every seed in play can still come to either seat, and
there are endings of few seeds: the hooks of a game file, in the words of `Engine`.
"""

from rules_core.games.bao_children import SOUTH, TURN, score
from rules_core.games.sowing import house_cell, seeds_in
from rules_core.kernel import Board, rule


@rule
def most(board: Board) -> int:
    """Return the score if every seed that is in play comes to south."""
    return score(board) + in_play(board)


@rule
def least(board: Board) -> int:
    """Return the score if every seed that is in play comes to north."""
    return score(board) - in_play(board)


@rule
def in_play(board: Board) -> int:
    """Count the seeds in hollows."""
    return seeds_in(board, 0, 8) + seeds_in(board, 9, 8)


@rule
def banked(board: Board, seat: int) -> int:
    """Return the store of a seat: what lies there changes nothing of what follows."""
    return SOUTH + 9 * seat


@rule
def ring_size(board: Board) -> int:
    """Return the number of hollows."""
    return 16


@rule
def ring_cell(board: Board, index: int) -> int:
    """Return a hollow, counted from the first one of the seat to move."""
    return house_cell(8, index + 8 * board[TURN])
