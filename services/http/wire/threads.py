"""The threads that compute: whoever was busy last goes on first.

What a thread has touched lately is still in the caches of the processor. Were they to
take turns, as the readers of one queue do, a move would cost a fifth more.
"""

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar

Work = TypeVar("Work")


class Threads(Generic[Work]):
    """So many threads that do what they are handed, in the order it came."""

    def __init__(self, count: int, do: Callable[[Work], None]) -> None:
        """Start them; *do* raises nothing."""
        self._do = do
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Work]] = []
        self._waiting: deque[Work] = deque()
        for number in range(count):
            name = f"request-{number}"
            threading.Thread(target=self._serve, name=name, daemon=True).start()

    def hand(self, work: Work) -> None:
        """Give work to an idle thread, or to the first that will be."""
        with self._lock:
            if not self._idle:
                self._waiting.append(work)
                return
            mailbox = self._idle.pop()
        mailbox.put(work)

    def _serve(self) -> None:
        mailbox: SimpleQueue[Work] = SimpleQueue()
        while True:
            with self._lock:
                if self._waiting:
                    mailbox.put(self._waiting.popleft())
                else:
                    self._idle.append(mailbox)
            self._do(mailbox.get())
