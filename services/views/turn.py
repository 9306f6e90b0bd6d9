"""Whose turn it is to keep a view up to the feed: one process's at a time.

Two that kept one would do everything twice. It is for speed alone: what a view takes in
counts once, whoever brings it, so a process that was paused and goes on beside the one
that has taken over does no harm.
"""

import time
from typing import Any

from redis.exceptions import LockError

from services.eventlog.errors import LogUnavailable

HELD_S = 3.0
"""After so long without a word from whoever has the turn, another takes it."""

KEEP_EVERY_S = 1.0


class Turn:
    """The turn at one view, as one process has it or not."""

    def __init__(self, redis: Any, key: str) -> None:
        """Ask for it later."""
        self._lock = redis.lock(key, timeout=HELD_S, thread_local=False)
        self._has_it = False
        self._keep_at = 0.0

    def take(self) -> bool:
        """Take the turn, or keep it; tell whether it is ours now.

        :raises LogUnavailable: Redis cannot be asked.
        """
        now = time.monotonic()
        if self._has_it and now < self._keep_at:
            return True
        try:
            self._has_it = self._has_it and bool(self._lock.reacquire())
        except LockError:  # it was taken meanwhile
            self._has_it = False
        if not self._has_it:
            self._has_it = bool(self._lock.acquire(blocking=False))
        self._keep_at = now + KEEP_EVERY_S
        return self._has_it

    def keep(self) -> None:
        """Keep it while something takes long."""
        self.take()

    def give_back(self) -> None:
        """Let another have it at once."""
        if self._has_it:
            self._has_it = False
            try:
                self._lock.release()
            except (LockError, LogUnavailable):  # it passes by itself, or has
                return
