"""The threads that hear of news: they bring tails up to date as events come."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping

import structlog

from services.analysis import Analyses
from services.eventlog import Feed, LogUnavailable
from services.logs import Absence
from services.stream.tails import Tail
from services.views import TenantFeed

WAIT_S = 1.0
UNFOLLOWED_S = 0.05
"""So long the feed is gathered while nobody follows a match."""

AGAIN_S = 0.25
ABSENT_S = 5.0  # far less than what the feed spares when it is trimmed

log = structlog.get_logger()

Tails = Callable[[], Mapping[str, Tail]]
Spread = Callable[[list[str]], object]


class Reader:
    """Follows something for as long as the process lives, through any absence of it."""

    of: str
    """What is followed, in a word."""

    def __init__(self, tails: Tails, spread: Spread) -> None:
        """Bring *tails* up to date by key; *spread* tells which have grown."""
        self._tails = tails
        self._spread = spread

    def start(self) -> None:
        """Run for as long as the process does."""
        name = type(self).__name__
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def begin(self) -> None:
        """Go on from now, and read again whatever may have been missed."""
        raise NotImplementedError

    def read_once(self, wait_s: float) -> None:
        """Wait for news, and spread them.

        :raises LogUnavailable: the log is away.
        """
        raise NotImplementedError

    def _run(self) -> None:
        has_begun = False
        absence = Absence("streams wait for the log", "streams go on")
        while True:
            looked_at = time.monotonic()
            try:
                if has_begun:
                    self.read_once(WAIT_S)
                else:
                    self.begin()
                absence.over(of=self.of)
                # What was held up for long may have missed something.
                has_begun = time.monotonic() - looked_at < WAIT_S + ABSENT_S
            except LogUnavailable as error:
                absence.note(error, of=self.of)
                has_begun = False
                time.sleep(AGAIN_S)
            except Exception:
                log.exception("reader failed")
                has_begun = False
                time.sleep(AGAIN_S)

    def catch_up(self, tails: Iterable[tuple[str, Tail]]) -> None:
        """Bring tails up to date, and spread what has grown; each has its turn.

        :raises LogUnavailable: some could not be read now.
        """
        grown, unread = [], None
        for key, tail in tails:
            try:
                if tail.catch_up():
                    grown.append(key)
            except LogUnavailable as error:
                unread = error
            except Exception:
                log.exception("cannot be brought up to date", followed=key)
        if grown:
            self._spread(grown)
        if unread is not None:
            raise unread


class FeedReader(Reader):
    """Follows the feed of the log, for the matches that somebody follows."""

    of = "matches"

    def __init__(self, feed: Feed, tails: Tails, spread: Spread) -> None:
        """Look tails up by match."""
        super().__init__(tails, spread)
        self._log = feed
        self._cursors: dict[int, str] = {}

    def begin(self) -> None:
        """Follow from the present end; all that is followed is read again."""
        self._cursors = self._log.feed_ends()
        self.catch_up(list(self._tails().items()))

    def read_once(self, wait_s: float) -> None:
        """Read what is new in the feed, and the matches it tells of."""
        gather_s = 0 if self._tails() else UNFOLLOWED_S
        entries = self._log.follow(self._cursors, wait_s=wait_s, gather_s=gather_s)
        for entry in entries:
            self._cursors[entry.partition] = entry.cursor
        tails = self._tails()
        latest = {entry.stream: entry.last for entry in entries}
        self.catch_up(
            (stream, tail)
            for stream, last in latest.items()
            if (tail := tails.get(stream)) is not None and tail.number < last
        )


class NewsReader(Reader):
    """Waits for news of analyses, for those that somebody follows."""

    of = "analyses"

    def __init__(self, analyses: Analyses, tails: Tails, spread: Spread) -> None:
        """Look tails up by analysis."""
        super().__init__(tails, spread)
        self._analyses = analyses
        self._seen = ""

    def begin(self) -> None:
        """Wait for what comes from now on; all that is followed is read again."""
        self._seen, _ = self._analyses.news("", 0)
        self.catch_up(list(self._tails().items()))

    def read_once(self, wait_s: float) -> None:
        """Wait for news, and read those of them that are followed."""
        self._seen, told = self._analyses.news(self._seen, wait_s)
        tails = self._tails()
        self.catch_up(
            (name, tail) for name in told if (tail := tails.get(name)) is not None
        )


class BellReader(Reader):
    """Waits for the feeds of tenants to grow, for those that somebody follows."""

    of = "tenants"

    def __init__(self, feed: TenantFeed, tails: Tails, spread: Spread) -> None:
        """Look tails up by tenant."""
        super().__init__(tails, spread)
        self._feed = feed
        self._seen = ""

    def begin(self) -> None:
        """Wait for what comes from now on; all that is followed is read again."""
        self._seen = self._feed.wait("", 0)
        self._look()

    def read_once(self, wait_s: float) -> None:
        """Wait for the bell, and see whose feed has grown."""
        seen = self._feed.wait(self._seen, wait_s)
        if seen != self._seen:
            self._seen = seen
            self._look()

    def _look(self) -> None:
        tails = dict(self._tails())
        numbers = self._feed.last_numbers(list(tails))
        self.catch_up(
            (tenant, tail)
            for (tenant, tail), number in zip(tails.items(), numbers, strict=True)
            if tail.number < number
        )
