"""The follower: plans a delivery of each event to each endpoint that asked for it.

It follows the feed of the log, from a place that is kept in the same transaction as
what it plans; so nothing is skipped and nothing planned twice, whenever it dies.
"""

import time
from collections.abc import Callable, Mapping, Sequence

import structlog

from services.eventlog import Feed, FeedEntry
from services.match import Folds
from services.webhooks.deliveries import Planned
from services.webhooks.endpoints import BACKLOG, Endpoint
from services.webhooks.turns import events_of, is_over
from services.webhooks.webhooks import FOLLOWER, Webhooks

BATCH = 200
KEEP_EVERY_S = 30.0
NOTE_EVERY_S = 1.0

log = structlog.get_logger()


class Follower:
    """Follows the feed for all endpoints. One at a time has something to do."""

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
        self._kept_at = 0.0
        self._noted_at = 0.0

    def run_once(self, wait_s: float = 0) -> int:
        """Plan what is new in the feed; return the number of entries.

        The endpoints are read after the entries: one that was there before an event
        was recorded is told of it.
        """
        deliveries = self._webhooks.deliveries
        began_ms = self._now_ms()
        cursors = deliveries.cursors()
        entries = self._feed.follow(cursors, BATCH, wait_s)
        if entries:
            tenants = {entry.tenant for entry in entries}
            endpoints = self._webhooks.endpoints.of_tenants(tenants)
            planned = [
                plan
                for entry in entries
                for plan in self._plans(entry, endpoints[entry.tenant])
            ]
            read = {entry.partition: entry.cursor for entry in entries}
            cursors.update(read)
            self._forget(entries, endpoints)
            for behind in deliveries.plan(planned, read, self._now_ms()):
                log.warning("webhook endpoint disabled", endpoint=behind, why=BACKLOG)
                self._webhooks.endpoints.disable(behind, BACKLOG, self._now_ms())
        if len(entries) < BATCH and time.monotonic() - self._noted_at > NOTE_EVERY_S:
            self._webhooks.note_planned(began_ms)
            self._noted_at = time.monotonic()
        if time.monotonic() - self._kept_at > KEEP_EVERY_S:
            self._feed.keep_from(FOLLOWER, cursors)
            self._kept_at = time.monotonic()
        return len(entries)

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
