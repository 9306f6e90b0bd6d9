"""Levels for one game, from what a tournament between levels of it has shown."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rules_core.levels import Level

MOST = 10
CLOSEST_ELO = 100
"""Where steps would be smaller, a game has fewer levels."""

COOL = 5
"""In hundredths: a temperature below it is none; and none counts as it in between."""

EVERYTHING: Mapping[str, Any] = {"nodes": 50_000_000, "temperature": 0, "tables": True}
"""The highest level: the time for a move is all that ends its search."""

Rung = tuple[int, float, float]


def fit(levels: Sequence[Level], rungs: Sequence[Rung]) -> list[dict[str, Any]]:
    """Return levels that are equally far apart, as `levels.json` tells them.

    *rungs* say of which of the levels it is known how strong they are: number, Elo and
    error. The weakest of them stays the weakest, above the strongest of them stands
    everything there is.
    """
    spread = rungs[-1][1] - rungs[0][1]
    count = max(2, min(MOST, 1 + round(spread / CLOSEST_ELO)))
    strengths = [rungs[0][1] + spread * n / (count - 1) for n in range(count - 1)]
    return [*(_between(levels, rungs, elo) for elo in strengths), dict(EVERYTHING)]


def _between(
    levels: Sequence[Level], rungs: Sequence[Rung], elo: float
) -> dict[str, Any]:
    """Return a level of some strength, between the two that are next to it."""
    upper = next((n for n, rung in enumerate(rungs) if n and rung[1] >= elo), None)
    upper = len(rungs) - 1 if upper is None else upper
    (below, low, _), (above, high, _) = rungs[upper - 1], rungs[upper]
    part = (elo - low) / (high - low) if high > low else 0.0
    one, other = levels[below - 1], levels[above - 1]
    nodes = _mean(one.nodes, other.nodes, part)
    temperature = _mean(max(one.temperature, COOL), max(other.temperature, COOL), part)
    return {
        "nodes": _round(nodes),
        "temperature": 0 if temperature < 1.5 * COOL else _round(temperature),
    }


def _mean(one: float, other: float, part: float) -> float:
    return math.exp(math.log(one) * (1 - part) + math.log(other) * part)


def _round(number: float) -> int:
    """Return a number with two digits that count."""
    unit = int(10 ** max(0, math.floor(math.log10(number)) - 1))
    return round(number / unit) * unit
