"""Requests that wait for something that happens elsewhere, in one thread for all.

The thread works for as long as somebody waits, and rests otherwise: a request that does
not wait costs nothing of it.
"""

import threading
import time
from collections.abc import Collection
from typing import Generic, Protocol, TypeVar

import structlog

from services.eventlog import LogUnavailable
from services.http.wire.later import Wake
from services.logs import Absence

AGAIN_S = 0.25

log = structlog.get_logger()


class Waiter(Protocol):
    """A request that waits: for what, until when (`time.monotonic`), whom to wake."""

    @property
    def topic(self) -> str:
        """Return what it waits for; others may wait for the same."""

    @property
    def until(self) -> float:
        """Return when it is answered at the latest."""

    @property
    def wake(self) -> Wake:
        """Return how it is woken, once."""


W = TypeVar("W", bound=Waiter)


class Waiting(Generic[W]):
    """The requests of this process that wait, so many at the most."""

    def __init__(self, name: str, most: int) -> None:
        """Say who waits, in a word; nothing is read before somebody does."""
        self._name = name
        self._most = most
        self._waiting: dict[str, set[W]] = {}
        self._count = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._absence = Absence(f"{name} wait for the log", f"{name} go on")

    def _follow(self) -> None:
        """Wake those for whom there is something; called while somebody waits.

        :raises LogUnavailable: that cannot be told; it is called again.
        """
        raise NotImplementedError

    def _add(self, waiter: W) -> bool:
        """Let somebody wait. False: as many do as may; nobody is woken."""
        with self._changed:
            if self._count >= self._most:
                return False
            self._count += 1
            self._waiting.setdefault(waiter.topic, set()).add(waiter)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name=self._name, daemon=True
                )
                self._thread.start()
            self._changed.notify()
        return True

    def _topics(self) -> list[str]:
        with self._changed:
            return list(self._waiting)

    def _those(self, topic: str) -> set[W]:
        """Return those who wait for something now."""
        with self._changed:
            return set(self._waiting.get(topic, ()))

    def _wake(self, waiters: Collection[W], *, is_there: bool) -> None:
        """Wake those who still wait, each once: whether there is another answer."""
        with self._changed:
            woken = [w for w in waiters if w in self._waiting.get(w.topic, ())]
            for waiter in woken:
                left = self._waiting[waiter.topic]
                left.discard(waiter)
                if not left:
                    del self._waiting[waiter.topic]
            self._count -= len(woken)
        for waiter in woken:
            waiter.wake(is_there)

    def _end_late(self) -> None:
        now = time.monotonic()
        with self._changed:
            late = [w for ws in self._waiting.values() for w in ws if w.until <= now]
        self._wake(late, is_there=False)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
            try:
                self._follow()
                self._absence.over()
            except LogUnavailable as error:
                self._absence.note(error)
                self._end_late()
                time.sleep(AGAIN_S)
            except Exception:
                log.exception(f"{self._name} were not followed")
                self._end_late()
                time.sleep(AGAIN_S)
