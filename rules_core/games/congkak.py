"""Congkak: sow clockwise, lap after lap, and feed your own store.

The board is one ring, read clockwise; with seven pits a side::

         8  9 10 11 12 13 14        north   g f e d c b a
     7                       15     stores
         6  5  4  3  2  1  0        south   A B C D E F G

In a match of several rounds the pits that cannot be filled are burnt: the last ones of
a row, that is, the first in its part of the ring.
"""

from __future__ import annotations

from rules_core.boards.rounds import MatchExtras
from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import (
    bank,
    house_cell,
    lift,
    seeds_in,
    swap_sides,
    take_up,
)
from rules_core.kernel import (
    BURN,
    BY_NO_REFILL,
    BY_ROUNDS,
    BY_SEEDS,
    PASS,
    REFILL,
    SOW,
    Board,
    Moves,
    Steps,
    leader,
    rule,
)
from rules_core.options import PIE, Option, OptionSpec

KEY, NAME, RULES = "congkak", "Congkak", "congkak/1"
OPTIONS = (
    OptionSpec(
        name="pits",
        kind="int",
        default=7,
        minimum=5,
        maximum=9,
        description="Pits of each seat.",
    ),
    OptionSpec(
        name="seeds",
        kind="int",
        default=7,
        minimum=3,
        maximum=9,
        description="Seeds in each pit at the start.",
    ),
    OptionSpec(
        name="rounds",
        kind="choice",
        default="single",
        choices=("single", "match"),
        description="One round, or rounds until a seat can fill no pit.",
    ),
    PIE,
)

TURN, OVER, WINNER, PASSED, PITS, SEEDS = 20, 21, 22, 23, 24, 25
MATCH, ROUND, STARTER, BURNT, SWAPPING, SIZE = 26, 27, 28, 29, 31, 32
MAX_MOVES, MOVE_IDS = 10, 21
COUNTS, ENDING_OPTIONS = True, ("pits", "rounds")
MOST_ROUNDS = 10


def opening(options: dict[str, Option]) -> Board:
    """C1: the same number of seeds in every house, the stores empty."""
    pits, seeds = int(options["pits"] or 0), int(options["seeds"] or 0)
    board = [0] * SIZE
    board[:pits] = board[pits + 1 : 2 * pits + 1] = [seeds] * pits
    board[PITS], board[SEEDS] = pits, seeds
    board[MATCH], board[ROUND] = int(options["rounds"] == "match"), 1
    board[SWAPPING] = 2 * int(bool(options["pie"]))
    return board


@rule
def legal(board: Board, out: Moves) -> int:
    """C2: a move begins in an own house that holds seeds; C9: or it is the swap."""
    count = 0
    if board[OVER] == 0:
        pits = board[PITS]
        nearest = pits - 1 + board[TURN] * (pits + 1)
        for index in range(pits):
            if board[nearest - index]:
                out[count] = nearest - index
                count += 1
        if board[SWAPPING] == board[TURN] + 1:
            out[count] = 2 * pits + 2
            count += 1
    return count


@rule
def apply(board: Board, move: int, steps: Steps) -> None:
    """Swap places (C9), or sow and lap, capture, settle (C2-C8)."""
    mover, pits = board[TURN], board[PITS]
    board[PASSED] = 0
    if board[SWAPPING] == mover + 1:
        board[SWAPPING] = 0
    if move == 2 * pits + 2:  # in the first round: no house is burnt
        swap_sides(board, pits + 1, mover, steps)
        board[STARTER] = mover
        board[TURN] = 1 - mover
    else:
        sow_turn(board, move, mover, steps)
        settle(board, steps)


@rule
def sow_turn(board: Board, pit: int, mover: int, steps: Steps) -> None:
    """C2-C6: sow and lap, capture, and move again or not."""
    pits = board[PITS]
    store = pits + mover * (pits + 1)
    last = sow_clockwise(board, pit, lift(board, pit, steps), steps)
    while last != store and board[last] > 1:  # C3
        last = sow_clockwise(board, last, take_up(board, last, steps), steps)
    if last != store:  # C4: a last seed in the own store moves again
        first = mover * (pits + 1)
        across = 2 * pits - last
        if first <= last < first + pits and board[across]:  # C5; C6: nothing
            bank(board, last, store, mover, steps)
            bank(board, across, store, mover, steps)
        board[TURN] = 1 - mover


