"""What holds of a game that does not say otherwise (see the hooks in `engine`)."""

from __future__ import annotations

from rules_core.kernel import Board, Steps, rule


@rule
def standstill(board: Board, steps: Steps) -> None:
    """No position comes up twice."""


@rule
def most(board: Board) -> int:
    """Nothing is known of what can still be won: never asked."""
    return 0


@rule
def least(board: Board) -> int:
    """Nothing is known of what can still be lost: never asked."""
    return 0


@rule
def banked(board: Board, seat: int) -> int:
    """No cell can be left out."""
    return -1


@rule
def ring_size(board: Board) -> int:
    """There are no endings: never asked."""
    return 0


@rule
def ring_cell(board: Board, index: int) -> int:
    """There are no endings: never asked."""
    return 0
