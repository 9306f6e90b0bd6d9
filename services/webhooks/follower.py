"""The follower: plans a delivery of each event to each endpoint that asked for it.

It follows the feed of the log, from a place that is kept in the same transaction as
the last of what it plans; so nothing is skipped and nothing planned twice, whenever it
dies: what is planned says so, and is not planned again when it is read again. Where
nothing is planned the place is kept once a second, for all that would be read again
plans nothing either: an endpoint is told of nothing that was recorded before it.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import structlog

from services.eventlog import Feed, FeedEntry
from services.match import Folds
from services.webhooks.delivery import Planned
from services.webhooks.endpoint import BACKLOG, Endpoint
from services.webhooks.turns import events_of, is_over
from services.webhooks.webhooks import FOLLOWER, Webhooks

BATCH = 32
"""So many entries of each partition are planned in one look, two thousand in all."""

GATHER_S = 0.02
"""So long what comes at once is gathered: planning costs by steps, not by events."""

KEEP_EVERY_S = 30.0
NOTE_EVERY_S = 1.0

log = structlog.get_logger()


class Follower:
    """Follows the feed for all endpoints. One at a time has something to do.

    It goes on from where it was itself; `begin` lets it ask how far others came.
    """

    def __init__(
        self,
        feed: Feed,
        folds: Folds,
        webhooks: Webhooks,
        now_ms: Callable[[], int],
    ) -> None:
        """Read from a log, plan deliveries."""
        self._feed = feed
        self._folds = folds
        self._webhooks = webhooks
        self._now_ms = now_ms
        self._cursors: dict[int, str] | None = None
        self._unkept: dict[int, str] = {}
        self._kept_at = 0.0
        self._noted_at = 0.0

    def begin(self) -> None:
        """Go on where the feed was planned to, by whoever did."""
        self._cursors = None

    def run_once(self, wait_s: float = 0) -> int:
        """Plan what is new in the feed; return the number of entries.

        The endpoints are read after the entries: one that was there before an event
        was recorded is told of it.
        """
        began_ms, cursors = self._now_ms(), self._cursors
        if cursors is None:
            cursors, self._unkept = self._webhooks.deliveries.cursors(), {}
        self._cursors = None  # unless all goes well
        entries = self._feed.follow(cursors, BATCH, wait_s, GATHER_S)
        read = {entry.partition: entry.cursor for entry in entries}
        cursors.update(read)
        self._unkept.update(read)
        planned = self._planned(entries) if entries else []
        is_time = time.monotonic() - self._noted_at > NOTE_EVERY_S
        if planned or (is_time and self._unkept):
            self._keep(planned)
        of_each = Counter(entry.partition for entry in entries).values()
        if is_time and max(of_each, default=0) < BATCH:  # there was no more of any
            self._webhooks.note_planned(began_ms)
            self._noted_at = time.monotonic()
        if time.monotonic() - self._kept_at > KEEP_EVERY_S:
            self._feed.keep_from(FOLLOWER, cursors)
            self._kept_at = time.monotonic()
        self._cursors = cursors
        return len(entries)

    def _planned(self, entries: Sequence[FeedEntry]) -> list[Planned]:
        """Return what follows from entries, for the endpoints that are there now."""
        tenants = {entry.tenant for entry in entries}
        endpoints = self._webhooks.endpoints.of_tenants(tenants)
        planned = [
            plan
            for entry in entries
            for plan in self._plans(entry, endpoints[entry.tenant])
        ]
        self._forget(entries, endpoints)
        return planned

    def _keep(self, planned: Sequence[Planned]) -> None:
        """Keep what is planned, and how far the feed was read."""
        deliveries, now_ms = self._webhooks.deliveries, self._now_ms()
        for behind in deliveries.plan(planned, self._unkept, now_ms):
            log.warning("webhook endpoint disabled", endpoint=behind, why=BACKLOG)
            self._webhooks.endpoints.disable(behind, BACKLOG, now_ms)
        self._unkept = {}

    def _forget(
        self, entries: Sequence[FeedEntry], endpoints: Mapping[str, list[Endpoint]]
    ) -> None:
        """Forget what was planned of matches that are no more.

        Before the place in the feed is noted: it is done again if this process dies.
        """
        gone: dict[str, set[str]] = {}
        for entry in entries:
            if entry.has_vanished:
                gone.setdefault(entry.tenant, set()).add(entry.stream)
        for tenant, matches in gone.items():
            for endpoint in endpoints[tenant]:
                self._webhooks.deliveries.forget(endpoint.id, matches)

    def _plans(self, entry: FeedEntry, endpoints: list[Endpoint]) -> list[Planned]:
        at_ms = int(entry.cursor.partition("-")[0])
        if entry.has_vanished:
            return []
        told_of = [e for e in endpoints if e.is_enabled and at_ms >= e.since_ms]
        if not told_of:
            return []
        versions = range(entry.first, entry.last + 1)
        told = self._folds.replay(entry.stream, versions)
        events = events_of(entry, told)
        ended = is_over(entry, told)
        return [
            Planned(
                endpoint.id,
                entry.stream,
                entry.last,
                ended,
                [event for event in events if endpoint.wants(event[0])],
            )
            for endpoint in told_of
        ]
