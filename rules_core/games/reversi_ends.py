"""The end of a game of Reversi, exactly: who is how many discs ahead by perfect play.

The margin is that of our rules: empty squares count for nobody (R6), so that it may be
odd. Discs in hand are not looked at: they never hinder a move (R5). Each function takes
the discs of the seat to move, then those of the other.

What it does is known from Zebra and Edax: few replies first, squares of odd regions
first, a table of proven bounds, and no search where stable discs decide already.
"""

from __future__ import annotations

from rules_core.games.reversi_patterns import worth
from rules_core.games.reversi_rows import ALL, INNER, placements
from rules_core.kernel import (
    Board,
    Memory,
    Moves,
    Signed,
    bit,
    find_end,
    gather,
    highest,
    lowest,
    out_of_budget,
    popcount,
    put_end,
    rule,
)

MOST_SOLVED = 12
"""With no more empty squares a search asks for the margin instead of guessing."""

A_SHARE = 6
"""An ending of n squares takes some 2**n positions; a search must have 2**6 times as
many, or it would know one ending and no other move."""

FEW = 6
"""So many empty squares, or fewer, are tried out without a table."""

CUT_EARLY = 10
"""From so many empty squares on, replies are looked up before any is tried."""

BY_WORTH = 12
"""From so many empty squares on, moves are sorted by what patterns are worth, too."""

BY_REPLIES = 15
"""From so many on, by what patterns are worth after the best reply."""

NO_MARGIN = -65
BLACK, WHITE, TURN = 0, 1, 2
CORNERS = 0x8100000000000081
SIDES = 0x8181818181818181  # the files a and h: no row goes through these sidewards
RANKS = 0xFF000000000000FF  # nor upwards through the ranks 1 and 8
BORDER = 0xFF818181818181FF
MIDDLE = 0x00FFFFFFFFFFFF00  # the ranks 2 to 7
HEART = 0x007E7E7E7E7E7E00
FIRST_FILE, LOW_BITS = 0x0101010101010101, 255
COLUMN_BITS = 0x0102040810204080
QUARTERS = (0x0F0F0F0F, 0x0F0F0F0F << 4, 0x0F0F0F0F << 32, 0x0F0F0F0F << 36)

STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))
"""Files and ranks to the next square of a line; each is read in two directions."""


def ray(square: int, files: int, ranks: int) -> int:
    """Return the squares that lie in one direction of a square."""
    file, rank, squares = square % 8 + files, square // 8 + ranks, 0
    while 0 <= file < 8 and 0 <= rank < 8:
        squares |= 1 << (8 * rank + file)
        file, rank = file + files, rank + ranks
    return squares


UP_RAYS = tuple(ray(square, *step) for square in range(64) for step in STEPS)
"""Four for each square: towards h8, in the order of `STEPS`."""

DOWN_RAYS = tuple(ray(square, -x, -y) for square in range(64) for x, y in STEPS)
UP_FILLS = tuple(ALL ^ squares if squares else 0 for squares in UP_RAYS)
"""All that is not on a ray: a carry runs through it."""

DIAGONALS = tuple(
    line
    for files, starts in (
        (1, (*range(6), 8, 16, 24, 32, 40)),
        (-1, (*range(2, 8), 15, 23, 31, 39, 47)),
    )
    for line in (ray(start, files, 1) | 1 << start for start in starts)
)
"""Of three squares and more: eleven towards h8, then eleven towards a8."""