@rule
def sow_clockwise(board: Board, pit: int, seeds: int, steps: Steps) -> int:
    """C2, C8: pass over the opponent's store and burnt houses; return the last cell."""
    pits = board[PITS]
    other_store = 2 * pits + 1 - board[TURN] * (pits + 1)
    at = pit
    while seeds:
        at += 1
        if at == 2 * pits + 2:
            at = board[BURNT]
        elif at == pits + 1:
            at += board[BURNT + 1]
        if at != other_store:
            board[at] += 1
            seeds -= 1
            if steps is not None:
                steps.append((SOW, at, 1, -1))
    return at


@rule
def settle(board: Board, steps: Steps) -> None:
    """C7: a seat without seeds misses the turn; without any the round ends."""
    mover, pits = board[TURN], board[PITS]
    if seeds_in(board, mover * (pits + 1), pits) == 0:
        if seeds_in(board, (1 - mover) * (pits + 1), pits) == 0:
            end_round(board, steps)
        else:
            board[PASSED] = mover + 1
            board[TURN] = 1 - mover
            if steps is not None:
                steps.append((PASS, -1, 0, mover))


@rule
def end_round(board: Board, steps: Steps) -> None:
    """C7, C8: end the game, or fill the houses for the next round.

    C9: who has not swapped by now does not swap any more.
    """
    pits, seeds = board[PITS], board[SEEDS]
    south, north = board[pits], board[2 * pits + 1]
    board[SWAPPING] = 0
    if board[MATCH] == 0:
        board[OVER] = BY_SEEDS
        board[WINNER] = leader(south, north)
    elif south < seeds or north < seeds:  # also after the last round
        board[OVER] = BY_NO_REFILL
        board[WINNER] = leader(south, north)
    elif board[ROUND] == MOST_ROUNDS:
        board[OVER] = BY_ROUNDS
        board[WINNER] = leader(south, north)
    else:
        refill(board, 0, steps)
        refill(board, 1, steps)
        begin_round(board)


@rule
def refill(board: Board, seat: int, steps: Steps) -> None:
    """C8: fill the houses from the own store, the nearest first; burn the others."""
    pits, seeds = board[PITS], board[SEEDS]
    store = pits + seat * (pits + 1)
    before = pits - board[BURNT + seat]
    filled = 0
    for index in range(pits):
        cell = store - 1 - index
        if board[store] >= seeds:
            board[store] -= seeds
            board[cell] = seeds
            filled += 1
            if steps is not None:
                steps.append((REFILL, cell, seeds, seat))
        elif index < before:
            show_burnt(cell, steps)
    board[BURNT + seat] = pits - filled


@rule
def show_burnt(cell: int, steps: Steps) -> None:
    """Tell that a house is out of play from now on."""
    if steps is not None:
        steps.append((BURN, cell, 0, -1))


@rule
def begin_round(board: Board) -> None:
    """C8: the seat with fewer burnt houses begins; if equal, they take turns."""
    starter = 1 - board[STARTER]
    if board[BURNT] < board[BURNT + 1]:
        starter = 0
    elif board[BURNT] > board[BURNT + 1]:
        starter = 1
    board[ROUND] += 1
    board[STARTER] = starter
    board[TURN] = starter


@rule
def score(board: Board) -> int:
    """Return how far south's store is ahead; in a match the seeds in houses count."""
    pits = board[PITS]
    lead = board[pits] - board[2 * pits + 1]
    if board[MATCH]:
        lead += seeds_in(board, 0, pits) - seeds_in(board, pits + 1, pits)
    return lead


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
    """Count the seeds in houses; twice all seeds, where further rounds may come."""
    pits = board[PITS]
    if board[MATCH]:
        return 4 * pits * board[SEEDS]
    return seeds_in(board, 0, pits) + seeds_in(board, pits + 1, pits)


@rule
def banked(board: Board, seat: int) -> int:
    """Return the store of a seat: in a single round it changes nothing that follows."""
    if board[MATCH]:
        return -1
    return board[PITS] + seat * (board[PITS] + 1)


@rule
def ring_size(board: Board) -> int:
    """Return the number of houses."""
    return 2 * board[PITS]


@rule
def ring_cell(board: Board, index: int) -> int:
    """Return a house, counted from the first one of the seat to move."""
    return house_cell(board[PITS], index + board[TURN] * board[PITS])


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    pits = int(options["pits"] or 0)
    is_match = options["rounds"] == "match"
    return TwoRow(
        south=range(pits - 1, -1, -1),
        north=range(2 * pits, pits, -1),
        stores=(pits, 2 * pits + 1),
        turn=TURN,
        ends=("left", "right"),
        burnt=(BURNT, BURNT + 1) if is_match else None,
        extras=MatchExtras(ROUND, STARTER, MOST_ROUNDS, (BURNT, BURNT + 1), SWAPPING)
        if is_match
        else None,
        swapping=SWAPPING if options["pie"] else None,
    )
