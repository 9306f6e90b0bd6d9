"""Looking ahead: what a position is worth, within a budget of positions and time."""

from __future__ import annotations

import time
from typing import Protocol

from rules_core.compiled import find_compiled
from rules_core.engine import Engine
from rules_core.game import Game
from rules_core.kernel import Board
from rules_core.search.alphabeta import INFINITE, SURE_WIN, WIN, Evaluate, negamax
from rules_core.search.memory import MAX_PLY, Memory

__all__ = [
    "INFINITE",
    "MAX_PLY",
    "SURE_WIN",
    "WIN",
    "PlainSearcher",
    "Searcher",
    "find_searcher",
]


class Searcher(Protocol):
    """Looks ahead in one game, until its budget is used up."""

    @property
    def stopped(self) -> bool:
        """Whether the budget is used up, so that the last value is worthless."""

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""

    def value(self, cells: Board, depth: int, alpha: int, beta: int) -> int:
        """Return what a flat board is worth to the seat to move, within a window."""

    def solve(self, cells: Board, alpha: int, beta: int) -> int:
        """Return the final margin of the seat to move, where the game is solvable."""


class PlainSearcher:
    """The search in plain Python."""

    def __init__(self, game: Game, nodes: int, seconds: float) -> None:
        """Begin with a whole budget."""
        self._engine = game.engine
        self._evaluate = game.engine.evaluate or by_score(game.engine)
        self._memory = Memory(game.engine, nodes, time.monotonic() + seconds)

    @property
    def stopped(self) -> bool:
        """Whether the budget is used up, so that the last value is worthless."""
        return self._memory.stopped

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
        return self._memory.nodes

    def value(self, cells: Board, depth: int, alpha: int, beta: int) -> int:
        """Return what a flat board is worth to the seat to move, within a window."""
        self._memory.boards[0][:] = cells
        engine, evaluate, memory = self._engine, self._evaluate, self._memory
        return negamax(engine, evaluate, memory, 0, depth, alpha, beta)

    def solve(self, cells: Board, alpha: int, beta: int) -> int:
        """Return the final margin of the seat to move, where the game is solvable."""
        solve = self._engine.solve
        if solve is None:
            raise ValueError("nothing solves this game")
        return solve(self._memory, cells, 0, alpha, beta)


def by_score(engine: Engine) -> Evaluate:
    """Return how positions are valued in a game that brings no evaluation."""
    score = engine.score
    return lambda board: 100 * score(board)


def find_searcher(game: Game, nodes: int, seconds: float) -> Searcher:
    """Return the fastest search that there is for a game."""
    compiled = find_compiled(game)
    if compiled is None:
        return PlainSearcher(game, nodes, seconds)
    searcher: Searcher = compiled.Searcher(nodes, seconds)
    return searcher
