"""Ayoayo: sow lap after lap, capture across, and never leave the other without seeds.

The ring is read counter-clockwise, the stores lie apart::

    11 10  9  8  7  6        north   f e d c b a
     0  1  2  3  4  5        south   A B C D E F
"""

from __future__ import annotations

from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import bank, copy_cells, seeds_in, sow_laps, sweep
from rules_core.kernel import (
    BY_NO_FEEDING_MOVE,
    BY_NO_SEEDS,
    BY_STANDSTILL,
    NOBODY,
    Board,
    Moves,
    Steps,
    leader,
    rule,
)
from rules_core.options import Option, OptionSpec

KEY, NAME, RULES = "ayoayo", "Ayoayo", "ayoayo/1"
OPTIONS = (
    OptionSpec(
        name="seeds",
        kind="int",
        default=4,
        minimum=2,
        maximum=6,
        description="Seeds in each pit at the start.",
    ),
)

TURN, STORES, OVER, WINNER, SIZE = 12, 13, 15, 16, 17
WORK = SIZE + 12  # a copy of the pits, while a sowing is tried
MAX_MOVES, MOVE_IDS = 6, 12
LASTING = (STORES, STORES + 1)


def opening(options: dict[str, Option]) -> Board:
    """Y1: the same number of seeds in each of the twelve pits."""
    seeds = int(options["seeds"] or 0)
    return [seeds] * 12 + [0] * (WORK - 12)


@rule
def legal(board: Board, out: Moves) -> int:
    """Y2, Y5: an own pit with seeds whose sowing ends, and feeds if it has to."""
    found = 0
    if board[OVER] == 0:
        first = 6 * board[TURN]
        for pit in range(first, first + 6):
            if board[pit] and is_playable(board, pit):
                out[found] = pit
                found += 1
    return found


@rule
def is_playable(board: Board, pit: int) -> bool:
    """Y5, G8: try the sowing, look at the other row, then put everything back."""
    others = 6 - 6 * board[TURN]
    has_to_feed = seeds_in(board, others, 6) == 0
    copy_cells(board, 0, 12, SIZE)
    last = sow_laps(board, pit, 12, None)
    is_fed = seeds_in(board, others, 6) > 0
    copy_cells(board, SIZE, 12, 0)
    return last >= 0 and (is_fed or not has_to_feed)


@rule
def apply(board: Board, pit: int, steps: Steps) -> None:
    """Sow lap after lap, capture across, settle (Y2-Y4, Y6)."""
    mover = board[TURN]
    last = sow_laps(board, pit, 12, steps)  # Y2, Y3
    first = 6 * mover
    across = 11 - last
    if first <= last < first + 6 and board[across]:  # Y4: the last seed stays
        bank(board, across, STORES + mover, mover, steps)
    board[TURN] = 1 - mover
    settle(board, steps)


@rule
def settle(board: Board, steps: Steps) -> None:
    """Y6: who cannot move leaves what is on the board to its owners."""
    mover = board[TURN]
    if seeds_in(board, 6 * mover, 6) == 0:
        end(board, BY_NO_SEEDS, steps)
    elif not can_move(board):
        end(board, BY_NO_FEEDING_MOVE, steps)


@rule
def can_move(board: Board) -> bool:
    """Tell whether the seat to move has a legal move."""
    first = 6 * board[TURN]
    for pit in range(first, first + 6):
        if board[pit] and is_playable(board, pit):
            return True
    return False


@rule
def end(board: Board, reason: int, steps: Steps) -> None:
    """Y6: each seat keeps what lies on its side; more seeds win."""
    sweep(board, 0, 6, STORES, 0, steps)
    sweep(board, 6, 6, STORES + 1, 1, steps)
    board[OVER] = reason
    board[WINNER] = leader(board[STORES], board[STORES + 1])


@rule
def standstill(board: Board, steps: Steps) -> None:
    """Y7: seeds that only circulate are a draw."""
    board[OVER] = BY_STANDSTILL
    board[WINNER] = NOBODY


@rule
def score(board: Board) -> int:
    """Return how far south's store is ahead."""
    return board[STORES] - board[STORES + 1]


@rule
def evaluate(board: Board) -> int:
    """Seeds in store count whole; those on the own side only a little: they move on."""
    lead = board[STORES] - board[STORES + 1]
    return 100 * lead + 5 * (seeds_in(board, 0, 6) - seeds_in(board, 6, 6))


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    return TwoRow(
        south=range(6),
        north=range(6, 12),
        stores=(STORES, STORES + 1),
        turn=TURN,
        ends=("right", "left"),
    )
