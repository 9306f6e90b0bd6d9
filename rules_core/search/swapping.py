"""While a seat may still take the other's place nothing on the board is anybody's yet.

Whoever may swap gets the better side. So a position that is not looked into is worth to
that seat what it is worth to who is ahead, and a first move is the better the nearer it
leads to balance (K7, C9).
"""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import Board, rule


@rule
def may_swap(game: Engine, board: Board) -> bool:
    """Tell whether a swap is still to come: then stores bear on what follows."""
    return game.swapping >= 0 and board[game.swapping] != 0


@rule
def either_way(up_to: int, from_on: int) -> int:
    """Return how far ahead a seat can be in the end, whichever side it has then."""
    if up_to < -from_on:
        return -from_on
    return up_to


@rule
def better_side(game: Engine, board: Board, side: int, value: int) -> int:
    """Return a value of a seat as it is when the one that may swap takes its choice."""
    worth = value if value > 0 else -value
    if board[game.swapping] == side + 1:
        return worth
    return -worth
