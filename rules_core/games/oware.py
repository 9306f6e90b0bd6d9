"""Oware where heads may be cut: capture two and three, even all that there is.

The ring is read counter-clockwise, the stores lie apart::

    11 10  9  8  7  6        north   f e d c b a
     0  1  2  3  4  5        south   A B C D E F
"""

from __future__ import annotations

from rules_core.games import oware_houses
from rules_core.games.oware_houses import (  # noqa: F401  # the rest of the game
    COUNTS,
    LASTING,
    MAJORITY,
    MAX_MOVES,
    MOVE_IDS,
    OPTIONS,
    OVER,
    SIZE,
    STORES,
    TURN,
    WINNER,
    evaluate,
    face,
    finish,
    legal,
    opening,
    ring_cell,
    ring_size,
    score,
    settle,
)
from rules_core.games.sowing import bank, lift, sow
from rules_core.kernel import BY_STANDSTILL, NOBODY, Board, Steps, rule

KEY, NAME, RULES = "oware", "Oware", "oware/1"
PARTS = (oware_houses,)
DRAWS = True


@rule
def apply(board: Board, pit: int, steps: Steps) -> None:
    """Sow, capture backwards, settle (W2-W7)."""
    mover = board[TURN]
    last = sow(
        board, pit, lift(board, pit, steps), 12, pit, -1, steps
    )  # W2: never into the origin
    theirs = 6 - 6 * mover
    # W3; W5: a capture of all the opponent has is a capture like any other
    while theirs <= last < theirs + 6 and 2 <= board[last] <= 3:
        bank(board, last, STORES + mover, mover, steps)
        last -= 1
    board[TURN] = 1 - mover
    settle(board, steps)


@rule
def standstill(board: Board, steps: Steps) -> None:
    """W8: when the same position has come up for the third time, nobody wins."""
    finish(board, BY_STANDSTILL, NOBODY)
