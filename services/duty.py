"""What one process does at a time, and another when that one is gone.

Two that did it would do everything twice. It is for speed alone: what is done has to
count once, whoever does it, for a process that was paused goes on for a moment beside
the one that has taken over.
"""

import time
from typing import Any

from redis.exceptions import LockError, RedisError

from services.eventlog.errors import LogUnavailable

HELD_S = 3.0
"""After so long without a word from whoever is on duty, another takes over."""

KEEP_EVERY_S = 1.0


class Duty:
    """One duty, as a process has it or not."""

    def __init__(self, redis: Any, key: str, held_s: float = HELD_S) -> None:
        """Ask for it later; it is held for so long without a word."""
        self._lock = redis.lock(key, timeout=held_s, thread_local=False)
        self._keep_at = 0.0
        self.is_ours = False

    def take(self) -> bool:
        """Take it, or keep it; tell whether it is ours now.

        :raises LogUnavailable, RedisError: Redis cannot be asked.
        """
        now = time.monotonic()
        if self.is_ours and now < self._keep_at:
            return True
        try:
            self.is_ours = self.is_ours and bool(self._lock.reacquire())
        except LockError:  # it was taken meanwhile
            self.is_ours = False
        if not self.is_ours:
            self.is_ours = bool(self._lock.acquire(blocking=False))
        self._keep_at = now + KEEP_EVERY_S
        return self.is_ours

    def keep(self) -> None:
        """Keep it while something takes long."""
        self.take()

    def give_back(self) -> None:
        """Let another have it at once."""
        if self.is_ours:
            self.is_ours = False
            try:
                self._lock.release()
            except (LockError, LogUnavailable, RedisError):  # it passes by itself
                return
