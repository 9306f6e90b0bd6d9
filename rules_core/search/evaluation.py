"""What a position that is not over is worth to the first seat, in hundredths."""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.games.reversi import BLACK, WHITE, placements
from rules_core.kernel import Board, Signed, popcount, rule
from rules_core.search.alphabeta import Evaluate

CORNERS = 0x8100000000000081
BESIDE_CORNERS = 0x42C300000000C342  # the squares that give a corner away


@rule
def reversi_value(board: Board) -> Signed:
    """Weigh corners, moves to choose from and, near the end, discs."""
    black = board[BLACK]
    white = board[WHITE]
    taken = popcount(black | white)
    corners = popcount(black & CORNERS) - popcount(white & CORNERS)
    beside = popcount(black & BESIDE_CORNERS) - popcount(white & BESIDE_CORNERS)
    mobility = popcount(placements(black, white)) - popcount(placements(white, black))
    discs = popcount(black) - popcount(white)
    value = 800 * corners + 80 * mobility
    if taken < 40:
        return value - 150 * beside - 10 * discs
    if taken < 54:
        return value - 60 * beside
    return value + 100 * discs


EVALUATIONS: dict[str, Evaluate] = {"reversi": reversi_value}
"""The games that are valued by more than their score."""


def evaluation_of(key: str, engine: Engine) -> Evaluate:
    """Return how positions of a game are valued."""
    if key in EVALUATIONS:
        return EVALUATIONS[key]
    score = engine.score
    return lambda board: 100 * score(board)
