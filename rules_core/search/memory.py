"""What a search remembers while it runs."""

from __future__ import annotations

import time

from rules_core.engine import Engine
from rules_core.kernel import Board, Moves
from rules_core.search.cancel import Cancel

MAX_PLY = 62
TABLE_SIZE = 1 << 18


class Memory:
    """The boards of the line looked at, tables that order moves, and the budget."""

    __slots__ = (
        "boards",
        "cancel",
        "deadline",
        "ends",
        "history",
        "killers",
        "limit",
        "moves",
        "nodes",
        "ranks",
        "stopped",
        "table",
    )

    def __init__(
        self, engine: Engine, limit: int, deadline: float, cancel: Cancel
    ) -> None:
        """Get ready for *limit* positions, until *deadline* on the monotonic clock."""
        plies = MAX_PLY + 2
        self.nodes = 0
        self.limit = limit
        self.deadline = deadline
        self.cancel = cancel
        self.stopped = False
        self.boards: list[Board] = [[0] * engine.work for _ in range(plies)]
        self.moves: list[Moves] = [[0] * engine.max_moves for _ in range(plies)]
        self.ranks: list[Moves] = [[0] * engine.max_moves for _ in range(plies)]
        self.killers: Moves = [-1] * plies
        self.history: Moves = [0] * (2 * engine.move_ids)
        self.table: dict[int, int] = {}
        self.ends: dict[tuple[int, int], int] = {}

    def is_used_up(self) -> bool:
        """Tell a game file that its part of the search has to end."""
        return out_of_budget(self)


def fingerprint(board: Board, size: int) -> int:
    """Return a number that stands for the position; the same in every process."""
    return hash(tuple(board[:size]))


def find_entry(memory: Memory, key: int) -> int:
    """Return what is remembered of a position, or -1."""
    return memory.table.get(key, -1)


def put_entry(memory: Memory, key: int, entry: int) -> None:
    """Remember something of a position; forget all when there is too much."""
    if len(memory.table) >= TABLE_SIZE:
        memory.table.clear()
    memory.table[key] = entry


def out_of_budget(memory: Memory) -> bool:
    """Tell whether the positions or the time are used up, or nobody waits any more."""
    if memory.cancel.is_set():
        return True
    return memory.nodes >= memory.limit or time.monotonic() > memory.deadline
