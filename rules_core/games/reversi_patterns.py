"""What a position of Reversi is worth before its end, by patterns of discs.

The board is read as 46 patterns: edges with the squares diagonal to the corners,
corners of 3 x 3 and of 2 x 5, rows and diagonals. Each arrangement of own, other and
empty squares has a weight in hundredths of a disc, by the phase of the game; so has
each number of moves to choose from. They were learned from games of our own
(`rules_core/tuning`); `reversi_weights.py` says how they are kept.
"""

from __future__ import annotations

from rules_core.games.reversi_rows import placements
from rules_core.games.reversi_weights import (
    CORNERS_2_5,
    CORNERS_3_3,
    DIAGONALS_4,
    DIAGONALS_5,
    DIAGONALS_6,
    DIAGONALS_7,
    DIAGONALS_8,
    EDGES,
    FILE,
    MOVES,
    PHASE_OF,
    REPLIES,
    ROWS_2,
    ROWS_3,
    ROWS_4,
    SIZE_OF_PHASE,
    read_weights,
)
from rules_core.kernel import Board, Signed, Table, gather, popcount, rule

WEIGHTS = Table(FILE, read_weights)
BLACK, WHITE, TURN = 0, 1, 2
LINE = 255
FIRST_FILE, COLUMN_BITS = 0x0101010101010101, 0x0102040810204080


def powers(*places: int) -> list[int]:
    """Return the sum of 3**place of the bits that are 1, for every word of so many."""
    sums = [0]
    for place in places:
        sums += [known + 3**place for known in sums]
    return sums


POWERS = (
    *powers(*range(10)),
    *powers(2, 1, 0, 5, 4, 3, 8, 7, 6),
    *powers(4, 3, 2, 1, 0, 9, 8, 7, 6, 5),
)
AS_IT_IS, TURNED_3, TURNED_5 = 0, 1024, 1536
"""Where the sums begin: as the bits stand, and with rows of three or five mirrored."""


@rule
def evaluate(board: Board) -> Signed:
    """Return what a position is worth to black, in hundredths of a disc."""
    turn = board[TURN]
    value = worth(board[turn], board[1 - turn])
    if turn:
        return -value
    return value


@rule
def worth(own: int, other: int) -> Signed:
    """Return what a position is worth to the seat to move."""
    place = PHASE_OF[popcount(own | other)] * SIZE_OF_PHASE
    value = by_corners(own, other, place)
    value += by_lines(own, other, place) + by_diagonals(own, other, place)
    value += WEIGHTS[place + MOVES + popcount(placements(own, other))]
    return value + WEIGHTS[place + REPLIES + popcount(placements(other, own))]


@rule
def weight(place: int, order: int, own: int, other: int) -> Signed:
    """Return the weight of an arrangement of bits of own and of other discs."""
    return WEIGHTS[place + POWERS[order + own] + 2 * POWERS[order + other]]


@rule
def column(word: int, file: int) -> int:
    """Return the bits of a file, rank 1 first."""
    return gather((word >> file) & FIRST_FILE, COLUMN_BITS)


@rule
def by_corners(own: int, other: int, place: int) -> Signed:
    """Weigh the edges, and the corners of 3 x 3 and 2 x 5."""
    value = edges_of(
        own & LINE,
        other & LINE,
        (own >> 8) & LINE,
        (other >> 8) & LINE,
        (own >> 16) & LINE,
        (other >> 16) & LINE,
        place,
    )
    value += edges_of(
        own >> 56,
        other >> 56,
        (own >> 48) & LINE,
        (other >> 48) & LINE,
        (own >> 40) & LINE,
        (other >> 40) & LINE,
        place,
    )
    value += sides_of(
        column(own, 0), column(other, 0), column(own, 1), column(other, 1), place
    )
    value += sides_of(
        column(own, 7), column(other, 7), column(own, 6), column(other, 6), place
    )
    return value


@rule
def edges_of(
    own: int,
    other: int,
    own_2: int,
    other_2: int,
    own_3: int,
    other_3: int,
    place: int,
) -> Signed:
    """Weigh the first three rows from an edge, the outermost first."""
    value = sides_of(own, other, own_2, other_2, place)
    value += weight(
        place + CORNERS_3_3,
        AS_IT_IS,
        (own & 7) | ((own_2 & 7) << 3) | ((own_3 & 7) << 6),
        (other & 7) | ((other_2 & 7) << 3) | ((other_3 & 7) << 6),
    )
    value += weight(
        place + CORNERS_3_3,
        TURNED_3,
        (own >> 5) | ((own_2 >> 5) << 3) | ((own_3 >> 5) << 6),
        (other >> 5) | ((other_2 >> 5) << 3) | ((other_3 >> 5) << 6),
    )
    return value


