"""A game whose moves do what C cannot keep in small counts; each is named behind it."""

from rules_core.boards.two_row import TwoRow
from rules_core.kernel import Board, Moves, Steps, lowest, rule

KEY, NAME, RULES, OPTIONS = "faulty-counts", "Faulty", "faulty-counts/1", ()
SOUTH, NORTH, TURN, OVER, WINNER, FOUND, SIZE = 0, 1, 2, 3, 4, 5, 8
WORK = SIZE + 1
MAX_MOVES, MOVE_IDS = 10, 12


def opening(options: dict[str, object]) -> Board:
    return [20_000, 0, 0, 0, 0, 10, 0, 0, 0]


@rule
def legal(board: Board, out: Moves) -> int:
    found = 0
    for move in range(board[FOUND]):
        out[found] = move  # too many moves
        found += 1
    return found


@rule
def apply(board: Board, move: int, steps: Steps) -> None:
    if move == 0:
        board[NORTH] = board[move - 1]  # an index below zero
    elif move == 1:
        board[move - 2] = 1  # a place below zero
    elif move == 2:
        board[NORTH] = 2 * board[SOUTH]  # 40,000 in a cell
    elif move == 3:
        board[SOUTH] += board[SOUTH]  # 40,000 by adding
    elif move == 4:
        board[SIZE + move - 3] += 1  # past the scratch space
    elif move == 5:
        board[NORTH] = power(board[SOUTH])
    elif move == 6:
        board[NORTH] = (1 << (60 + move)) & 1  # a shift too far
    elif move == 7:
        board[NORTH] = board[SOUTH] // board[NORTH]  # division by nothing
    elif move == 8:
        board[NORTH] = lowest(board[NORTH])  # no lowest bit
    elif move == 9:
        board[SOUTH], board[NORTH] = 1, board[SOUTH] + 20_000  # two at once


@rule
def power(number: int) -> int:
    for _ in range(5):
        number *= number  # more than 64 bits
    return number


@rule
def settle(board: Board, steps: Steps) -> None:
    pass


@rule
def score(board: Board) -> int:
    return board[SOUTH] - board[NORTH]


def face(options: dict[str, object]) -> TwoRow:
    return TwoRow(south=[0], north=[1], stores=(6, 7), turn=TURN, ends=("left", "left"))
