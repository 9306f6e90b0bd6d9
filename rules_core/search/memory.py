"""What a search remembers while it runs."""

from __future__ import annotations

import math
import mmap
import time

from rules_core.engine import Engine
from rules_core.kernel import Board, Moves
from rules_core.search.cancel import Cancel

MAX_PLY = 190
MOST_ENTRIES = 1 << 18
MOST_PLAYED = 64

Entries = dict[int, int]
"""What is remembered of positions, packed by `worth`."""


class Rows(dict[int, Board]):
    """Boards by row, each made when it is first asked for."""

    def __init__(self, work: int) -> None:
        """Remember how many cells a board has."""
        super().__init__()
        self._work = work

    def __missing__(self, row: int) -> Board:
        """Make a row."""
        board = self[row] = [0] * self._work
        return board


class Memory:
    """The boards of the lines looked at, tables that order moves, and the budget.

    Row 0 holds the position that is asked for, and row `1 + ply * max_moves + slot` the
    board after a move at a ply.
    """

    __slots__ = (
        "before",
        "boards",
        "cancel",
        "deadline",
        "ending_seeds",
        "endings",
        "ends",
        "history",
        "insight",
        "keys",
        "keys_after",
        "limit",
        "links",
        "moves",
        "nodes",
        "played",
        "plays",
        "proven",
        "ranks",
        "stopped",
        "table",
    )

    def __init__(
        self,
        engine: Engine,
        limit: int,
        deadline: float,
        cancel: Cancel,
        table: Entries,
    ) -> None:
        """Get ready for *limit* positions, until *deadline* on the monotonic clock."""
        self.nodes = self.plays = 0
        self.limit = limit
        self.deadline = deadline
        self.cancel = cancel
        self.stopped = False
        self.proven = 0
        self.insight = False
        self.boards = Rows(engine.work)
        self.moves = Rows(engine.max_moves)
        self.ranks = Rows(engine.max_moves)
        self.history: Moves = [0] * (2 * engine.move_ids)
        self.keys_after = Rows(engine.max_moves)
        self.keys: Moves = [0] * (MAX_PLY + 2)
        self.played: Moves = [0] * MOST_PLAYED
        self.before = 0
        self.ending_seeds = 0
        self.endings: bytearray | memoryview | mmap.mmap = bytearray()
        self.links: memoryview | list[int] = []
        self.ends: dict[tuple[int, int], int] = {}
        self.table = table

    def is_used_up(self) -> bool:
        """Tell a game file that its part of the search has to end."""
        return out_of_budget(self)


def fingerprint(board: Board, size: int) -> int:
    """Return a number that stands for the position; the same in every process."""
    return hash(tuple(board[:size]))


def find_entry(memory: Memory, key: int) -> int:
    """Return what is remembered of a position, or -1."""
    return memory.table.get(key, -1)


def fetch_entry(memory: Memory, key: int) -> None:
    """Say that a position will be asked for soon: far memory takes its time."""


def put_entry(memory: Memory, key: int, entry: int) -> None:
    """Remember something of a position; forget all when there is too much."""
    if len(memory.table) >= MOST_ENTRIES:
        memory.table.clear()
    memory.table[key] = entry


def binomial(n: int, k: int) -> int:
    """Return in how many ways *k* of *n* can be chosen."""
    return math.comb(n, k)


def ending_at(memory: Memory, place: int) -> int:
    """Return the value of an ending (see `endings`)."""
    return int.from_bytes(memory.endings[place : place + 1], signed=True)


def put_ending(memory: Memory, place: int, value: int) -> None:
    """Keep the value of an ending."""
    memory.endings[place] = value & 255


def link_at(memory: Memory, index: int) -> int:
    """Return a link between endings (see `circles`)."""
    return memory.links[index]


def put_link(memory: Memory, index: int, place: int) -> None:
    """Keep a link between endings."""
    memory.links[index] = place


def out_of_budget(memory: Memory) -> bool:
    """Tell whether the positions or the time are used up, or nobody waits any more."""
    return memory.nodes >= memory.limit or is_late(memory)


def is_late(memory: Memory) -> bool:
    """Tell whether the time is used up, or nobody waits any more."""
    return memory.cancel.is_set() or time.monotonic() > memory.deadline
