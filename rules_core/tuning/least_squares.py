"""Weights of traits by least squares, and how sure they are."""

from __future__ import annotations

import numpy as np

from rules_core.tuning.regression import RIDGE, Array

ALIKE = 0.08
"""A trait is left out that others tell but for this share: its weight and theirs could
only be read together, as that of moves in Oware, which are pits that are not empty."""


def telling(traits: Array) -> list[int]:
    """Return the columns that are not sums of earlier ones, or nearly so."""
    products = traits.T @ traits
    kept: list[int] = []
    for column, square in enumerate(np.diag(products)):
        known = products[np.ix_(kept, [column])]
        by_others = known.T @ np.linalg.solve(products[np.ix_(kept, kept)], known)
        if square - by_others.sum() > ALIKE * square:
            kept.append(column)
    return kept


def fit(traits: Array, gained: Array, games: Array) -> tuple[Array, Array]:
    """Return the weights that fit best, and their standard errors.

    Positions of one game have one end: errors are added up by game first.
    """
    products = traits.T @ traits + RIDGE * np.eye(traits.shape[1])
    weights = np.linalg.solve(products, traits.T @ gained)
    rest = traits * (gained - traits @ weights)[:, np.newaxis]
    by_game = np.zeros((games.max() + 1, traits.shape[1]))
    np.add.at(by_game, games, rest)
    inverse = np.linalg.inv(products)
    spread = inverse @ (by_game.T @ by_game) @ inverse
    return weights, np.sqrt(np.diag(spread))
