"""Looking ahead: what a position is worth, within a budget of positions and time."""

from __future__ import annotations

import mmap
import time
from typing import Protocol

from rules_core.compiled import find_compiled
from rules_core.engine import Engine
from rules_core.game import Game
from rules_core.kernel import Board
from rules_core.search.alphabeta import Evaluate, negamax
from rules_core.search.cancel import Cancel
from rules_core.search.circles import link_endings, narrow_endings
from rules_core.search.endings import fill_endings
from rules_core.search.memory import MAX_PLY, MOST_PLAYED, Memory, find_entry
from rules_core.search.remembering import key_of
from rules_core.search.table import Table
from rules_core.search.worth import INFINITE, SURE_WIN, WIN, entry_move

__all__ = [
    "INFINITE",
    "MAX_PLY",
    "SURE_WIN",
    "WIN",
    "Cancel",
    "PlainSearcher",
    "Searcher",
    "Table",
    "Values",
    "find_searcher",
]


Values = bytearray | memoryview | mmap.mmap
"""A byte or two for each ending, as signed numbers (see `ending_tables`)."""


class Searcher(Protocol):
    """Looks ahead in one game, until its budget is used up."""

    @property
    def stopped(self) -> bool:
        """Whether the budget is used up, so that the last value is worthless."""

    @property
    def proven(self) -> bool:
        """Whether the last value stands on finished games alone."""

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""

    @property
    def plays(self) -> int:
        """How many moves were played, those that were only tried to sort them too."""

    def go_on(self, nodes: int, seconds: float) -> None:
        """Look at positions up to this many in all, for so long, although stopped."""

    def remember(self, boards: list[Board]) -> None:
        """Take note of positions that would not come up for the first time."""

    def value(self, cells: Board, depth: int, alpha: int, beta: int) -> int:
        """Return what a flat board is worth to the seat to move, within a window."""

    def use_insight(self) -> None:
        """Go by what was learned after the levels were fitted, too."""

    def use_endings(self, values: Values, seeds: int) -> None:
        """Take the values of all positions up to so many seeds as known."""

    def fill_endings(self, cells: Board, values: bytearray, seeds: int) -> int:
        """Value all positions of so many seeds, when those of fewer are; count them.

        *cells*: a board of the game that is meant, without seeds.
        """

    def use_links(self, cells: Board, values: bytearray, links: bytearray) -> None:
        """Get ready to link and narrow endings (see `circles`), of as many bounds.

        *cells*: a board of the game that is meant, without seeds. *links*: room of four
        bytes for each.
        """

    def link_endings(self, seeds: int, begin: int, end: int) -> None:
        """Begin the bounds of the places from *begin* to *end*, of so many seeds."""

    def narrow_endings(self, seeds: int, begin: int, end: int) -> int:
        """Narrow their bounds, once; return of how many places."""

    def line(self, cells: Board, most: int) -> list[int]:
        """Return the moves that are remembered from a board on, so many at most."""

    def solve(self, cells: Board, alpha: int, beta: int) -> int:
        """Return the final margin of the seat to move, where the game is solvable."""


