"""Reversi: outflank rows of the other colour and flip them.

The board is two 64-bit words, black's discs and white's; bit 0 is a1, bit 63 is h8,
and rank 1 is drawn at the top::

      a b c d e f g h
    1 . . . . . . . .     bits  0 ..  7
    4 . . . O X . . .     bits 24 .. 31
    5 . . . X O . . .     bits 32 .. 39
    8 . . . . . . . .     bits 56 .. 63
"""

from __future__ import annotations

from rules_core.boards.squares import Squares
from rules_core.games import (
    reversi_ends,
    reversi_patterns,
    reversi_rows,
    reversi_weights,
)
from rules_core.games.reversi_rows import outflanked, placements
from rules_core.kernel import (
    BY_DISCS,
    FLIP,
    GIVE,
    PASS,
    PLACE,
    Board,
    Moves,
    Signed,
    Steps,
    bit,
    leader,
    lowest,
    popcount,
    rule,
)
from rules_core.options import Option, OptionSpec

KEY, NAME, RULES = "reversi", "Reversi", "reversi/1"
OPTIONS: tuple[OptionSpec, ...] = ()

BLACK, WHITE, TURN, OVER, WINNER, HANDS, PASSED, GIVEN, SIZE = 0, 1, 2, 3, 4, 5, 7, 8, 9
MAX_MOVES, MOVE_IDS = 34, 64
WORDS = COUNTS = True
PARTS = (reversi_rows, reversi_weights, reversi_patterns, reversi_ends)

# what a search may ask
evaluate = reversi_patterns.evaluate
solvable, solve = reversi_ends.solvable, reversi_ends.solve


def opening(options: dict[str, Option]) -> Board:
    """R1: white on d4 and e5, black on e4 and d5, 30 discs left in each hand."""
    return [bit(28) | bit(35), bit(27) | bit(36), 0, 0, 0, 30, 30, 0, 0]


@rule
def legal(board: Board, out: Moves) -> int:
    """R2: the empty squares from which a row of the other colour is outflanked."""
    count = 0
    if board[OVER] == 0:
        free = placements(board[board[TURN]], board[1 - board[TURN]])
        while free:
            square = lowest(free)
            free ^= bit(square)
            out[count] = square
            count += 1
    return count


@rule
def apply(board: Board, square: int, steps: Steps) -> None:
    """Place a disc, flip what it outflanks, then see who can move (R2-R6)."""
    mover = board[TURN]
    board[PASSED] = 0
    take_from_hand(board, mover, steps)
    if steps is not None:
        steps.append((PLACE, square, 0, mover))
    flipped = outflanked(board[mover], board[1 - mover], bit(square))
    board[mover] |= flipped | bit(square)
    board[1 - mover] ^= flipped
    if steps is not None:
        show_flips(flipped, mover, steps)
    board[TURN] = 1 - mover
    settle(board, steps)


@rule
def take_from_hand(board: Board, mover: int, steps: Steps) -> None:
    """R5: a move uses an own disc; without one, the opponent gives one."""
    board[GIVEN] = 0
    if board[HANDS + mover]:
        board[HANDS + mover] -= 1
    else:
        board[HANDS + 1 - mover] -= 1
        board[GIVEN] = 1
        if steps is not None:
            steps.append((GIVE, -1, 1, mover))


@rule
def settle(board: Board, steps: Steps) -> None:
    """R4, R6: a seat without a move forfeits its turn; without any the game ends."""
    mover = board[TURN]
    if placements(board[mover], board[1 - mover]) == 0:
        if placements(board[1 - mover], board[mover]) == 0:
            board[OVER] = BY_DISCS
            board[WINNER] = leader(popcount(board[BLACK]), popcount(board[WHITE]))
        else:
            board[PASSED] = mover + 1
            board[TURN] = 1 - mover
            if steps is not None:
                steps.append((PASS, -1, 0, mover))


@rule
def show_flips(flipped: int, mover: int, steps: Steps) -> None:
    """Tell the flipped squares, in board order."""
    while flipped:
        square = lowest(flipped)
        flipped ^= bit(square)
        if steps is not None:
            steps.append((FLIP, square, 0, mover))


@rule
def score(board: Board) -> Signed:
    """Return how many discs black is ahead."""
    return popcount(board[BLACK]) - popcount(board[WHITE])


def face(options: dict[str, Option]) -> Squares:
    """Return the outside of the board."""
    return Squares(hands=HANDS)
