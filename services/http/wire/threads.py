"""The threads that compute: a few at once, and whoever was busy last goes on first.

What a thread has touched lately is still in the caches of the processor. Were they to
take turns, as the readers of one queue do, a move would cost a fifth more. And only one
of them runs at a time, while the others wait for Redis or for the interpreter: where
sixteen were in sixteen requests, they took it from each other after each word to the
system, which cost as much again. So a few are enough, until some are held up.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

FEW = 6
HELD_UP_S = 0.02
"""Who is at something for longer is not one of the few: another may begin."""

Work = TypeVar("Work")


class Threads(Generic[Work]):
    """So many threads that do what they are handed, in the order it came."""

    def __init__(self, count: int, do: Callable[[Work], None]) -> None:
        """Start them; *do* raises nothing."""
        self._do = do
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Work]] = []
        self._begun: dict[SimpleQueue[Work], float] = {}
        self._waiting: deque[Work] = deque()
        for number in range(count):
            name = f"request-{number}"
            threading.Thread(target=self._serve, name=name, daemon=True).start()

    def hand(self, work: Work) -> None:
        """Give work to an idle thread, or to the first that may begin."""
        with self._lock:
            self._waiting.append(work)
            self._let_begin()

    def look_around(self) -> None:
        """Let others begin beside those that are held up; to be called now and then."""
        with self._lock:
            while self._let_begin():
                pass

    def _let_begin(self) -> bool:
        """Give an idle thread what has waited longest, if another may begin."""
        if not (self._waiting and self._idle and self._may_begin()):
            return False
        mailbox = self._idle.pop()
        self._begun[mailbox] = time.monotonic()
        mailbox.put(self._waiting.popleft())
        return True

    def _may_begin(self) -> bool:
        if len(self._begun) < FEW:
            return True
        late = time.monotonic() - HELD_UP_S
        held_up = sum(begun < late for begun in self._begun.values())
        return len(self._begun) - held_up < FEW

    def _serve(self) -> None:
        mailbox: SimpleQueue[Work] = SimpleQueue()
        while True:
            with self._lock:
                self._begun.pop(mailbox, None)
                self._idle.append(mailbox)
                self._let_begin()
            self._do(mailbox.get())
