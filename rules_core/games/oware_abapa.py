"""Oware by tournament rules: a capture of all the opponent has captures nothing.

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
from rules_core.games.sowing import bank, lift, seeds_in, sow, sweep
from rules_core.kernel import BY_STANDSTILL, Board, Steps, leader, rule

KEY, NAME, RULES = "oware-abapa", "Oware Abapa", "oware-abapa/1"
PARTS = (oware_houses,)


@rule
def apply(board: Board, pit: int, steps: Steps) -> None:
    """Sow, capture backwards, settle (W2-W7)."""
    mover = board[TURN]
    last = sow(
        board, pit, lift(board, pit, steps), 12, pit, -1, steps
    )  # W2: never into the origin
    theirs = 6 - 6 * mover
    first = last  # W3: the houses from *first* to *last* are captured
    gain = 0
    while theirs <= first < theirs + 6 and 2 <= board[first] <= 3:
        gain += board[first]
        first -= 1
    if gain < seeds_in(board, theirs, 6):  # W5: a grand slam leaves the seeds
        while last > first:
            bank(board, last, STORES + mover, mover, steps)
            last -= 1
    board[TURN] = 1 - mover
    settle(board, steps)


@rule
def standstill(board: Board, steps: Steps) -> None:
    """W8: at the third recurrence of a position each seat keeps its own side."""
    sweep(board, 0, 6, STORES, 0, steps)
    sweep(board, 6, 6, STORES + 1, 1, steps)
    finish(board, BY_STANDSTILL, leader(board[STORES], board[STORES + 1]))
