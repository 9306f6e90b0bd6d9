"""The projector: folds the feed into views, with the rules, and remembers how far.

It replays events rather than reading snapshots: a log that no longer agrees with the
rules is noticed here, loudly, before a player notices.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

import structlog

from rules_core import RulesError
from services.eventlog import PARTITIONS, EventLog, FeedEntry, LogUnavailable
from services.match import DigestMismatch, Match, UnknownEvent, evolve, from_log
from services.views.match_list import MatchList

CACHED_MATCHES = 4096
BATCH = 200
TRIM_EVERY_S = 30.0
SPARED_S = 60.0  # streams follow the feed without a place of their own

log = structlog.get_logger()


class PoisonEvent(Exception):
    """An event that this program cannot fold; the view stops until it can."""


class Projector:
    """Keeps one view up to the feed."""

    def __init__(self, event_log: EventLog, view: MatchList) -> None:
        """Read from a log, write to a view."""
        self._log = event_log
        self._view = view
        self._at = view
        self._cursors: dict[int, str] = {}
        self._known: OrderedDict[str, Match] = OrderedDict()

    def begin(self) -> None:
        """Go on where the view says; build a view without cursors from the streams.

        The feed may have been trimmed, the streams never are: a rebuild folds these,
        from the ends of the feed that were noted before it began.
        """
        self._at = self._view.present()
        self._cursors = self._at.cursors()
        self._known.clear()
        if not self._cursors:
            self._build()
        self._log.keep_from(self._follower, self._cursors)

    def rebuild(self) -> int:
        """Build a new generation beside the present one, and switch over to it.

        Whoever follows the feed meanwhile notices, and goes on with the new one. Return
        the number of rows.
        """
        self._at = self._view.new_generation()
        self._known.clear()
        self._build()
        while self.run_once():  # what was recorded while it was built
            pass
        self._at.take_over()
        return self._at.count()

    def run_once(self, wait_s: float = 0) -> int:
        """Fold what is new into the view; return the number of feed entries."""
        entries = self._log.follow(self._cursors, BATCH, wait_s)
        if entries:
            matches = self._fold(entries)
            cursors = {entry.partition: entry.cursor for entry in entries}
            self._at.write(matches, cursors)
            self._cursors.update(cursors)
        return len(entries)

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Follow the feed until told to stop, through any absence of the log."""
        trimmed_at = 0.0
        begun = False
        while not should_stop():
            try:
                if not begun or self._at.generation() != self._view.generation():
                    self.begin()
                    begun = True
                    log.info("projector ready", view=self._view.name)
                self.run_once(wait_s=1.0)
                if time.monotonic() - trimmed_at > TRIM_EVERY_S:
                    trimmed_at = time.monotonic()
                    self._log.keep_from(self._follower, self._cursors)
                    self._log.trim(keep_s=SPARED_S)
            except LogUnavailable as error:
                log.warning("projector waits for the log", reason=str(error))
                begun = False
                time.sleep(0.5)

    @property
    def _follower(self) -> str:
        return f"view:{self._view.name}"

    def _build(self) -> None:
        """Fold every stream, from the ends of the feed that were noted before."""
        ends = self._log.feed_ends()
        for partition in range(PARTITIONS):
            for stream in self._log.streams(partition):
                self._at.write([self._advance(stream)], {})
        cursors = {p: ends.get(p, "0-0") for p in range(PARTITIONS)}
        self._at.write([], cursors)
        self._cursors = cursors
        log.info("view built", view=self._view.name, rows=self._at.count())

    def _fold(self, entries: Iterable[FeedEntry]) -> list[Match]:
        latest: dict[str, Match] = {}
        for entry in entries:
            match = latest.get(entry.stream) or self._known.get(entry.stream)
            if match is None or match.version < entry.last:
                match = self._advance(entry.stream)
            latest[entry.stream] = match
        return list(latest.values())

    def _advance(self, stream: str) -> Match:
        """Fold the events of a stream that are not folded yet."""
        match = self._known.get(stream) or Match(stream)
        for stored in self._log.read(stream, match.version):
            try:
                match = evolve(match, from_log(stored), stored.at_ms)
            except (UnknownEvent, DigestMismatch, RulesError) as error:
                raise PoisonEvent(f"{stream}: {error}") from error
        self._known[stream] = match
        self._known.move_to_end(stream)
        if len(self._known) > CACHED_MATCHES:
            self._known.popitem(last=False)
        return match
