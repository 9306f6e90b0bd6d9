"""Kalah: sow counter-clockwise, feed your own store, capture across.

The board is one ring, read counter-clockwise; with six pits a side::

        12 11 10  9  8  7        north   f e d c b a
    13                     6     stores
         0  1  2  3  4  5        south   A B C D E F
"""

from __future__ import annotations

from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import (
    bank,
    house_cell,
    lift,
    seeds_in,
    sow,
    swap_sides,
    sweep,
)
from rules_core.kernel import BY_SEEDS, Board, Moves, Steps, leader, rule
from rules_core.options import PIE, Option, OptionSpec

KEY, NAME, RULES = "kalah", "Kalah", "kalah/1"
OPTIONS = (
    OptionSpec(
        name="pits",
        kind="int",
        default=6,
        minimum=1,
        maximum=8,
        description="Pits of each seat.",
    ),
    OptionSpec(
        name="seeds",
        kind="int",
        default=4,
        minimum=1,
        maximum=8,
        description="Seeds in each pit at the start.",
    ),
    OptionSpec(
        name="empty_capture",
        kind="bool",
        default=False,
        description="A last seed that faces an empty pit goes to the store all alone.",
    ),
    PIE,
)

TURN, OVER, WINNER, PITS, EMPTY_CAPTURE, SWAPPING, SIZE = 18, 19, 20, 21, 22, 23, 24
MAX_MOVES, MOVE_IDS = 9, 19
COUNTS, WHOLE_TURNS = True, True
ENDING_OPTIONS = ("pits", "empty_capture")


def opening(options: dict[str, Option]) -> Board:
    """K1: the same number of seeds in every house, the stores empty."""
    pits, seeds = int(options["pits"] or 0), int(options["seeds"] or 0)
    board = [0] * SIZE
    board[:pits] = board[pits + 1 : 2 * pits + 1] = [seeds] * pits
    board[PITS], board[EMPTY_CAPTURE] = pits, int(bool(options["empty_capture"]))
    board[SWAPPING] = 2 * int(bool(options["pie"]))
    return board


@rule
def legal(board: Board, out: Moves) -> int:
    """K3: a move begins in an own house that holds seeds; K7: or it is the swap."""
    count = 0
    if board[OVER] == 0:
        first = board[TURN] * (board[PITS] + 1)
        for pit in range(first, first + board[PITS]):
            if board[pit]:
                out[count] = pit
                count += 1
        if board[SWAPPING] == board[TURN] + 1:
            out[count] = 2 * board[PITS] + 2
            count += 1
    return count


@rule
def apply(board: Board, move: int, steps: Steps) -> None:
    """Swap places (K7), or sow, capture, then settle (K3-K6)."""
    mover, pits = board[TURN], board[PITS]
    if board[SWAPPING] == mover + 1:
        board[SWAPPING] = 0
    if move == 2 * pits + 2:
        swap_sides(board, pits + 1, mover, steps)
        board[TURN] = 1 - mover
    else:
        sow_turn(board, move, mover, steps)
        settle(board, steps)


@rule
def sow_turn(board: Board, pit: int, mover: int, steps: Steps) -> None:
    """K3-K5: sow, capture, and move again or not."""
    pits = board[PITS]
    ring = 2 * pits + 2
    store = pits + mover * (pits + 1)
    other_store = 2 * pits + 1 - mover * (pits + 1)
    last = sow(board, pit, lift(board, pit, steps), ring, other_store, -1, steps)  # K3
    if last != store:  # K5: a last seed in the own store moves again
        capture(board, last, mover, store, steps)
        board[TURN] = 1 - mover


@rule
def capture(board: Board, last: int, mover: int, store: int, steps: Steps) -> None:
    """K4: a last seed in an own house that was empty takes what lies across."""
    pits = board[PITS]
    first = mover * (pits + 1)
    if first <= last < first + pits and board[last] == 1:
        across = 2 * pits - last
        if board[across]:
            bank(board, last, store, mover, steps)
            bank(board, across, store, mover, steps)
        elif board[EMPTY_CAPTURE]:
            bank(board, last, store, mover, steps)


@rule
def settle(board: Board, steps: Steps) -> None:
    """K6: when a side is empty the game ends, and the other keeps what is left."""
    pits = board[PITS]
    south = seeds_in(board, 0, pits)
    north = seeds_in(board, pits + 1, pits)
    if south == 0 or north == 0:
        sweep(board, 0, pits, pits, 0, steps)
        sweep(board, pits + 1, pits, 2 * pits + 1, 1, steps)
        board[OVER] = BY_SEEDS
        board[SWAPPING] = 0
        board[WINNER] = leader(board[pits], board[2 * pits + 1])


@rule
def score(board: Board) -> int:
    """Return how far south's store is ahead."""
    return board[board[PITS]] - board[2 * board[PITS] + 1]


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
    """Count the seeds in houses."""
    pits = board[PITS]
    return seeds_in(board, 0, pits) + seeds_in(board, pits + 1, pits)


@rule
def banked(board: Board, seat: int) -> int:
    """Return the store of a seat: what lies there changes nothing of what follows."""
    return board[PITS] + seat * (board[PITS] + 1)


@rule
def ring_size(board: Board) -> int:
    """Return the number of houses."""
    return 2 * board[PITS]


@rule
def ring_cell(board: Board, index: int) -> int:
    """Return a house, counted from the first one of the seat to move."""
    return house_cell(board[PITS], index + board[TURN] * board[PITS])


@rule
def evaluate(board: Board) -> int:
    """Add to the stores what comes of the houses, as games of our own have told."""
    pits = board[PITS]
    value = 100 * score(board)
    for pit in range(pits):
        value += house_value(board[pit]) - house_value(board[pits + 1 + pit])
    return value


@rule
def house_value(seeds: int) -> int:
    """Return what it is worth to own a house with so many seeds.

    Few are better than none, and than some: they stay, and others are caught by them.
    """
    if seeds == 0:
        return -45
    if seeds <= 3:
        return 100 + 10 * seeds
    return 10 * seeds


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    pits = int(options["pits"] or 0)
    return TwoRow(
        south=range(pits),
        north=range(pits + 1, 2 * pits + 1),
        stores=(pits, 2 * pits + 1),
        turn=TURN,
        ends=("right", "left"),
        swapping=SWAPPING if options["pie"] else None,
    )
