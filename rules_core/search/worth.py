"""What a position is worth as a number, and how it is kept in a table.

Values are hundredths of a seed or disc, from the view of the seat to move: a final
margin, or what is hoped for. Where nothing of the game is left to be decided by what
lies in the stores (`banked`) that is all. Elsewhere a win stands apart: the rules may
end such a game early, by a majority or a standstill, so that winning is worth more than
any margin; among wins the larger one, then the nearer.
"""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import Board, rule

WIN = 1_000_000
"""A win by nothing, at once."""

INFINITE = 2_000_000
SURE_WIN = WIN - 1_000
A_SEED_MORE = 256
"""What a larger win is worth: more than any number of plies."""

EXACT, AT_LEAST, AT_MOST = 0, 1, 2


@rule
def final_value(game: Engine, board: Board, side: int, ply: int) -> int:
    """Return what a finished game is worth: the more, and the sooner, the better."""
    winner = board[game.winner]
    if winner == 0:
        return 0
    margin = game.score(board)
    if winner == 2:
        margin = -margin
    value = won_value(game, board, margin, ply)
    if winner == side + 1:
        return value
    return -value


@rule
def won_value(game: Engine, board: Board, margin: int, ply: int) -> int:
    """Return what a win by a margin is worth to who has it."""
    if game.banks and game.banked(board, 0) >= 0:
        return 100 * margin
    if game.counts and margin > 0:
        return WIN + A_SEED_MORE * margin - ply
    return WIN - ply


@rule
def margin_value(game: Engine, board: Board, margin: int, ply: int) -> int:
    """Return what a final margin is worth to the seat that it is counted for."""
    if margin > 0:
        return won_value(game, board, margin, ply)
    if margin < 0:
        return -won_value(game, board, -margin, ply)
    return 0


@rule
def to_entry(
    value: int, ply: int, depth: int, kind: int, proven: int, move: int
) -> int:
    """Pack what is known of a position; wins are counted from here, not the root."""
    if value > SURE_WIN:
        value += ply
    elif value < -SURE_WIN:
        value -= ply
    rest = (depth << 11) | (proven << 10) | (kind << 8) | move
    return ((value + INFINITE) << 19) | rest


@rule
def from_entry(entry: int, ply: int) -> int:
    """Unpack the value of an entry."""
    value = (entry >> 19) - INFINITE
    if value > SURE_WIN:
        value -= ply
    elif value < -SURE_WIN:
        value += ply
    return value


@rule
def entry_move(entry: int) -> int:
    """Unpack the best move of an entry."""
    return entry & 255


@rule
def entry_kind(entry: int) -> int:
    """Unpack whether the value is EXACT, AT_LEAST or AT_MOST what it says."""
    return (entry >> 8) & 3


@rule
def entry_proven(entry: int) -> int:
    """Unpack whether the value stands on finished games alone, whatever the depth."""
    return (entry >> 10) & 1


@rule
def entry_depth(entry: int) -> int:
    """Unpack how deep was looked."""
    return (entry >> 11) & 255
