"""Weights of patterns by least squares: what positions show, against how they ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from rules_core.games import reversi_patterns as patterns
from rules_core.games.reversi_rows import placements
from rules_core.games.reversi_weights import (
    MOVES,
    PHASE_OF,
    PHASES,
    REPLIES,
    kept_once,
)

Array = Any
RIDGE = 4.0
"""How many positions must speak for a weight before it is half believed."""

ROUNDS = 40
NEIGHBOURS = 2
"""So many discs beyond its phase a position still counts, that phases meet smoothly."""

HUNDREDTHS = 100


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions of the seat to move, and the final margins that it got."""

    own: Array
    other: Array
    margins: Array

    def __getitem__(self, chosen: Array) -> Positions:
        return Positions(self.own[chosen], self.other[chosen], self.margins[chosen])


class _Recorder:
    """Stands in for the weights, and notes which are asked for."""

    def __init__(self) -> None:
        self.asked: list[Array] = []

    def __getitem__(self, places: Array) -> Array:
        self.asked.append(np.asarray(places).astype(np.int32))
        return 0


@contextmanager
def _recorded() -> Iterator[_Recorder]:
    """Let the rules of the patterns run over arrays, so that they stand once."""
    recorder, names = _Recorder(), vars(patterns)
    own = {name: names[name] for name in ("WEIGHTS", "POWERS")}
    names.update(WEIGHTS=recorder, POWERS=np.array(patterns.POWERS))
    try:
        yield recorder
    finally:
        names.update(own)


def features(positions: Positions) -> Array:
    """Return, for each position, the weights that are asked for, as they are kept."""
    own, other = positions.own, positions.other
    with _recorded() as recorder:
        patterns.by_corners(own, other, 0)
        patterns.by_lines(own, other, 0)
        patterns.by_diagonals(own, other, 0)
    places = [
        *recorder.asked,
        MOVES + np.bitwise_count(placements(own, other)).astype(np.int32),
        REPLIES + np.bitwise_count(placements(other, own)).astype(np.int32),
    ]
    return np.array(kept_once(), dtype=np.int32)[np.stack(places)]


def fit(asked: Array, margins: Array, count: int) -> Array:
    """Return the weights that fit best, by conjugate gradients."""

    def predicted(weights: Array) -> Array:
        return sum(weights[row] for row in asked)

    def gathered(values: Array) -> Array:
        return sum(np.bincount(row, values, count) for row in asked)

    weights = np.zeros(count)
    rest = gathered(margins)
    scale = gathered(np.ones(len(margins))) + RIDGE  # each weight at its own pace
    step = rest / scale
    product = rest @ step
    for _ in range(ROUNDS):
        along = gathered(predicted(step)) + RIDGE * step
        length = product / (step @ along)
        weights += length * step
        rest -= length * along
        eased = rest / scale
        before, product = product, rest @ eased
        step = eased + product / before * step
    return weights


def learn(positions: Positions, told: Positions) -> Iterator[tuple[int, Array, float]]:
    """Yield phase, weights in hundredths and error in discs on what was not shown."""
    count = kept_once()[-1] + 1
    phase_of = np.array(PHASE_OF)

    def discs(some: Positions) -> Array:
        return np.bitwise_count(some.own | some.other).astype(np.int32)

    for phase in range(PHASES):
        of_phase = np.flatnonzero(phase_of == phase)
        first, last = of_phase[0] - NEIGHBOURS, of_phase[-1] + NEIGHBOURS
        here = discs(positions)
        shown = positions[(here >= first) & (here <= last)]
        weights = fit(features(shown), shown.margins.astype(float), count)
        weights = np.rint(weights * HUNDREDTHS).clip(-32767, 32767)
        unseen = told[phase_of[discs(told)] == phase]
        guessed = sum(weights[row] for row in features(unseen)) / HUNDREDTHS
        error = float(np.sqrt(np.mean((guessed - unseen.margins) ** 2)))
        yield phase, weights.astype(np.int16), error
