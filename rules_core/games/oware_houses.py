"""The houses of both Owares: the duty to feed, how a game ends, what it is worth.

What differs between them, the capture and the standstill, stands in the game files.
"""

from __future__ import annotations

from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import seeds_in, sweep
from rules_core.kernel import (
    BY_HALVES,
    BY_MAJORITY,
    BY_NO_FEEDING_MOVE,
    BY_NO_SEEDS,
    NOBODY,
    Board,
    Moves,
    Steps,
    leader,
    rule,
)
from rules_core.options import Option, OptionSpec

OPTIONS = (
    OptionSpec(
        name="seeds",
        kind="int",
        default=4,
        minimum=4,
        maximum=6,
        description="Seeds in each pit at the start.",
    ),
)

TURN, STORES, OVER, WINNER, HALF, SIZE = 12, 13, 15, 16, 17, 18
MAX_MOVES, MOVE_IDS = 6, 12
COUNTS, MAJORITY = True, True
LASTING = (STORES, STORES + 1)


def opening(options: dict[str, Option]) -> Board:
    """W1: the same number of seeds in each of the twelve houses."""
    seeds = int(options["seeds"] or 0)
    board = [0] * SIZE
    board[:12] = [seeds] * 12
    board[HALF] = 6 * seeds
    return board


@rule
def legal(board: Board, out: Moves) -> int:
    """W2, W4: an own house with seeds, enough of them to feed a starving opponent."""
    count = 0
    if board[OVER] == 0:
        first = 6 * board[TURN]
        starving = seeds_in(board, 6 - first, 6) == 0
        for pit in range(first, first + 6):
            if board[pit] and (not starving or pit + board[pit] >= first + 6):
                out[count] = pit
                count += 1
    return count


@rule
def settle(board: Board, steps: Steps) -> None:
    """End the game where W7, W6 or W4 ends it, in this order."""
    south, north, half = board[STORES], board[STORES + 1], board[HALF]
    if south > half or north > half:  # W7
        finish(board, BY_MAJORITY, leader(south, north))
    elif south == half and north == half:
        finish(board, BY_HALVES, NOBODY)
    else:
        mover = board[TURN]
        own, theirs = 6 * mover, 6 - 6 * mover
        if seeds_in(board, own, 6) == 0:  # W6
            sweep(board, theirs, 6, STORES + 1 - mover, 1 - mover, steps)
            finish(board, BY_NO_SEEDS, leader(board[STORES], board[STORES + 1]))
        elif seeds_in(board, theirs, 6) == 0 and not can_feed(board):  # W4
            sweep(board, own, 6, STORES + mover, mover, steps)
            finish(board, BY_NO_FEEDING_MOVE, leader(board[STORES], board[STORES + 1]))


@rule
def can_feed(board: Board) -> bool:
    """Tell whether a sowing of the seat to move reaches the other side (W4)."""
    end = 6 * board[TURN] + 6
    reach = 0
    for pit in range(end - 6, end):
        if board[pit] and pit + board[pit] > reach:
            reach = pit + board[pit]
    return reach >= end


@rule
def finish(board: Board, reason: int, winner: int) -> None:
    """Close the game."""
    board[OVER] = reason
    board[WINNER] = winner


@rule
def score(board: Board) -> int:
    """Return how far south's store is ahead."""
    return board[STORES] - board[STORES + 1]


@rule
def ring_size(board: Board) -> int:
    """Return the number of houses."""
    return 12


@rule
def ring_cell(board: Board, index: int) -> int:
    """Return a house, counted from the first one of the seat to move."""
    return house_of(index + 6 * board[TURN])


@rule
def house_of(place: int) -> int:
    """Return a house, going round."""
    if place >= 12:
        return place - 12
    return place


@rule
def evaluate(board: Board) -> int:
    """Add to the stores what comes of the houses, as games of our own have told.

    Houses with nothing in them are bad: they let the opponent sow and take. One with a
    whole round is good: it comes down on all that the opponent has emptied.
    """
    value = 100 * score(board)
    for pit in range(6):
        value += house_value(board[pit]) - house_value(board[pit + 6])
    return value


@rule
def house_value(seeds: int) -> int:
    """Return what it is worth to own a house with so many seeds."""
    if seeds == 0:
        return -85
    if seeds == 1:
        return -20
    if seeds >= 12:
        return 150
    return 5 * seeds


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    return TwoRow(
        south=range(6),
        north=range(6, 12),
        stores=(STORES, STORES + 1),
        turn=TURN,
        ends=("right", "left"),
    )
