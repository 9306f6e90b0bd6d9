"""Perft: count the ways to play on, a fingerprint of the rules."""

from __future__ import annotations

from rules_core.compiled import find_compiled
from rules_core.position import Position


def perft(position: Position, depth: int) -> int:
    """Count the lines of *depth* plies; a finished game is one, a pass is a ply."""
    if depth <= 0 or not position.legal_moves:
        return 1
    if depth == 1:
        return len(position.legal_moves)
    lines = 0
    for move in position.legal_moves:
        after = position.play(move)
        lines += perft(after, depth - 1 - len(after.passes))
    return lines


def fast_perft(position: Position, depth: int) -> int:
    """Count as `perft` does, compiled where that is at hand.

    Compiled rules know one board at a time: a third repetition (G9) ends no line there.
    """
    compiled = find_compiled(position.game)
    if compiled is None:
        return perft(position, depth)
    return int(compiled.perft(position.flat, depth))
