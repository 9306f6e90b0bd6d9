"""The archiver: ends what was abandoned, and archives what is over, after a time.

It goes through the streams again and again, slowly; twice doubles nothing, and killed
anywhere it loses nothing.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

import structlog

from services.archive.archive import Archive
from services.archive.segment import BrokenSegment, ColdStream
from services.archive.vanishing import Vanishing
from services.eventlog import PARTITIONS, EventLogError, LogFull, Standing, Streams
from services.match import Abandon, Match, MatchService
from services.match.refusals import NoSuchMatch, Refused
from services.metrics.figures import ARCHIVER_ROUNDS
from services.signals import pause

SEGMENT_STREAMS = 500
PAUSE_S = 60.0
ASKED_EVERY_S = 5.0
"""While it rests: so whoever watches knows soon that the log answers it again."""

log = structlog.get_logger()


class Log(Streams, Standing, Protocol):
    """What is archived of a log, and whether it answers."""


class Archiver:
    """Moves old streams of one log to one archive."""

    def __init__(
        self,
        event_log: Log,
        matches: MatchService,
        archive: Archive,
        now_ms: Callable[[], int],
        *,
        archive_after_ms: int,
        abandon_after_ms: int,
        vanishing: Vanishing | None = None,
    ) -> None:
        """Archive matches so long after their end; end those idle for so long.

        Those of sandboxes are left to *vanishing*, and never archived.
        """
        self._log = event_log
        self._matches = matches
        self._archive = archive
        self._now_ms = now_ms
        self._archive_after_ms = archive_after_ms
        self._abandon_after_ms = abandon_after_ms
        self._vanishing = vanishing

    def run(
        self, should_stop: Callable[[], bool], afterwards: Callable[[], object]
    ) -> None:
        """Go through all matches until told to stop; do something after each time."""
        while not should_stop():
            try:
                self.run_once(should_stop)
                afterwards()
                ARCHIVER_ROUNDS.add("done")
            except (EventLogError, BrokenSegment, OSError) as error:
                ARCHIVER_ROUNDS.add("broken off")
                log.warning("archiver waits", reason=str(error))
            self._rest(should_stop)

    def _rest(self, should_stop: Callable[[], bool]) -> None:
        """Wait until it is time for all matches again; ask for the log meanwhile."""
        until = time.monotonic() + PAUSE_S
        while time.monotonic() < until and not should_stop():
            pause(ASKED_EVERY_S, should_stop)
            with suppress(EventLogError):  # the next turn says so, if it still is away
                self._log.check()

    def run_once(self, should_stop: Callable[[], bool] = lambda: False) -> int:
        """Go through all matches once; return how many were archived."""
        moved, ready = 0, []
        for match in self._live_matches():
            if should_stop():
                break
            if self._may_vanish(match.id, match.tenant, match.created_at_ms):
                continue
            idle_ms = self._now_ms() - match.updated_at_ms
            if match.is_over and idle_ms >= self._archive_after_ms:
                ready.append(match.id)
            elif match.is_over or match.due is not None:
                continue  # young yet, or its clock will end it
            elif idle_ms >= self._abandon_after_ms:
                self._abandon(match)
            if len(ready) == SEGMENT_STREAMS:
                moved += self._move(ready)
                ready = []
        return moved + self._move(ready)

    def _live_matches(self) -> Iterator[Match]:
        for partition in range(PARTITIONS):
            for stream in list(self._log.streams(partition, live=True)):
                try:
                    yield self._matches.load(stream)
                except NoSuchMatch:  # it has vanished since
                    continue
                except Refused as refusal:
                    state = self._log.load(stream)
                    if state and self._may_vanish(stream, state.tenant, 0):
                        continue
                    log.warning("match left", match=stream, reason=str(refusal))

    def _may_vanish(self, match_id: str, tenant: str, began_ms: int) -> bool:
        """Tell whether a match is not to be archived, but removed when it is time."""
        vanishing = self._vanishing
        return vanishing is not None and vanishing.look_at(match_id, tenant, began_ms)

    def _abandon(self, match: Match) -> None:
        try:
            self._matches.handle(match.id, Abandon(), by="server")
        except Refused as refusal:  # somebody came back at this very moment
            log.info("match not abandoned", match=match.id, reason=str(refusal))
        except LogFull as error:  # archiving goes on, and makes room for it
            log.info("match not abandoned yet", match=match.id, reason=str(error))

    def _move(self, streams: list[str]) -> int:
        cold = []
        for stream in streams:
            state = self._log.load(stream)
            events = self._log.read(stream)
            if state is not None and len(events) == state.head.version:
                cold.append(ColdStream(stream, state.tenant, state.head, events))
        return self._archive.put(cold)
