"""The one thread that follows the feed: it brings tails up to date as events come."""

import threading
import time
from collections.abc import Callable, Iterable

import structlog

from services.eventlog import EventLog, LogUnavailable
from services.stream.tails import Tail

WAIT_S = 1.0
AGAIN_S = 0.25
ABSENT_S = 5.0  # far less than what the feed spares when it is trimmed

log = structlog.get_logger()


class FeedReader:
    """Follows the feed from now on, for those matches that somebody follows."""

    def __init__(
        self,
        event_log: EventLog,
        tail_of: Callable[[str], Tail | None],
        all_tails: Callable[[], Iterable[tuple[str, Tail]]],
        spread: Callable[[list[str]], object],
    ) -> None:
        """Look tails up by match; *spread* tells that some have grown."""
        self._log = event_log
        self._tail_of = tail_of
        self._all_tails = all_tails
        self._spread = spread
        self._cursors: dict[int, str] | None = None
        self._looked_at = 0.0

    def start(self) -> None:
        """Run for as long as the process does."""
        threading.Thread(target=self._run, name="feed reader", daemon=True).start()

    def _run(self) -> None:
        is_away = False
        while True:
            try:
                self.read_once(WAIT_S)
                if is_away:
                    log.info("streams go on")
                is_away = False
            except LogUnavailable as error:
                if not is_away:
                    log.warning("streams wait for the log", reason=str(error))
                is_away = True
                self._cursors = None
                time.sleep(AGAIN_S)

    def read_once(self, wait_s: float) -> None:
        """Read what is new in the feed, and spread it.

        After an absence, of the log or of this process, the feed may have been trimmed:
        it is then followed from its present end, and everything followed is read again.

        :raises LogUnavailable: the log is away.
        """
        if self._cursors is None:
            self._cursors = self._log.feed_ends()
            self._looked_at = time.monotonic()
            self._catch_up(self._all_tails())
            return
        looked_at = self._looked_at
        entries = self._log.follow(self._cursors, wait_s=wait_s)
        self._looked_at = time.monotonic()
        for entry in entries:
            self._cursors[entry.partition] = entry.cursor
        latest = {entry.stream: entry.last for entry in entries}
        self._catch_up(
            (stream, tail)
            for stream, last in latest.items()
            if (tail := self._tail_of(stream)) is not None and tail.number < last
        )
        if self._looked_at - looked_at > wait_s + ABSENT_S:
            self._cursors = None

    def _catch_up(self, tails: Iterable[tuple[str, Tail]]) -> None:
        grown = []
        try:
            for key, tail in tails:
                if tail.catch_up():
                    grown.append(key)
        finally:
            if grown:
                self._spread(grown)
