"""Oware Nam Nam: fours are captured by who owns the hollow, and hollows are won.

The ring is read counter-clockwise, the stores lie apart::

    11 10  9  8  7  6        north   f e d c b a
     0  1  2  3  4  5        south   A B C D E F

Moves 0 to 11 sow from a hollow, moves 12 to 23 claim one.
"""

from __future__ import annotations

from rules_core.boards.rounds import OwnersExtras
from rules_core.boards.two_row import TwoRow
from rules_core.games.sowing import bank, copy_cells, lift, seeds_in, sweep, take_up
from rules_core.kernel import (
    BY_ALL_PITS,
    BY_ROUNDS,
    CLAIM,
    ENDLESS,
    NEVER_ENDS,
    PASS,
    REFILL,
    SOW,
    Board,
    Moves,
    Steps,
    leader,
    rule,
)
from rules_core.options import Option, OptionSpec

KEY, NAME, RULES = "oware-nam-nam", "Oware Nam Nam", "oware-nam-nam/1"
OPTIONS = (
    OptionSpec(
        name="max_rounds",
        kind="int",
        default=None,
        minimum=1,
        maximum=100,
        description="Rounds at most; null: until a seat owns all pits.",
    ),
)

TURN, STORES, OVER, WINNER, PASSED, OWNERS = 12, 13, 15, 16, 17, 18
ROUND, STARTER, CLAIMING, MOST_ROUNDS, SIZE = 30, 31, 32, 33, 34
WORK = SIZE + 15  # a copy of hollows and stores, while a sowing is tried
MAX_MOVES, MOVE_IDS = 12, 24
LASTING = (STORES, STORES + 1, ROUND)
LATE_DEPTH, LATE_FROM, LATE_BY = 3, 2, 2  # by one, the other would capture last
ALL_SEEDS, ALL_HOLLOWS = 48, 12


def opening(options: dict[str, Option]) -> Board:
    """N1: four seeds in each of twelve hollows; the six nearest are owned."""
    board = [4] * 12 + [0] * (WORK - 12)
    board[OWNERS + 6 : OWNERS + 12] = [1] * 6
    board[ROUND], board[MOST_ROUNDS] = 1, int(options["max_rounds"] or 0)
    return board


@rule
def legal(board: Board, out: Moves) -> int:
    """N2: owned hollows with seeds; N7: hollows of the other side, when claiming."""
    count = 0
    for index in range(candidates(board, out)):
        move = out[index]
        if move >= 12 or comes_to_an_end(board, move):
            out[count] = move
            count += 1
    return count


@rule
def candidates(board: Board, out: Moves) -> int:
    """Return these hollows, also where the sowing may be endless (G8)."""
    count = 0
    mover = board[TURN]
    if board[OVER] == 0:
        for pit in range(12):
            if board[CLAIMING]:
                if side_of(pit) != mover and board[OWNERS + pit] != mover:
                    out[count] = 12 + pit
                    count += 1
            elif board[OWNERS + pit] == mover and board[pit]:
                out[count] = pit
                count += 1
    return count


@rule
def comes_to_an_end(board: Board, pit: int) -> bool:
    """G8: empty hollows and captures end it; otherwise try it, and put it back."""
    seeds = board[pit]
    last = board[(pit + seeds) % 12]
    if seeds < 12 and (last == 0 or last == 3):
        return True
    copy_cells(board, 0, 15, SIZE)
    taken = sow_turn(board, pit, None)
    copy_cells(board, SIZE, 15, 0)
    return taken <= ENDLESS


@rule
def side_of(pit: int) -> int:
    """Return the seat on whose side a hollow lies."""
    if pit < 6:
        return 0
    return 1


@rule
def apply(board: Board, move: int, steps: Steps) -> None:
    """Sow with everything that follows (N2-N6), or claim a hollow (N7)."""
    board[PASSED] = 0
    mover = board[TURN]
    if move >= 12:
        board[OWNERS + move - 12] = mover
        board[CLAIMING] -= 1
        if steps is not None:
            steps.append((CLAIM, move - 12, 0, mover))
        if board[CLAIMING] == 0:
            board[TURN] = board[STARTER]
    else:
        taken = sow_turn(board, move, steps)
        board[TURN] = 1 - mover
        if taken > ENDLESS:
            board[OVER] = NEVER_ENDS
    if board[OVER] == 0:
        settle(board, steps)


@rule
def sow_turn(board: Board, pit: int, steps: Steps) -> int:
    """Sow, lap and capture; return how often seeds were taken in hand."""
    mover = board[TURN]
    hand = lift(board, pit, steps)
    taken = 1
    at = pit
    while hand:
        at += 1
        if at == 12:
            at = 0
        board[at] += 1
        hand -= 1
        if steps is not None:
            steps.append((SOW, at, 1, -1))
        if board[at] == 4:
            taker = board[OWNERS + at]  # N3
            if hand == 0:
                taker = mover  # N4
            bank(board, at, STORES + taker, taker, steps)
            if board[STORES] + board[STORES + 1] == ALL_SEEDS - 4:
                take_last_four(board, hand, taker, steps)
                hand = 0
        elif hand == 0 and board[at] > 1:  # N4: a lap
            taken += 1
            if taken > ENDLESS:
                return taken
            hand = take_up(board, at, steps)
    return taken


