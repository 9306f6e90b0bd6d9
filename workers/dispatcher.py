"""The dispatcher: follows the feed and asks for a job wherever an AI has to reply.

The queue is at least once and may be lost altogether; the append is exactly once. What
the feed announced and nobody carried out is found by the sweep of overdue turns.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import structlog
from redis.exceptions import RedisError
from rq import Queue

from services.eventlog import Deadlines, Feed, FeedEntry, FeedGroup, LogUnavailable
from services.logs import Absence
from services.match import MatchService
from services.match.notes import AI
from services.signals import pause
from workers.beside import ABSENT_S, away
from workers.overdue import OverdueTurns
from workers.queues import enqueue_turn

GROUP = "dispatcher"
FEED_WAIT_S = 0.5
GATHER_S = 0.01
"""So long turns are gathered where much is played; elsewhere each goes at once."""

SWEEP_EVERY_S = 0.5
TAKE_OVER_EVERY_S = 5.0
RELEASE_EVERY_S = 0.2
"""What is done is told the log so often: each telling is written to its disk."""

FAILED_S = 1.0
ABANDONED_S = 5.0
GONE_S = 3600.0  # every container that ever was has left a member behind

log = structlog.get_logger()


class DispatchedLog(Feed, Deadlines, Protocol):
    """What turns are found by: the feed as they come, deadlines where they are late."""


class Dispatcher:
    """One of any number of dispatchers; they share the feed between them."""

    def __init__(
        self,
        event_log: DispatchedLog,
        matches: MatchService,
        queue: Queue,
        member: str,
        now_ms: Callable[[], int],
    ) -> None:
        """Follow a log, enqueue in a queue, under the name *member*."""
        self._log = event_log
        self._queue = queue
        self._member = member
        self._overdue = OverdueTurns(event_log, matches, queue, now_ms)
        self._group: FeedGroup | None = None
        self._was_ready = False
        self._next_sweep = 0.0
        self._next_take_over = 0.0
        self._next_release = 0.0
        self._done: list[FeedEntry] = []

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Follow the feed until told to stop, through any absence of log or queue."""
        absence = Absence("dispatcher waits", "dispatcher goes on")
        while not should_stop():
            try:
                self.run_once(FEED_WAIT_S)
                absence.over()
            except (LogUnavailable, RedisError) as error:
                absence.note(error, away=away(error))
                self._group = None
                time.sleep(ABSENT_S)
            except Exception:  # the turns of all others are waited for
                log.exception("dispatcher failed")
                pause(FAILED_S, should_stop)
        with suppress(LogUnavailable):  # another dispatches them again, for nothing
            self._release()

    def run_once(self, wait_s: float = 0) -> int:
        """Take what is new in the feed; return the number of entries."""
        if self._group is None:
            self._group = self._log.join(GROUP)
            gone = self._group.forget_members(GONE_S)
            if gone or not self._was_ready:
                log.info("dispatcher ready", member=self._member, forgotten=gone)
            self._was_ready = True
        now = time.monotonic()
        if now >= self._next_take_over:
            self._next_take_over = now + TAKE_OVER_EVERY_S
            self._dispatch(self._group.take_over(self._member, ABANDONED_S))
        entries = self._group.take(self._member, wait_s=wait_s, gather_s=GATHER_S)
        self._dispatch(entries)
        if time.monotonic() >= self._next_sweep:  # after what is new, if that fails
            self._next_sweep = time.monotonic() + SWEEP_EVERY_S
            self.sweep()
        if time.monotonic() >= self._next_release:
            self._release()
        return len(entries)

    def _dispatch(self, entries: list[FeedEntry]) -> None:
        for entry in entries:
            if entry.awaits == AI:
                enqueue_turn(self._queue, entry.stream, entry.last, tenant=entry.tenant)
        self._done += entries

    def _release(self) -> None:
        if self._group is not None and self._done:
            self._group.release(self._done)
            self._done = []
            self._next_release = time.monotonic() + RELEASE_EVERY_S

    def sweep(self) -> int:
        """Ask again for every overdue turn; return how many. One dispatcher at a time.

        The lease ends by itself, so a dispatcher that dies with it delays nobody long.
        """
        lease_ms = int(SWEEP_EVERY_S * 900)
        redis = self._queue.connection
        if not redis.set("lease:sweep", self._member, nx=True, px=lease_ms):
            return 0
        return self._overdue.ask_again()
