"""What mancala games have in common: sow along a ring, move seeds into a store.

A cell number of -1 means "no cell". Which rule calls what, and when, is told by the
game files alone.
"""

from __future__ import annotations

from rules_core.kernel import (
    CAPTURE,
    ENDLESS,
    LAP,
    LIFT,
    SOW,
    SWAP,
    SWEEP,
    Board,
    Steps,
    rule,
)


@rule
def sow(
    board: Board, pit: int, seeds: int, ring: int, skip: int, other: int, steps: Steps
) -> int:
    """Drop seeds one by one behind *pit*, passing over two cells; return the last."""
    at = pit
    while seeds:
        at += 1
        if at == ring:
            at = 0
        if at != skip and at != other:
            board[at] += 1
            seeds -= 1
            if steps is not None:
                steps.append((SOW, at, 1, -1))
    return at


@rule
def lift(board: Board, pit: int, steps: Steps) -> int:
    """Take all seeds of a pit in hand to begin a move; return how many."""
    seeds = board[pit]
    board[pit] = 0
    if steps is not None:
        steps.append((LIFT, pit, seeds, -1))
    return seeds


@rule
def take_up(board: Board, pit: int, steps: Steps) -> int:
    """Take all seeds of the pit where the last one fell, to sow on (a lap)."""
    seeds = board[pit]
    board[pit] = 0
    if steps is not None:
        steps.append((LAP, pit, seeds, -1))
    return seeds


@rule
def sow_laps(board: Board, pit: int, ring: int, steps: Steps) -> int:
    """Sow lap after lap until a seed falls into an empty pit; return that, or -1.

    -1 says that seeds would be taken in hand too often: the sowing is endless (G8).
    """
    last = sow(board, pit, lift(board, pit, steps), ring, -1, -1, steps)
    taken = 1
    while board[last] > 1:
        if taken == ENDLESS:
            return -1
        taken += 1
        last = sow(board, last, take_up(board, last, steps), ring, -1, -1, steps)
    return last


@rule
def copy_cells(board: Board, first: int, count: int, to: int) -> None:
    """Copy cells within the board: to scratch space and back."""
    for index in range(count):
        board[to + index] = board[first + index]


@rule
def seeds_in(board: Board, first: int, count: int) -> int:
    """Count the seeds in *count* cells from *first*."""
    seeds = 0
    for cell in range(first, first + count):
        seeds += board[cell]
    return seeds


@rule
def house_cell(pits: int, place: int) -> int:
    """Return the cell of a house where a store lies behind each row, going round."""
    if place >= 2 * pits:
        place -= 2 * pits
    if place >= pits:
        return place + 1
    return place


@rule
def swap_sides(board: Board, half: int, seat: int, steps: Steps) -> None:
    """Let each place of a ring change over with the one half of it farther on."""
    for cell in range(half):
        here = board[cell]
        board[cell] = board[cell + half]
        board[cell + half] = here
    if steps is not None:
        steps.append((SWAP, -1, 0, seat))


@rule
def bank(board: Board, cell: int, store: int, seat: int, steps: Steps) -> None:
    """Capture all seeds of a cell into the store of a seat."""
    if steps is not None:
        steps.append((CAPTURE, cell, board[cell], seat))
    board[store] += board[cell]
    board[cell] = 0


@rule
def sweep(
    board: Board, first: int, count: int, store: int, seat: int, steps: Steps
) -> None:
    """Put what is left in *count* cells from *first* into the store of a seat."""
    for cell in range(first, first + count):
        if board[cell]:
            if steps is not None:
                steps.append((SWEEP, cell, board[cell], seat))
            board[store] += board[cell]
            board[cell] = 0
