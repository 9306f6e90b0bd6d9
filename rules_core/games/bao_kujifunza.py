"""Bao la Kujifunza: four rows; what is captured is sown again on the own side.

Each seat has a ring of its own, read clockwise by its owner from the left end of the
front row::

    24 25 26 27 28 29 30 31        north   b8 b7 b6 b5 b4 b3 b2 b1   back
    23 22 21 20 19 18 17 16                a8 a7 a6 a5 a4 a3 a2 a1   front
     0  1  2  3  4  5  6  7        south   A1 A2 A3 A4 A5 A6 A7 A8   front
    15 14 13 12 11 10  9  8                B1 B2 B3 B4 B5 B6 B7 B8   back

A move is twice the number of the shimo in label order (A1-A8, B1-B8, a1-b8), plus one
to the right.
"""

from __future__ import annotations

from rules_core.boards.four_row import FourRow
from rules_core.games.sowing import copy_cells, lift, seeds_in, take_up
from rules_core.kernel import (
    BY_FRONT_ROW,
    BY_NO_MOVES,
    BY_STANDSTILL,
    ENDLESS,
    ENTER,
    NOBODY,
    SOW,
    Board,
    Moves,
    Steps,
    rule,
)
from rules_core.options import Option, OptionSpec

KEY, NAME, RULES = "bao-kujifunza", "Bao la Kujifunza", "bao-kujifunza/1"
OPTIONS: tuple[OptionSpec, ...] = ()

TURN, OVER, WINNER, SIZE = 32, 33, 34, 35
WORK = SIZE + 32  # a copy of the mashimo, while a sowing is tried
MAX_MOVES, MOVE_IDS = 32, 64


def opening(options: dict[str, Option]) -> Board:
    """Two kete in each of the 32 mashimo."""
    return [2] * 32 + [0] * (WORK - 32)


@rule
def legal(board: Board, out: Moves) -> int:
    """J4: captures, if there are any; J7: otherwise takata, the front row first."""
    if board[OVER]:
        return 0
    first = 32 * board[TURN]
    count = list_moves(board, out, first, first + 32, True)
    if count == 0:
        count = list_moves(board, out, first, first + 16, False)
    if count == 0:
        count = list_moves(board, out, first + 16, first + 32, False)
    return count


@rule
def list_moves(board: Board, out: Moves, first: int, end: int, capturing: bool) -> int:
    """Write the playable moves among these, of one kind, to *out*."""
    count = 0
    for move in range(first, end):
        if is_playable(board, move, capturing):
            out[count] = move
            count += 1
    return count


@rule
def can_move(board: Board) -> bool:
    """Tell whether the seat to move has any legal move (J8, J9)."""
    first = 32 * board[TURN]
    for move in range(first, first + 32):
        if is_playable(board, move, False) or is_playable(board, move, True):
            return True
    return False


@rule
def is_playable(board: Board, move: int, capturing: bool) -> bool:
    """J4, J7, J9: enough kete, and a sowing that comes to an end."""
    if capturing:
        if not is_mtaji(board, move):
            return False
    elif board[shimo_of(move)] < 2:
        return False
    copy_cells(board, 0, 32, SIZE)
    taken = sow_turn(board, move, capturing, None)
    copy_cells(board, SIZE, 32, 0)
    board[OVER] = 0
    return taken <= ENDLESS


