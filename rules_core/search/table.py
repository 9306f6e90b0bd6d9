"""What searches remember of positions, beyond the move for which they found it out."""

from __future__ import annotations

import mmap
import os

from rules_core.search.memory import Entries

MEGABYTES = 32
AGES = 64
SALT = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1

_OWN = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if os.name == "posix" else {}


class Table:
    """A room of fixed size for what is known of positions, of any game.

    What is old makes room first. Threads may share it: an entry that two of them have
    written at once fits no position. It is made of lines of 64 bytes, as processors
    fetch them, and takes memory only as it fills.
    """

    def __init__(self, megabytes: int = MEGABYTES) -> None:
        """Take room; a power of two."""
        self.size = megabytes << 20
        self.age = 0
        self.salt = 0
        self.entries: Entries = {}
        """For searches in plain Python."""
        self._cells: mmap.mmap | None = None

    @property
    def cells(self) -> mmap.mmap:
        """For compiled searches."""
        if self._cells is None:
            self._cells = mmap.mmap(-1, self.size, **_OWN)
            if hasattr(mmap, "MADV_HUGEPAGE"):  # fewer pages: each is found sooner
                self._cells.madvise(mmap.MADV_HUGEPAGE)
        return self._cells

    def begin(self, *, fresh: bool) -> None:
        """Let another search begin; a *fresh* one finds nothing of earlier ones.

        Then it finds the same whatever was searched before, here or elsewhere.
        """
        self.age = (self.age + 1) % AGES
        if fresh:
            self.salt = (self.salt + SALT) & WORD
            self.entries.clear()