class PlainSearcher:
    """The search in plain Python."""

    def __init__(
        self,
        game: Game,
        nodes: int,
        seconds: float,
        cancel: Cancel | None = None,
        table: Table | None = None,
    ) -> None:
        """Begin with a whole budget, which is used up at once when *cancel* is set."""
        self._engine = game.engine
        self._evaluate = game.engine.evaluate or by_score(game.engine)
        entries = {} if table is None else table.entries
        self._memory = Memory(
            game.engine,
            nodes,
            time.monotonic() + seconds,
            Cancel() if cancel is None else cancel,
            entries,
        )

    @property
    def stopped(self) -> bool:
        """Whether the budget is used up, so that the last value is worthless."""
        return self._memory.stopped

    @property
    def proven(self) -> bool:
        """Whether the last value stands on finished games alone."""
        return self._memory.proven != 0

    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
        return self._memory.nodes

    @property
    def plays(self) -> int:
        """How many moves were played, those that were only tried to sort them too."""
        return self._memory.plays

    def go_on(self, nodes: int, seconds: float) -> None:
        """Look at positions up to this many in all, for so long, although stopped."""
        self._memory.limit = nodes
        self._memory.deadline = time.monotonic() + seconds
        self._memory.stopped = False

    def remember(self, boards: list[Board]) -> None:
        """Take note of positions that would not come up for the first time."""
        keys = [key_of(self._engine, board) for board in boards[:MOST_PLAYED]]
        self._memory.played[: len(keys)] = keys
        self._memory.before = len(keys)

    def value(self, cells: Board, depth: int, alpha: int, beta: int) -> int:
        """Return what a flat board is worth to the seat to move, within a window."""
        engine, evaluate, memory = self._engine, self._evaluate, self._memory
        memory.boards[0][:] = cells
        return negamax(engine, evaluate, memory, 0, 0, depth, alpha, beta)

    def use_insight(self) -> None:
        """Go by what was learned after the levels were fitted, too."""
        self._memory.insight = True

    def use_endings(self, values: Values, seeds: int) -> None:
        """Take the values of all positions up to so many seeds as known."""
        self._memory.endings = values
        self._memory.ending_seeds = seeds

    def fill_endings(self, cells: Board, values: bytearray, seeds: int) -> int:
        """Value all positions of so many seeds, when those of fewer are; count them.

        *cells*: a board of the game that is meant, without seeds.
        """
        self.use_endings(values, 0)
        self._memory.boards[0][:] = cells
        return fill_endings(self._engine, self._memory, seeds)

    def use_links(self, cells: Board, values: bytearray, links: bytearray) -> None:
        """Get ready to link and narrow endings (see `circles`), of as many bounds.

        *cells*: a board of the game that is meant, without seeds. *links*: room of four
        bytes for each.
        """
        self.use_endings(values, 0)
        self._memory.boards[0][:] = cells
        self._memory.links = memoryview(links).cast("i")

    def link_endings(self, seeds: int, begin: int, end: int) -> None:
        """Begin the bounds of the places from *begin* to *end*, of so many seeds."""
        link_endings(self._engine, self._memory, seeds, begin, end)

    def narrow_endings(self, seeds: int, begin: int, end: int) -> int:
        """Narrow their bounds, once; return of how many places."""
        return narrow_endings(self._engine, self._memory, seeds, begin, end)

    def line(self, cells: Board, most: int) -> list[int]:
        """Return the moves that are remembered from a board on, so many at most.

        It ends where a position would come up again.
        """
        engine, board, moves = self._engine, cells.copy(), list[int]()
        keys = set[int]()
        while len(moves) < most and not board[engine.over]:
            key = key_of(engine, board)
            entry = find_entry(self._memory, key)
            legal = [0] * engine.max_moves
            count = engine.legal(board, legal)
            if key in keys or entry < 0 or entry_move(entry) not in legal[:count]:
                break
            keys.add(key)
            moves.append(entry_move(entry))
            engine.apply(board, moves[-1], None)
        return moves

    def solve(self, cells: Board, alpha: int, beta: int) -> int:
        """Return the final margin of the seat to move, where the game is solvable."""
        if not self._engine.solves:
            raise ValueError("nothing solves this game")
        return self._engine.solve(self._memory, cells, 0, alpha, beta)


def by_score(engine: Engine) -> Evaluate:
    """Return how positions are valued in a game that brings no evaluation."""
    score = engine.score
    return lambda board: 100 * score(board)


def find_searcher(
    game: Game,
    nodes: int,
    seconds: float,
    cancel: Cancel | None = None,
    table: Table | None = None,
) -> Searcher:
    """Return the fastest search that there is for a game."""
    compiled = find_compiled(game)
    if compiled is None:
        return PlainSearcher(game, nodes, seconds, cancel, table)
    flag = None if cancel is None else cancel.flag
    if table is None:
        plain: Searcher = compiled.Searcher(nodes, seconds, flag)
        return plain
    shared: Searcher = compiled.Searcher(
        nodes, seconds, flag, table.cells, table.age, table.salt
    )
    return shared
