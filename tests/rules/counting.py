"""Perft: count the ways to play on, a fingerprint of the rules."""

from rules_core import Position


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
