"""Endings that a game file solves by itself, in the values of the search."""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import Board, rule
from rules_core.search.memory import Memory
from rules_core.search.worth import A_SEED_MORE, WIN, margin_value


@rule
def solved_value(
    game: Engine,
    memory: Memory,
    board: Board,
    ply: int,
    alpha: int,
    beta: int,
) -> int:
    """Return what a position is worth whose ending is solved; proven."""
    low = margin_up_to(alpha, ply)
    high = -margin_up_to(-beta, ply)
    margin = game.solve(memory, board, ply, low, high)
    memory.proven = 1
    return margin_value(game, board, margin, ply)


@rule
def margin_up_to(value: int, ply: int) -> int:
    """Return the highest margin that is worth no more than a value."""
    won = WIN - ply + A_SEED_MORE  # by one
    if value >= won:
        return (value - won) // A_SEED_MORE + 1
    if value >= 0:
        return 0
    if value >= -won:
        return -1
    return -((-value - won + A_SEED_MORE - 1) // A_SEED_MORE) - 1