@rule
def take_last_four(board: Board, hand: int, taker: int, steps: Steps) -> None:
    """N6: who captures four of the last eight takes the others, in hand and not.

    What is still in hand is shown as sown into the store.
    """
    board[STORES + taker] += hand
    if steps is not None:
        for _ in range(hand):
            steps.append((SOW, STORES + taker, 1, -1))
    sweep(board, 0, 12, STORES + taker, taker, steps)


@rule
def settle(board: Board, steps: Steps) -> None:
    """End the round (N6, N10) or let a seat that cannot move miss the turn (N5)."""
    if board[CLAIMING] == 0:
        mover = board[TURN]
        if seeds_in(board, 0, 12) == 0:
            end_round(board, steps)
        elif not can_move(board, mover):
            if can_move(board, 1 - mover):
                board[PASSED] = mover + 1
                board[TURN] = 1 - mover
                if steps is not None:
                    steps.append((PASS, -1, 0, mover))
            else:
                standstill(board, steps)


@rule
def can_move(board: Board, seat: int) -> bool:
    """Tell whether a seat could play a move that comes to an end."""
    for pit in range(12):
        if board[OWNERS + pit] == seat and board[pit] and comes_to_an_end(board, pit):
            return True
    return False


@rule
def standstill(board: Board, steps: Steps) -> None:
    """N10: each seat captures the seeds in the hollows it owns; the round ends."""
    for pit in range(12):
        owner = board[OWNERS + pit]
        sweep(board, pit, 1, STORES + owner, owner, steps)
    end_round(board, steps)


@rule
def end_round(board: Board, steps: Steps) -> None:
    """N7-N9: count who is entitled to how many hollows; go on, or end the game."""
    south = hollows_won(board[STORES], board[STORES + 1])
    # all hollows win by N8 in any round, the last one included
    if south == ALL_HOLLOWS or south == 0:  # N8
        winner = leader(south, ALL_HOLLOWS - south)
        for pit in range(12):
            board[OWNERS + pit] = winner - 1
        board[OVER] = BY_ALL_PITS
        board[WINNER] = winner
    elif board[ROUND] == board[MOST_ROUNDS]:
        board[OVER] = BY_ROUNDS
        board[WINNER] = leader(south, ALL_HOLLOWS - south)
    else:
        begin_round(board, south, steps)


@rule
def hollows_won(south: int, north: int) -> int:
    """N7, N10: four seeds a hollow; the odd one to the larger rest, then to more."""
    won = south // 4
    rest = south - 4 * won
    other_rest = north - 4 * (north // 4)
    if rest > other_rest or (rest == other_rest and rest > 0 and south > north):
        won += 1
    return won


@rule
def begin_round(board: Board, south: int, steps: Steps) -> None:
    """N7, N9: fill all hollows; who won more than six claims the others first.

    Each side is filled from the store of its player, then from the other's: which
    hollows of the other side are paid by whom is settled by the claims alone.
    """
    for pit in range(12):
        side = side_of(pit)
        fill(board, pit, side, steps)
        fill(board, pit, 1 - side, steps)
        board[OWNERS + pit] = side
    board[ROUND] += 1
    board[STARTER] = 1 - board[STARTER]
    board[TURN] = board[STARTER]
    if south > 6:
        board[CLAIMING] = south - 6
        board[TURN] = 0
    elif south < 6:
        board[CLAIMING] = 6 - south
        board[TURN] = 1


@rule
def fill(board: Board, pit: int, seat: int, steps: Steps) -> None:
    """Put what is missing to four into a hollow, as far as the store of a seat goes."""
    seeds = 4 - board[pit]
    if seeds > board[STORES + seat]:
        seeds = board[STORES + seat]
    if seeds > 0:
        board[STORES + seat] -= seeds
        board[pit] += seeds
        if steps is not None:
            steps.append((REFILL, pit, seeds, seat))


@rule
def score(board: Board) -> int:
    """Return how far south is ahead, in store and in the hollows it owns."""
    lead = board[STORES] - board[STORES + 1]
    for pit in range(12):
        if board[OWNERS + pit] == 0:
            lead += board[pit]
        else:
            lead -= board[pit]
    return lead


@rule
def evaluate(board: Board) -> int:
    """Add to the score what is still to be claimed: four seeds are another's then."""
    value = 100 * score(board)
    if board[CLAIMING]:
        value += (1 - 2 * board[TURN]) * 800 * board[CLAIMING]
    return value


def face(options: dict[str, Option]) -> TwoRow:
    """Return the outside of the board."""
    return TwoRow(
        south=range(6),
        north=range(6, 12),
        stores=(STORES, STORES + 1),
        turn=TURN,
        ends=("left", "right"),
        claims=True,
        owned=OWNERS,
        extras=OwnersExtras(
            turn=TURN,
            owners=OWNERS,
            round=ROUND,
            starter=STARTER,
            claim=CLAIMING,
            most_rounds=MOST_ROUNDS,
            stores=(STORES, STORES + 1),
        ),
    )