@rule
def shimo_of(move: int) -> int:
    """Return the cell of the shimo that a move begins in."""
    first = 16 * (move // 32)
    place = move // 2 - first
    if place < 8:
        return first + place
    return first + 23 - place


@rule
def direction_of(move: int) -> int:
    """J2: clockwise is 1: to the right in the front row, to the left in the back."""
    if (move // 16) % 2 == move % 2:
        return -1
    return 1


@rule
def is_mtaji(board: Board, move: int) -> bool:
    """J4: two to fifteen kete, the last of which captures."""
    pit = shimo_of(move)
    kete = board[pit]
    if kete < 2 or kete > 15:
        return False
    first = 16 * (pit // 16)
    last = first + (pit - first + 16 + kete * direction_of(move)) % 16
    return board[last] > 0 and last - first < 8 and board[23 - last] > 0


@rule
def sow_own(board: Board, at: int, kete: int, direction: int, steps: Steps) -> int:
    """J2: sow in the own ring behind a cell, in a direction; return the last cell."""
    first = 16 * (at // 16)
    place = at - first
    while kete:
        place += direction
        if place == 16:
            place = 0
        elif place < 0:
            place = 15
        board[first + place] += 1
        kete -= 1
        if steps is not None:
            steps.append((SOW, first + place, 1, -1))
    return first + place


@rule
def sow_turn(board: Board, move: int, capturing: bool, steps: Steps) -> int:
    """J3-J8: sow, capture and lap; return how often kete were taken in hand."""
    direction = direction_of(move)
    pit = shimo_of(move)
    own = 16 * (pit // 16)
    last = sow_own(board, pit, lift(board, pit, steps), direction, steps)
    taken = 1
    while board[last] > 1:
        taken += 1
        if taken > ENDLESS:
            return taken
        across = 23 - last
        # J3; the limit of fifteen kete is the mtaji's (J4), later sowings have none
        if capturing and last - own < 8 and board[across]:
            direction = entering(last - own, direction)
            kete = capture(board, across, steps)
            if seeds_in(board, 16 - own, 8) == 0:  # J8
                board[OVER] = BY_FRONT_ROW
            last = sow_own(board, own + door(direction), kete, direction, steps)
            if board[OVER]:
                return taken
        else:  # J6
            last = sow_own(board, last, take_up(board, last, steps), direction, steps)
    return taken


@rule
def entering(column: int, direction: int) -> int:
    """J5: from the near end at the sides, in the middle the way it was going."""
    if column < 2:
        return 1
    if column > 5:
        return -1
    return direction


@rule
def door(direction: int) -> int:
    """J5: the place before the first one: A1 when clockwise, A8 otherwise."""
    if direction > 0:
        return 15
    return 8


@rule
def capture(board: Board, pit: int, steps: Steps) -> int:
    """J5: take the kete of an opponent's shimo in hand; return how many."""
    kete = board[pit]
    board[pit] = 0
    if steps is not None:
        steps.append((ENTER, pit, kete, -1))
    return kete


@rule
def apply(board: Board, move: int, steps: Steps) -> None:
    """Play a capturing turn or a takata, then settle (J4-J10)."""
    mover = board[TURN]
    if is_playable(board, move, True):
        sow_turn(board, move, True, steps)
    else:  # J9: also a capture that would never end
        sow_turn(board, move, False, steps)
    if board[OVER]:
        board[WINNER] = mover + 1
    board[TURN] = 1 - mover
    settle(board, steps)


@rule
def settle(board: Board, steps: Steps) -> None:
    """J8: an empty front row or the lack of a legal move loses the game."""
    mover = board[TURN]
    if board[OVER] == 0:
        # only a text can have both front rows empty: then the seat to move has lost
        if seeds_in(board, 16 * mover, 8) == 0:
            finish(board, BY_FRONT_ROW, 2 - mover)
        elif seeds_in(board, 16 - 16 * mover, 8) == 0:
            finish(board, BY_FRONT_ROW, mover + 1)
        elif not can_move(board):
            finish(board, BY_NO_MOVES, 2 - mover)


@rule
def standstill(board: Board, steps: Steps) -> None:
    """J10: the third recurrence of a position is a draw."""
    finish(board, BY_STANDSTILL, NOBODY)


@rule
def finish(board: Board, reason: int, winner: int) -> None:
    """Close the game."""
    board[OVER] = reason
    board[WINNER] = winner


@rule
def score(board: Board) -> int:
    """Return how many more kete lie on south's side."""
    return seeds_in(board, 0, 16) - seeds_in(board, 16, 16)


@rule
def evaluate(board: Board) -> int:
    """Value kete by where they lie, as games of our own have told.

    In the back row they are safe; empty mashimo lead nowhere; it is good to be to move.
    """
    value = 300 - 600 * board[TURN]
    for shimo in range(8):
        value += 35 * (board[shimo] - board[16 + shimo])
        value += 90 * (board[8 + shimo] - board[24 + shimo])
    for shimo in range(16):
        if board[shimo] == 0:
            value -= 110
        if board[16 + shimo] == 0:
            value += 110
    return value


def face(options: dict[str, Option]) -> FourRow:
    """Return the outside of the board."""
    return FourRow(turn=TURN)