NEIGHBOURS = tuple(
    sum(
        1 << other
        for other in range(64)
        if max(abs(other % 8 - square % 8), abs(other // 8 - square // 8)) == 1
    )
    for square in range(64)
)
RISING = tuple(UP_RAYS[4 * n + 2] | DOWN_RAYS[4 * n + 2] for n in range(64))
FALLING = tuple(UP_RAYS[4 * n + 3] | DOWN_RAYS[4 * n + 3] for n in range(64))
"""The diagonals of a square, without it."""


def line_flips(place: int, own: int) -> int:
    """Count what a disc flips in a line of eight in which all else is taken."""
    flips = 0
    for end, step in ((8, 1), (-1, -1)):
        for at in range(place + step, end, step):
            if own >> at & 1:
                flips += abs(at - place) - 1
                break
    return flips


LINE_FLIPS = tuple(line_flips(place, own) for place in range(8) for own in range(256))
"""By the place of the disc, then by the discs of its colour."""


@rule
def solvable(memory: Memory, board: Board) -> bool:
    """Tell whether few enough squares are empty for the budget that there is."""
    count = popcount(ALL ^ (board[BLACK] | board[WHITE]))
    return count <= MOST_SOLVED and memory.limit >> (count + A_SHARE) > 0


@rule
def solve(
    memory: Memory, board: Board, ply: int, alpha: Signed, beta: Signed
) -> Signed:
    """Return the final margin of the seat to move, in discs; worthless once stopped.

    Between *alpha* and *beta* it is exact, else a bound. In *memory* nothing below
    *ply* is touched.
    """
    turn = board[TURN]
    return margin(memory, board[turn], board[1 - turn], ply, alpha, beta)


@rule
def margin(
    memory: Memory, own: int, other: int, ply: int, alpha: Signed, beta: Signed
) -> Signed:
    """Return the margin of any ending, by search with a table."""
    empty = ALL ^ (own | other)
    count = popcount(empty)
    if count <= FEW:
        return margin_of_few(memory, own, other, empty, alpha, beta, False)
    memory.nodes += 1
    if out_of_budget(memory):
        memory.stopped = True
        return 0
    if alpha >= 2 * count - 4:
        most: Signed = 64 - 2 * popcount(stable(other, own))
        if most <= alpha:
            return most
    least: Signed = -64
    most = 64
    first: Signed = 64
    entry = find_end(memory, own, other)
    if entry >= 0:
        least = (entry & 255) - 64
        most = ((entry >> 8) & 255) - 64
        first = entry >> 16
        if least >= beta or least == most:
            return least
        if most <= alpha:
            return most
        if least > alpha:
            alpha = least
        if most < beta:
            beta = most
    squares = placements(own, other)
    if squares == 0:
        if placements(other, own) == 0:
            return popcount(own) - popcount(other)
        return -margin(memory, other, own, ply, -beta, -alpha)
    if count >= CUT_EARLY:
        known = known_margin(memory, own, other, squares, beta)
        if known > NO_MARGIN:
            return known
    found = order_squares(memory, own, other, ply, squares, first)
    moves: Moves = memory.moves[ply]
    best: Signed = NO_MARGIN
    low = alpha
    for index in range(found):
        square = moves[index]
        flipped = turned(own, other, square)
        after = own | flipped | bit(square)
        if index == 0:
            value = -margin(memory, other ^ flipped, after, ply + 1, -beta, -low)
        else:
            value = -margin(memory, other ^ flipped, after, ply + 1, -low - 1, -low)
            if low < value and value < beta and not memory.stopped:
                value = -margin(memory, other ^ flipped, after, ply + 1, -beta, -value)
        if memory.stopped:
            return 0
        if value > best:
            best = value
            first = square
        if value > low:
            low = value
        if low >= beta:
            break
    if best > alpha or best >= beta:
        least = best
    if best < beta:
        most = best
    put_end(memory, own, other, (first << 16) | ((most + 64) << 8) | (least + 64))
    return best


@rule
def known_margin(
    memory: Memory, own: int, other: int, squares: int, beta: Signed
) -> Signed:
    """Return a margin of *beta* or more that a known reply proves, or `NO_MARGIN`."""
    while squares:
        square = lowest(squares)
        squares ^= bit(square)
        flipped = turned(own, other, square)
        entry = find_end(memory, other ^ flipped, own | flipped | bit(square))
        if entry >= 0:
            value = 64 - ((entry >> 8) & 255)
            if value >= beta:
                return value
    return NO_MARGIN


@rule
def order_squares(
    memory: Memory, own: int, other: int, ply: int, squares: int, first: Signed
) -> int:
    """Sort the moves: the remembered one, then those that leave the fewest replies."""
    moves: Moves = memory.moves[ply]
    ranks: Moves = memory.ranks[ply]
    empty = ALL ^ (own | other)
    odd = odd_quarters(empty)
    count = popcount(empty)
    found = 0
    while squares:
        square = lowest(squares)
        squares ^= bit(square)
        rank: Signed = 100000
        if square != first:
            flipped = turned(own, other, square)
            after = own | flipped | bit(square)
            replies = placements(other ^ flipped, after)
            rank = -4 * popcount(replies) - 4 * popcount(replies & CORNERS)
            if bit(square) & odd:
                rank += 2
            if bit(square) & CORNERS:
                rank += 6
            if count >= BY_REPLIES:
                rank = 2 * rank - guess(other ^ flipped, after) // 100
            elif count >= BY_WORTH:
                rank = 2 * rank - worth(other ^ flipped, after) // 100
        place = found
        while place > 0 and ranks[place - 1] < rank:
            ranks[place] = ranks[place - 1]
            moves[place] = moves[place - 1]
            place -= 1
        ranks[place] = rank
        moves[place] = square
        found += 1
    return found


@rule
def guess(own: int, other: int) -> Signed:
    """Return what the best move seems to be worth, without looking further."""
    squares = placements(own, other)
    if squares == 0:
        return worth(own, other)
    best: Signed = -1000000
    while squares:
        square = lowest(squares)
        squares ^= bit(square)
        flipped = turned(own, other, square)
        value = -worth(other ^ flipped, own | flipped | bit(square))
        if value > best:
            best = value
    return best


@rule
def odd_quarters(empty: int) -> int:
    """Return the quarters of the board in which an odd number of squares is empty."""
    odd = 0
    for index in range(4):
        if popcount(empty & QUARTERS[index]) & 1:
            odd |= QUARTERS[index]
    return odd


@rule
def margin_of_few(
    memory: Memory,
    own: int,
    other: int,
    empty: int,
    alpha: Signed,
    beta: Signed,
    passed: bool,
) -> Signed:
    """Return the margin where a few squares are empty: those of odd quarters first."""
    if popcount(empty) == 2:
        return margin_of_two(memory, own, other, empty, alpha, beta)
    memory.nodes += 1
    best: Signed = NO_MARGIN
    low = alpha
    odd = odd_quarters(empty) & empty
    even = empty ^ odd
    while odd | even:
        if odd:
            square = lowest(odd)
            odd ^= bit(square)
        else:
            square = lowest(even)
            even ^= bit(square)
        if NEIGHBOURS[square] & other:
            flipped = turned(own, other, square)
            if flipped:
                value = -margin_of_few(
                    memory,
                    other ^ flipped,
                    own | flipped | bit(square),
                    empty ^ bit(square),
                    -beta,
                    -low,
                    False,
                )
                if value > best:
                    best = value
                    if value >= beta:
                        return value
                    if value > low:
                        low = value
    if best > NO_MARGIN:
        return best
    if passed:
        return popcount(own) - popcount(other)
    return -margin_of_few(memory, other, own, empty, -beta, -alpha, True)


@rule
def margin_of_two(
    memory: Memory, own: int, other: int, empty: int, alpha: Signed, beta: Signed
) -> Signed:
    """Return the margin where two squares are empty, or one."""
    memory.nodes += 1
    best = after_two(own, other, empty, beta)
    if best > NO_MARGIN:
        return best
    best = after_two(other, own, empty, -alpha)
    if best > NO_MARGIN:
        return -best
    return popcount(own) - popcount(other)


@rule
def after_two(own: int, other: int, empty: int, enough: Signed) -> Signed:
    """Return the better margin after a move to one of two squares, or `NO_MARGIN`."""
    one = lowest(empty)
    two = highest(empty)
    best: Signed = NO_MARGIN
    if NEIGHBOURS[one] & other:
        flipped = turned(own, other, one)
        if flipped:
            best = -margin_of_last(other ^ flipped, two)
    if best < enough and NEIGHBOURS[two] & other:
        flipped = turned(own, other, two)
        if flipped:
            value = -margin_of_last(other ^ flipped, one)
            if value > best:
                best = value
    return best


@rule
def margin_of_last(own: int, square: int) -> Signed:
    """Return the margin where all squares are taken but one."""
    discs = popcount(own)
    flips = flips_of_last(own, square)
    if flips:
        return 2 * (discs + flips) - 62
    flips = flips_of_last(ALL ^ (own | bit(square)), square)
    if flips:
        return 2 * (discs - flips) - 64
    return 2 * discs - 63


@rule
def flips_of_last(own: int, square: int) -> Signed:
    """Count what a disc flips on the last empty square."""
    file = square & 7
    rank = square >> 3
    flips = LINE_FLIPS[256 * file + ((own >> (8 * rank)) & LOW_BITS)]
    column = gather((own >> file) & FIRST_FILE, COLUMN_BITS)
    flips += LINE_FLIPS[256 * rank + column]
    flips += LINE_FLIPS[256 * file + gather(own & RISING[square], FIRST_FILE)]
    flips += LINE_FLIPS[256 * file + gather(own & FALLING[square], FIRST_FILE)]
    return flips


@rule
def turned(own: int, other: int, square: int) -> int:
    """Return what a new disc flips; the same as `outflanked`, and faster."""
    line = 4 * square
    inner = other & INNER
    middle = other & MIDDLE
    heart = other & HEART
    flipped = turned_up(own, inner, line) | turned_down(own, inner, line)
    flipped |= turned_up(own, middle, line + 1) | turned_down(own, middle, line + 1)
    flipped |= turned_up(own, heart, line + 2) | turned_down(own, heart, line + 2)
    flipped |= turned_up(own, heart, line + 3) | turned_down(own, heart, line + 3)
    return flipped


@rule
def turned_up(own: int, other: int, line: int) -> int:
    """Return the row of *other* on the upper ray of a line, if *own* ends it."""
    # a carry runs through the row, and comes out at the square behind it
    end = ((other | UP_FILLS[line]) + 1) & own & UP_RAYS[line]
    return (end - 1 if end else 0) & UP_RAYS[line]


@rule
def turned_down(own: int, other: int, line: int) -> int:
    """Do the same on the lower ray."""
    squares = DOWN_RAYS[line]
    end = highest((squares ^ (squares & other)) | 1)
    return (squares - (squares & (bit(end + 1) - 1))) * ((own >> end) & 1)


@rule
def stable(own: int, other: int) -> int:
    """Return discs of *own* that can never be flipped; there may be more."""
    taken = own | other
    ranks = taken & (taken >> 4)
    ranks &= ranks >> 2
    ranks = (ranks & (ranks >> 1) & FIRST_FILE) * LOW_BITS
    files = taken & (taken >> 32)
    files &= files >> 16
    files = (files & (files >> 8) & LOW_BITS) * FIRST_FILE
    rising = full_diagonals(taken, 0) | BORDER
    falling = full_diagonals(taken, 11) | BORDER
    ranks |= SIDES
    files |= RANKS
    before = 0
    found = own & ranks & files & rising & falling
    while found != before:
        before = found
        beside = ranks | ((found << 1) & ALL) | (found >> 1)
        above = files | ((found << 8) & ALL) | (found >> 8)
        up = rising | ((found << 9) & ALL) | (found >> 9)
        down = falling | ((found << 7) & ALL) | (found >> 7)
        found |= own & beside & above & up & down
    return found


@rule
def full_diagonals(taken: int, start: int) -> int:
    """Return the diagonals of one direction that have no empty square."""
    full = 0
    for index in range(start, start + 11):
        if taken & DIAGONALS[index] == DIAGONALS[index]:
            full |= DIAGONALS[index]
    return full
