"""How long nothing can be written: a small write every few moments, never repeated."""

import threading
import time
from contextlib import suppress

from services.client import Problem, Seedlog, Unreachable

EVERY_S = 0.05
ANSWER_WITHIN_S = 1.0
SEATS = {"south": {"kind": "human"}, "north": {"kind": "human"}}


class Probe(threading.Thread):
    """Opens matches; a client that asks again by itself would blur what it measures."""

    def __init__(self, url: str, key: str, every_s: float = EVERY_S) -> None:
        """Write to a stack with an API key of it."""
        super().__init__(daemon=True)
        self.written: list[float] = []
        """When each write was acknowledged, in seconds since 1970."""
        self._every_s = every_s
        self._client = Seedlog(
            url, key, answer_within_s=ANSWER_WITHIN_S, retry_for_s=0.0
        )
        self._must_stop = threading.Event()

    def run(self) -> None:
        """Write until told to stop."""
        while not self._must_stop.wait(self._every_s):
            with suppress(Problem, Unreachable):
                self._client.open_match("kalah", SEATS)
                self.written.append(time.time())

    def stop(self) -> None:
        """Write no more."""
        self._must_stop.set()
        self.join()
        self._client.close()
