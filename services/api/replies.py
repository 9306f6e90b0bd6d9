"""Waits for the replies of AIs, for moves that ask for them, in one thread for all.

The thread follows the feed for as long as somebody waits, and rests otherwise: a move
that does not wait costs nothing of it.
"""

import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import structlog

from services.eventlog import Feed, FeedEntry, LogUnavailable
from services.http.wire.later import Wake
from services.logs import Seldom
from services.match import Folds, Handled, Match, MatchService, ReplayedEvent
from services.match.service import AI

REPLIES = "seedlog.replies"
MOST_WAITING = 1000
LOOK_S = 0.25
AGAIN_S = 0.25
SAID_AGAIN_S = 10.0

log = structlog.get_logger()


@dataclass(frozen=True, eq=False, slots=True)
class Waiter:
    """A move that waits for the reply to it, for so long."""

    match_id: str
    version: int
    until: float
    wake: Wake


class Replies:
    """The moves of this process that wait for a reply, so many at the most."""

    def __init__(
        self, feed: Feed, matches: MatchService, folds: Folds, most: int = MOST_WAITING
    ) -> None:
        """Follow a feed; nothing is read before somebody waits."""
        self._feed = feed
        self._matches = matches
        self._folds = folds
        self._most = most
        self._waiting: dict[str, set[Waiter]] = {}
        self._count = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._seldom = Seldom(SAID_AGAIN_S)

    def find(self, handled: Handled) -> Sequence[ReplayedEvent] | None:
        """Return what followed a move until no AI was to move; None if one still is.

        It follows from the log alone: whoever asks later is told the same.
        """
        match = handled.match
        if match.ai_to_move is None:
            return ()
        try:
            latest = self._matches.load(match.id).version
            versions = range(match.version + 1, latest + 1)
            told = self._folds.replay(match.id, versions) if versions else {}
        except LogUnavailable as error:  # the move is on record, and is answered
            log.warning("a reply cannot be read", match=match.id, reason=str(error))
            return None
        followed = []
        for version in versions:
            replayed = told[version]
            followed.append(replayed)
            if replayed.match is None:  # log and rules disagree: the log tells no more
                return None
            if replayed.match.ai_to_move is None:
                return followed
        return None

    def wait(self, match: Match, within_s: float, wake: Wake) -> bool:
        """Wake somebody with True once no AI is to move, or else with False in time.

        An AI is to move in *match*, as it is after the move. False: as many wait as
        may; nobody is woken.
        """
        match_id = match.id
        waiter = Waiter(match_id, match.version, time.monotonic() + within_s, wake)
        with self._changed:
            if self._count >= self._most:
                return False
            self._count += 1
            self._waiting.setdefault(match_id, set()).add(waiter)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="replies", daemon=True
                )
                self._thread.start()
            self._changed.notify()
        try:
            self._look(match_id)  # it may have replied before anybody waited
        except LogUnavailable:
            log.warning("a move waits for a reply, and the log is away", match=match_id)
        return True

    # -- the thread

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
            try:
                self._follow()
            except LogUnavailable as error:
                self._seldom.warn("away", "replies wait for the log", reason=error)
                self._end_late()
                time.sleep(AGAIN_S)
            except Exception:
                log.exception("replies were not followed")
                self._end_late()
                time.sleep(AGAIN_S)

    def _follow(self) -> None:
        """Follow the feed from now on, until nobody waits."""
        cursors = self._feed.feed_ends()
        for match_id in list(self._waiting):
            self._look(match_id)
        while self._waiting:
            for entry in self._feed.follow(cursors, wait_s=LOOK_S):
                cursors[entry.partition] = entry.cursor
                self._take_in(entry)
            self._end_late()

    def _take_in(self, entry: FeedEntry) -> None:
        if entry.stream in self._waiting and entry.awaits != AI:
            self._wake(entry.stream, entry.last)

    def _look(self, match_id: str) -> None:
        """Wake whoever waits for a match in which no AI is to move any more.

        :raises LogUnavailable: it cannot be told.
        """
        match = self._matches.load(match_id)
        if match.ai_to_move is None:
            self._wake(match_id, match.version)

    def _wake(self, match_id: str, version: int) -> None:
        """Wake whose move came before a version: the feed may be behind a later one."""
        with self._changed:
            waiting = self._waiting.get(match_id, set())
            woken = {waiter for waiter in waiting if waiter.version < version}
            self._forget(woken)
        for waiter in woken:
            waiter.wake(True)

    def _end_late(self) -> None:
        now = time.monotonic()
        with self._changed:
            late = [w for ws in self._waiting.values() for w in ws if w.until <= now]
            self._forget(late)
        for waiter in late:
            waiter.wake(False)

    def _forget(self, waiters: Collection[Waiter]) -> None:
        for waiter in waiters:
            left = self._waiting[waiter.match_id]
            left.discard(waiter)
            if not left:
                del self._waiting[waiter.match_id]
        self._count -= len(waiters)
