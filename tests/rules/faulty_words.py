"""A game whose moves do what C cannot keep in words; each is named behind it."""

from rules_core.boards.squares import Squares
from rules_core.kernel import Board, Moves, Signed, Steps, bit, lowest, popcount, rule

KEY, NAME, RULES, OPTIONS = "faulty-words", "Faulty", "faulty-words/1", ()
BLACK, WHITE, TURN, OVER, WINNER, HANDS, SIZE = 0, 1, 2, 3, 4, 5, 7
MAX_MOVES, MOVE_IDS = 9, 64
WORDS = True


def opening(options: dict[str, object]) -> Board:
    return [bit(63), 0, 0, 0, 0, 0, 0]


@rule
def legal(board: Board, out: Moves) -> int:
    for move in range(MAX_MOVES):
        out[move] = move
    return MAX_MOVES


@rule
def apply(board: Board, move: int, steps: Steps) -> None:
    if move == 0:
        board[WHITE] = board[WHITE] - 1  # a word below zero
    elif move == 1:
        board[WHITE] -= 1  # below zero by counting down
    elif move == 2:
        board[WHITE] = board[board[WHITE] - 1]  # an index below zero
    elif move == 3:
        board[BLACK] += board[BLACK]  # more than 64 bits
    elif move == 4:
        board[BLACK] = board[BLACK] << 1  # a bit that falls out
    elif move == 5:
        board[WHITE] |= bit(move + 59)  # no such bit
    elif move == 6:
        board[WHITE] = lowest(board[WHITE])  # no lowest bit
    elif move == 7:
        board[WHITE] = board[BLACK] // board[WHITE]  # division by nothing
    elif move == 8:
        board[WHITE] = board[BLACK] // 3  # right: a word is divided as a word


@rule
def settle(board: Board, steps: Steps) -> None:
    pass


@rule
def score(board: Board) -> Signed:
    return popcount(board[BLACK]) - popcount(board[WHITE])


def face(options: dict[str, object]) -> Squares:
    return Squares(hands=HANDS)
