"""Bao, the Kenyan children's game: two rows of eight, sow into your own store.

The board is one ring, read counter-clockwise::

        16 15 14 13 12 11 10  9        north   h g f e d c b a
    17                           8     stores
         0  1  2  3  4  5  6  7        south   A B C D E F G H
"""

from __future__ import annotations

from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import bank, lift, seeds_in, sow, sweep
from rules_core.kernel import (
    BY_HALVES,
    BY_MAJORITY,
    BY_NO_SEEDS,
    NOBODY,
    Board,
    Moves,
    Steps,
    leader,
    rule,
)
from rules_core.options import Option, OptionSpec

KEY, NAME, RULES = "bao-children", "Bao for Children", "bao-children/1"
OPTIONS: tuple[OptionSpec, ...] = ()

SOUTH, NORTH = 8, 17  # the stores
TURN, OVER, WINNER, SIZE = 18, 19, 20, 21
MAX_MOVES, MOVE_IDS = 8, 18
COUNTS, WHOLE_TURNS = True, True
HALF = 24


def opening(options: dict[str, Option]) -> Board:
    """B1: three seeds in each of the sixteen hollows."""
    return [3] * 8 + [0] + [3] * 8 + [0, 0, 0, 0]


@rule
def legal(board: Board, out: Moves) -> int:
    """B2: a move begins in an own hollow that holds seeds."""
    count = 0
    if board[OVER] == 0:
        first = 9 * board[TURN]
        for pit in range(first, first + 8):
            if board[pit]:
                out[count] = pit
                count += 1
    return count


@rule
def apply(board: Board, pit: int, steps: Steps) -> None:
    """Sow, capture, settle (B2-B7)."""
    mover = board[TURN]
    store = SOUTH + 9 * mover
    other_store = NORTH - 9 * mover
    # B2, B3: neither into the opponent's store nor into the hollow sown from
    last = sow(board, pit, lift(board, pit, steps), 18, other_store, pit, steps)
    if last != store:  # B4: a last seed in the own store moves again
        first = 9 * mover
        across = 16 - last
        if first <= last < first + 8 and board[last] == 1 and board[across]:
            bank(board, across, store, mover, steps)  # B5: the last seed stays
        board[TURN] = 1 - mover
    settle(board, steps)


@rule
def settle(board: Board, steps: Steps) -> None:
    """End the game where B6 or B7 ends it."""
    if board[SOUTH] > HALF or board[NORTH] > HALF:  # B6
        finish(board, BY_MAJORITY, leader(board[SOUTH], board[NORTH]))
    elif board[SOUTH] == HALF and board[NORTH] == HALF:
        finish(board, BY_HALVES, NOBODY)
    elif seeds_in(board, 9 * board[TURN], 8) == 0:  # B7
        other = 1 - board[TURN]
        sweep(board, 9 * other, 8, SOUTH + 9 * other, other, steps)
        finish(board, BY_NO_SEEDS, leader(board[SOUTH], board[NORTH]))


@rule
def finish(board: Board, reason: int, winner: int) -> None:
    """Close the game."""
    board[OVER] = reason
    board[WINNER] = winner


@rule
def score(board: Board) -> int:
    """Return how far south's store is ahead."""
    return board[SOUTH] - board[NORTH]


@rule
def evaluate(board: Board) -> int:
    """Add to the stores what comes of the hollows, as games of our own have told."""
    value = 100 * (board[SOUTH] - board[NORTH])
    for place in range(8):
        value += hollow_value(board[place], place)
        value -= hollow_value(board[9 + place], place)
    return value


@rule
def hollow_value(seeds: int, place: int) -> int:
    """Return what it is worth to own seeds in the hollow of a place from the left.

    Seeds far from the store will be sown for long; the right number moves again.
    """
    if seeds == 0:
        return -10
    value = 30
    if seeds == 8 - place:
        value += 130
    if place < 3:
        value += 65 * seeds
    elif place < 5:
        value += 30 * seeds
    else:
        value -= 15 * seeds
    return value


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    return TwoRow(
        south=range(8),
        north=range(9, 17),
        stores=(SOUTH, NORTH),
        turn=TURN,
        ends=("right", "left"),
    )
