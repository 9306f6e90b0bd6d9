"""How a game ended."""

from __future__ import annotations

from dataclasses import dataclass

REASONS = (
    "seeds",  # the board was played out; more seeds win (K6, C7)
    "majority",  # a seat holds more than half of all seeds (W7, B6)
    "halves",  # both seats hold exactly half of all seeds (W7, B6)
    "no-seeds",  # the seat to move has no seeds (W6, B7, L6)
    "no-feeding-move",  # the seat to move cannot feed its opponent (W4)
    "standstill",  # a third repetition, or only endless moves (W8, L7, J10)
    "discs",  # nobody can move; more discs win (R6)
    "no-moves",  # the seat to move has no legal move and loses (J8)
    "rounds",  # the last round is over (C8, N8)
    "front-row-empty",  # a front row is empty, its owner has lost (J8)
    "no-refill",  # a seat can fill no pit for the next round (C8)
    "all-pits",  # a seat is entitled to all pits (N8)
)
"""Every reason the rules know. Resigning and agreeing are not matters of the rules."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won (None is a draw), why (one of `REASONS`), and what each seat has."""

    winner: str | None
    reason: str
    score: dict[str, int]
