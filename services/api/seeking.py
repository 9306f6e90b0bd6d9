"""Those who wait for an opponent at this process, in one thread for all.

While somebody waits, the thread keeps their seeks alive, takes its turn in giving those
to each other who fit, and looks for what was found, here or by another process. Whose
connection is closed, is given nobody, unless another connection asks for the seek.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from services.eventlog import LogUnavailable
from services.http.wire.later import Wake
from services.lobby import Lobby, Seek
from services.logs import Seldom

SEEKING = "seedlog.seeking"
MOST_WAITING = 2000
LOOK_S = 0.2
SAID_AGAIN_S = 10.0

log = structlog.get_logger()


@dataclass(frozen=True, eq=False, slots=True)
class Waiter:
    """A request that waits for what a seek finds."""

    seek: Seek
    until: float
    is_gone: Callable[[], bool]
    wake: Wake


class Seeking:
    """The requests of this process that wait for an opponent, so many at the most."""

    def __init__(self, lobby: Lobby, most: int = MOST_WAITING) -> None:
        """Look into a lobby; nothing is read before somebody waits."""
        self._lobby = lobby
        self._most = most
        self._waiting: set[Waiter] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._seldom = Seldom(SAID_AGAIN_S)

    def wait(
        self, seek: Seek, within_s: float, is_gone: Callable[[], bool], wake: Wake
    ) -> bool:
        """Wake somebody with True once a seek is no more, or else with False in time.

        False: as many wait as may; nobody is woken.
        """
        waiter = Waiter(seek, time.monotonic() + within_s, is_gone, wake)
        with self._changed:
            if len(self._waiting) >= self._most:
                return False
            self._waiting.add(waiter)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="seeking", daemon=True
                )
                self._thread.start()
            self._changed.notify()
        return True

    # -- the thread

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
            try:
                self._look()
            except LogUnavailable as error:
                self._seldom.warn("away", "seeks wait for the log", reason=error)
            except Exception:
                log.exception("seeks were not looked at")
            self._end_late()
            time.sleep(LOOK_S)

    def _look(self) -> None:
        with self._changed:
            waiting = list(self._waiting)
        for tenant in {waiter.seek.tenant for waiter in waiting}:
            lobby = self._lobby.of(tenant)
            self._look_into(lobby, [w for w in waiting if w.seek.tenant == tenant])

    def _look_into(self, lobby: Lobby, waiting: list[Waiter]) -> None:
        gone = {waiter for waiter in waiting if waiter.is_gone()}
        lobby.let_go(waiter.seek.id for waiter in gone)
        self._forget(gone, is_there=False)
        present = [waiter for waiter in waiting if waiter not in gone]
        ids = [waiter.seek.id for waiter in present]
        lobby.renew(ids)
        lobby.match_up()
        over = lobby.have_found(ids)
        self._forget({w for w in present if w.seek.id in over}, is_there=True)

    def _end_late(self) -> None:
        now = time.monotonic()
        with self._changed:
            late = {waiter for waiter in self._waiting if waiter.until <= now}
        self._forget(late, is_there=False)

    def _forget(self, waiters: set[Waiter], *, is_there: bool) -> None:
        with self._changed:
            self._waiting -= waiters
        for waiter in waiters:
            waiter.wake(is_there)