@rule
def sides_of(own: int, other: int, own_2: int, other_2: int, place: int) -> Signed:
    """Weigh the first two rows from an edge: it and its two corners of 2 x 5."""
    value = weight(
        place + EDGES,
        AS_IT_IS,
        own | ((own_2 & 2) << 7) | ((own_2 & 64) << 3),
        other | ((other_2 & 2) << 7) | ((other_2 & 64) << 3),
    )
    value += weight(
        place + CORNERS_2_5,
        AS_IT_IS,
        (own & 31) | ((own_2 & 31) << 5),
        (other & 31) | ((other_2 & 31) << 5),
    )
    value += weight(
        place + CORNERS_2_5,
        TURNED_5,
        (own >> 3) | ((own_2 >> 3) << 5),
        (other >> 3) | ((other_2 >> 3) << 5),
    )
    return value


@rule
def by_lines(own: int, other: int, place: int) -> Signed:
    """Weigh the inner ranks and files."""
    value = line(place + ROWS_2, (own >> 8) & LINE, (other >> 8) & LINE)
    value += line(place + ROWS_2, (own >> 48) & LINE, (other >> 48) & LINE)
    value += line(place + ROWS_2, column(own, 1), column(other, 1))
    value += line(place + ROWS_2, column(own, 6), column(other, 6))
    value += line(place + ROWS_3, (own >> 16) & LINE, (other >> 16) & LINE)
    value += line(place + ROWS_3, (own >> 40) & LINE, (other >> 40) & LINE)
    value += line(place + ROWS_3, column(own, 2), column(other, 2))
    value += line(place + ROWS_3, column(own, 5), column(other, 5))
    value += line(place + ROWS_4, (own >> 24) & LINE, (other >> 24) & LINE)
    value += line(place + ROWS_4, (own >> 32) & LINE, (other >> 32) & LINE)
    value += line(place + ROWS_4, column(own, 3), column(other, 3))
    value += line(place + ROWS_4, column(own, 4), column(other, 4))
    return value


@rule
def line(place: int, own: int, other: int) -> Signed:
    """Return the weight of a whole line, or of a diagonal moved to its first bits."""
    return WEIGHTS[place + POWERS[own] + 2 * POWERS[other]]


@rule
def by_diagonals(own: int, other: int, place: int) -> Signed:
    """Weigh the diagonals of four squares and more."""
    value = diagonal(place + DIAGONALS_8, own, other, 0x8040201008040201, 0)
    value += diagonal(place + DIAGONALS_8, own, other, 0x0102040810204080, 0)
    value += diagonal(place + DIAGONALS_7, own, other, 0x0080402010080402, 1)
    value += diagonal(place + DIAGONALS_7, own, other, 0x4020100804020100, 0)
    value += diagonal(place + DIAGONALS_7, own, other, 0x0001020408102040, 0)
    value += diagonal(place + DIAGONALS_7, own, other, 0x0204081020408000, 1)
    value += diagonal(place + DIAGONALS_6, own, other, 0x0000804020100804, 2)
    value += diagonal(place + DIAGONALS_6, own, other, 0x2010080402010000, 0)
    value += diagonal(place + DIAGONALS_6, own, other, 0x0000010204081020, 0)
    value += diagonal(place + DIAGONALS_6, own, other, 0x0408102040800000, 2)
    value += diagonal(place + DIAGONALS_5, own, other, 0x0000008040201008, 3)
    value += diagonal(place + DIAGONALS_5, own, other, 0x1008040201000000, 0)
    value += diagonal(place + DIAGONALS_5, own, other, 0x0000000102040810, 0)
    value += diagonal(place + DIAGONALS_5, own, other, 0x0810204080000000, 3)
    value += diagonal(place + DIAGONALS_4, own, other, 0x0000000080402010, 4)
    value += diagonal(place + DIAGONALS_4, own, other, 0x0804020100000000, 0)
    value += diagonal(place + DIAGONALS_4, own, other, 0x0000000001020408, 0)
    value += diagonal(place + DIAGONALS_4, own, other, 0x1020408000000000, 4)
    return value


@rule
def diagonal(place: int, own: int, other: int, squares: int, file: int) -> Signed:
    """Return the weight of a diagonal that begins in a file."""
    return line(
        place,
        gather(own & squares, FIRST_FILE) >> file,
        gather(other & squares, FIRST_FILE) >> file,
    )
