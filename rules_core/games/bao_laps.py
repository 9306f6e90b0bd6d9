"""Bao, Kenyan, with laps: sow on while the last seed meets others.

The ring is read counter-clockwise, the stores lie apart::

    15 14 13 12 11 10  9  8        north   h g f e d c b a
     0  1  2  3  4  5  6  7        south   A B C D E F G H
"""

from __future__ import annotations

from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import bank, copy_cells, seeds_in, sow_laps, sweep
from rules_core.kernel import (
    BY_NO_SEEDS,
    BY_STANDSTILL,
    NEVER_ENDS,
    NOBODY,
    Board,
    Moves,
    Steps,
    leader,
    rule,
)
from rules_core.options import Option, OptionSpec

KEY, NAME, RULES = "bao-laps", "Bao with Laps", "bao-laps/1"
OPTIONS: tuple[OptionSpec, ...] = ()

TURN, STORES, OVER, WINNER, SIZE = 16, 17, 19, 20, 21
WORK = SIZE + 16  # a copy of the hollows, while a sowing is tried
MAX_MOVES, MOVE_IDS = 8, 16
COUNTS, DRAWS = True, True
LASTING = (STORES, STORES + 1)


def opening(options: dict[str, Option]) -> Board:
    """L1: two seeds in each of the sixteen hollows."""
    return [2] * 16 + [0] * (WORK - 16)


@rule
def legal(board: Board, out: Moves) -> int:
    """L2, L3: own hollows with two seeds or more; singles if there is nothing else."""
    count = 0
    for index in range(candidates(board, out)):
        if comes_to_an_end(board, out[index]):
            out[count] = out[index]
            count += 1
    return count


@rule
def candidates(board: Board, out: Moves) -> int:
    """Return these hollows, also where the sowing may be endless (G8)."""
    count = 0
    if board[OVER] == 0:
        first = 8 * board[TURN]
        least = least_seeds(board, first)
        for pit in range(first, first + 8):
            if board[pit] >= least:
                out[count] = pit
                count += 1
    return count


@rule
def least_seeds(board: Board, first: int) -> int:
    """L3: two, unless no hollow of the row holds as many; endless ones count too."""
    for pit in range(first, first + 8):
        if board[pit] > 1:
            return 2
    return 1


@rule
def comes_to_an_end(board: Board, pit: int) -> bool:
    """G8: it does in an empty hollow; else try the sowing, then put everything back."""
    seeds = board[pit]
    if seeds < 16 and board[(pit + seeds) % 16] == 0:
        return True
    copy_cells(board, 0, 16, SIZE)
    last = sow_laps(board, pit, 16, None)
    copy_cells(board, SIZE, 16, 0)
    return last >= 0


@rule
def apply(board: Board, pit: int, steps: Steps) -> None:
    """Sow lap after lap, capture, settle (L2, L4-L7)."""
    mover = board[TURN]
    last = sow_laps(board, pit, 16, steps)  # L2, L4
    if last < 0:
        board[OVER] = NEVER_ENDS
    else:
        first = 8 * mover
        across = 15 - last
        if first <= last < first + 8 and board[across]:  # L5: the last seed stays
            bank(board, across, STORES + mover, mover, steps)
        board[TURN] = 1 - mover
        settle(board, steps)


@rule
def settle(board: Board, steps: Steps) -> None:
    """L6: without seeds the game ends; L7: with endless moves only, it is drawn."""
    mover = board[TURN]
    if seeds_in(board, 8 * mover, 8) == 0:
        other = 1 - mover
        sweep(board, 8 * other, 8, STORES + other, other, steps)
        board[OVER] = BY_NO_SEEDS
        board[WINNER] = leader(board[STORES], board[STORES + 1])
    elif not can_move(board):
        standstill(board, steps)


@rule
def can_move(board: Board) -> bool:
    """Tell whether any move of the seat to move comes to an end."""
    first = 8 * board[TURN]
    least = least_seeds(board, first)
    for pit in range(first, first + 8):
        if board[pit] >= least and comes_to_an_end(board, pit):
            return True
    return False


@rule
def standstill(board: Board, steps: Steps) -> None:
    """L7: seeds that only circulate are a draw."""
    board[OVER] = BY_STANDSTILL
    board[WINNER] = NOBODY


@rule
def score(board: Board) -> int:
    """Return how far south's store is ahead."""
    return board[STORES] - board[STORES + 1]


@rule
def insight(board: Board) -> int:
    """Seeds on the own side are not lost yet, and feed what is sown next."""
    return 80 * (seeds_in(board, 0, 8) - seeds_in(board, 8, 8))


@rule
def ring_size(board: Board) -> int:
    """Return the number of hollows."""
    return 16


@rule
def ring_cell(board: Board, index: int) -> int:
    """Return a hollow, counted from the first one of the seat to move."""
    return (index + 8 * board[TURN]) % 16


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    return TwoRow(
        south=range(8),
        north=range(8, 16),
        stores=(STORES, STORES + 1),
        turn=TURN,
        ends=("left", "right"),
    )
