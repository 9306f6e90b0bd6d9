"""Looking ahead: what a position is worth, within a budget of positions and time."""

from __future__ import annotations

import time
from typing import Protocol

from rules_core.compiled import find_compiled
from rules_core.engine import Engine
from rules_core.game import Game
from rules_core.kernel import Board
from rules_core.search.alphabeta import INFINITE, SURE_WIN, WIN, Evaluate, negamax
from rules_core.search.cancel import Cancel
from rules_core.search.memory import MAX_PLY, Memory, find_entry, fingerprint

__all__ = [
    "INFINITE",
    "MAX_PLY",
    "SURE_WIN",
    "WIN",
    "Cancel",
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

    def reply(self, cells: Board) -> int:
        """Return the best move that is remembered of a flat board, or -1."""

    def solve(self, cells: Board, alpha: int, beta: int) -> int:
        """Return the final margin of the seat to move, where the game is solvable."""


class PlainSearcher:
    """The search in plain Python."""

    def __init__(
        self, game: Game, nodes: int, seconds: float, cancel: Cancel | None = None
    ) -> None:
        """Begin with a whole budget, which is used up at once when *cancel* is set."""
        self._engine = game.engine
        self._evaluate = game.engine.evaluate or by_score(game.engine)
        deadline = time.monotonic() + seconds
        self._memory = Memory(game.engine, nodes, deadline, cancel or Cancel())

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

    def reply(self, cells: Board) -> int:
        """Return the best move that is remembered of a flat board, or -1."""
        entry = find_entry(self._memory, fingerprint(cells, self._engine.size))
        return entry & 255 if entry >= 0 else -1

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


def find_searcher(
    game: Game, nodes: int, seconds: float, cancel: Cancel | None = None
) -> Searcher:
    """Return the fastest search that there is for a game."""
    compiled = find_compiled(game)
    if compiled is None:
        return PlainSearcher(game, nodes, seconds, cancel)
    flag = None if cancel is None else cancel.flag
    searcher: Searcher = compiled.Searcher(nodes, seconds, flag)
    return searcher
