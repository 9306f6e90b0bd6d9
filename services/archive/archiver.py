"""The archiver: ends what was abandoned, and archives what is over, after a time.

It goes through the streams again and again, slowly; killed anywhere it loses nothing.
Of several, one does so at a time: two would leave what they meet at in two segments,
which doubles no match, and takes the room of two.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Protocol

import structlog
from redis.exceptions import RedisError

from services.archive.archive import Archive
from services.archive.damage import TellDamage
from services.archive.segment import ColdStream, check_stream
from services.archive.vanishing import Vanishing
from services.eventlog import (
    PARTITIONS,
    UNREADABLE,
    EventLogError,
    LogFull,
    LogUnavailable,
    Standing,
    Streams,
    disagreement,
)
from services.logs import Absence
from services.match import Abandon, Match, MatchService
from services.match.refusals import NoSuchMatch, Refused
from services.metrics.figures import ARCHIVER_ROUNDS
from services.signals import pause

SEGMENT_STREAMS, SEGMENT_EVENTS = 500, 50_000
"""A segment has not much more of either: all of it is in memory while it is written."""

PAUSE_S = 60.0
ASKED_EVERY_S = 5.0
"""While it rests: so whoever watches knows soon that the log answers it again."""

ABSENCE = Absence("archiver waits", "archiver goes on")

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
        tell_damage: TellDamage | None = None,
    ) -> None:
        """Archive matches so long after their end; end those idle for so long.

        Those of sandboxes are left to *vanishing*, and never archived. *tell_damage* is
        told of what cannot be read, and is left where it is; without it, the log is.
        """
        self._log = event_log
        self._matches = matches
        self._archive = archive
        self._now_ms = now_ms
        self._archive_after_ms = archive_after_ms
        self._abandon_after_ms = abandon_after_ms
        self._duty = archive.duty()
        self._ask_again_at = 0.0
        self._tell_damage = tell_damage or _tell_log
        self._vanishing = vanishing

    def run(
        self, should_stop: Callable[[], bool], afterwards: Callable[[], object]
    ) -> None:
        """Go through all matches until told to stop; do something after each time."""
        while not should_stop():
            if self._is_anothers():
                self._rest(ASKED_EVERY_S, should_stop)
                continue
            self._go_through(should_stop, afterwards)
            self._duty.give_back()
            self._rest(PAUSE_S, should_stop)

    def _go_through(
        self, should_stop: Callable[[], bool], afterwards: Callable[[], object]
    ) -> None:
        try:
            self.run_once(lambda: should_stop() or self._is_anothers())
            afterwards()
            ARCHIVER_ROUNDS.add("done")
            ABSENCE.over()
        except (EventLogError, OSError) as error:
            ARCHIVER_ROUNDS.add("broken off")
            ABSENCE.note(error)

    def _is_anothers(self) -> bool:
        """Tell whether another goes through them now; who cannot ask does it as well.

        Where a cluster has lost the server that would know, the others are archived.
        """
        if time.monotonic() < self._ask_again_at:
            return False
        try:
            return not self._duty.take()
        except (LogUnavailable, RedisError):
            self._ask_again_at = time.monotonic() + ASKED_EVERY_S
            return False

    def _rest(self, rest_s: float, should_stop: Callable[[], bool]) -> None:
        """Wait until it is time for all matches again; ask for the log meanwhile."""
        until = time.monotonic() + rest_s
        while time.monotonic() < until and not should_stop():
            pause(ASKED_EVERY_S, should_stop)
            with suppress(EventLogError):  # the next turn says so, if it still is away
                self._log.check()

    def run_once(self, should_stop: Callable[[], bool] = lambda: False) -> int:
        """Go through all matches once; return how many were archived.

        What is away, the archive or a server of several, holds up nothing else. Who is
        to stop leaves what is gathered for the next time: another may have it by now.

        :raises LogUnavailable: the first that was away; all else is done.
        """
        moved, ready, away = 0, _Ready(), list[LogUnavailable]()
        for partition in range(PARTITIONS):
            try:
                for match in self._live_matches(partition):
                    if should_stop():
                        return moved
                    if self._is_to_move(match):
                        ready.add(match)
                    if ready.is_enough:
                        moved += self._move(ready.take(), away)
            except LogUnavailable as error:
                self._log.check()  # if all of it is, it is waited for once
                away.append(error)
        moved += self._move(ready.take(), away)
        if away:
            raise away[0]
        return moved

    def _is_to_move(self, match: Match) -> bool:
        """Tell whether a match is over and old; end what was abandoned."""
        try:
            if self._may_vanish(match.id, match.tenant, match.created_at_ms):
                return False
        except UNREADABLE as error:
            self._tell_damage(match.id, str(error))
            return False
        idle_ms = self._now_ms() - match.updated_at_ms
        if match.is_over:
            return idle_ms >= self._archive_after_ms
        if match.due is None and idle_ms >= self._abandon_after_ms:
            self._abandon(match)  # where it is due, its clock will end it
        return False

    def _live_matches(self, partition: int) -> Iterator[Match]:
        for stream in list(self._log.streams(partition, live=True)):
            try:
                match = self._load(stream)
            except UNREADABLE as error:
                self._tell_damage(stream, str(error))
                continue
            if match is not None:
                yield match

    def _load(self, stream: str) -> Match | None:
        try:
            return self._matches.load(stream)
        except NoSuchMatch:  # it has vanished since
            return None
        except Refused as refusal:
            state = self._log.load(stream)
            if state is None or not self._may_vanish(stream, state.tenant, 0):
                self._tell_damage(stream, str(refusal))
            return None

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
        except UNREADABLE as error:
            self._tell_damage(match.id, str(error))

    def _move(self, streams: list[str], away: list[LogUnavailable]) -> int:
        """Move streams into a segment; what is damaged stays, and holds up none."""
        cold = []
        try:
            for stream in streams:
                try:
                    cold += self._cold(stream)
                except UNREADABLE as error:
                    self._tell_damage(stream, str(error))
            return self._archive.put(cold)
        except LogUnavailable as error:
            away.append(error)
            return 0

    def _cold(self, stream: str) -> list[ColdStream]:
        """Return a stream as it is to be archived; none if it is written to just now.

        :raises LogDamaged: it is not whole.
        """
        state, events = self._log.load(stream), self._log.read(stream)
        if state is None:
            return []
        if len(events) != state.head.version:
            if self._log.load(stream) != state:
                return []
            raise disagreement(stream, state.head.version, len(events))
        cold = ColdStream(stream, state.tenant, state.head, events)
        check_stream(cold)
        return [cold]


class _Ready:
    """Matches that are to move together, until they are a segment's worth."""

    def __init__(self) -> None:
        self._streams: list[str] = []
        self._events = 0

    def add(self, match: Match) -> None:
        self._streams.append(match.id)
        self._events += match.version

    @property
    def is_enough(self) -> bool:
        return len(self._streams) >= SEGMENT_STREAMS or self._events >= SEGMENT_EVENTS

    def take(self) -> list[str]:
        """Return the names of all, and begin with none."""
        taken = self._streams
        self._streams, self._events = [], 0
        return taken


def _tell_log(name: str, reason: str) -> None:
    log.warning("match left", match=name, reason=reason)
