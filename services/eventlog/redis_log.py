"""The event log on Redis: its parts, on one server or on a cluster."""

import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from services.eventlog.cluster_client import map_of
from services.eventlog.cluster_connections import ClusterConnections
from services.eventlog.connection import Argument, Connections
from services.eventlog.errors import LogDamaged, LogGone, LogUnavailable
from services.eventlog.event import Head, StoredEvent
from services.eventlog.keys import META
from services.eventlog.packing import Packing
from services.eventlog.port import ColdStreams
from services.eventlog.reading import reading_of
from services.eventlog.records import (
    PARTITIONS,
    Appended,
    IdempotencyKey,
    Note,
    Replication,
    State,
    partition_of,
)
from services.eventlog.redis_deadlines import RedisDeadlines
from services.eventlog.redis_feed import RedisFeed
from services.eventlog.redis_streams import SCRIPT, RedisStreams
from services.eventlog.replicas import Replicas
from services.languages import Message
from services.redis_urls import CLUSTER, parse_redis_url

LAYOUT = "1"

RECOGNIZED_AGAIN_S = 2.0
"""So long a log is taken for the one it was where that cannot be told."""


class RedisEventLog(RedisStreams, RedisFeed, RedisDeadlines):
    """Keeps the log in one Redis server, a master and its replicas, or a cluster."""

    def __init__(
        self,
        url: str,
        *,
        phrases: Sequence[str] = (),
        idempotency_ttl_s: int = 3600,
        replicas: int = 0,
        timeout_s: float = 2.0,
        cold: ColdStreams | None = None,
    ) -> None:
        """Connect lazily. With *replicas*, that many must hold an append first.

        So must they hold whatever is read of a stream. What is not in Redis is looked
        for in *cold*, the archive, if there is one. *phrases* are what events say again
        and again (see `packing`).
        """
        self._is_cluster = parse_redis_url(url).kind == CLUSTER
        way: dict[str, Any] = {"timeout_s": timeout_s, "script": SCRIPT}
        self._redis = (
            ClusterConnections(url, map_of(url), **way)
            if self._is_cluster
            else Connections(url, **way)
        )
        self._reading = reading_of(self._redis)
        self._ring = self._reading.ring
        self._packing = Packing(phrases)
        self._ttl_s = idempotency_ttl_s
        self._replicas = Replicas(
            self._redis, replicas, int(timeout_s * 500), is_spread=self._is_cluster
        )
        self._cold = cold
        self._id = ""
        self._is_gone = False
        self._recognized_after = 0.0

    def append(
        self,
        stream: str,
        head: Head,
        events: Sequence[StoredEvent],
        note: Note,
        key: IdempotencyKey | None = None,
    ) -> Appended:
        """Record events if the stream is still at *head* (see the port).

        A new stream would miss nothing in another log; none begins there.
        """
        if head.version == 0 or self._is_gone:
            self.recognize()
        return super().append(stream, head, events, note, key)

    def load(self, stream: str) -> State | None:
        """Return version, head hash and snapshot of a stream (see the port).

        One that is not there may be in the log that this one was.
        """
        state = super().load(stream)
        if state is None or not self._id:
            self.recognize()
        return state

    def recognize(self) -> None:
        """Do nothing unless this is another log than it was (see the port)."""
        if time.monotonic() < self._recognized_after:
            return
        try:
            self.check()
            if self._id:
                return
        except LogUnavailable as error:  # in a cluster another server may be well
            if isinstance(error, LogGone) or not self._is_cluster:
                raise
        self._recognized_after = time.monotonic() + RECOGNIZED_AGAIN_S

    def check(self) -> None:
        """Do nothing if the log answers and was laid out as this code expects.

        And if it is the one that it was when it was looked at first: a Redis that
        comes back empty is none that was just begun.
        """
        asked = ("HMGET", META, "partitions", "layout", "id")
        told = self._redis.call_all([*self._replicas.take_unmarks(), asked])[-1]
        is_old = None not in told[:2]
        if None in told and (is_old or not self._id):
            told = self._lay_out(asked, is_old=is_old)
        *layout, identity = told
        is_other = None in layout or identity not in (None, self._id)
        self._is_gone = bool(self._id) and is_other
        if self._is_gone:
            raise LogGone(
                Message(
                    "the event log is not the one that was here before: nothing is "
                    "recorded until its operator has looked"
                ),
                "Redis was emptied, or is another one; put back what it held, or "
                "start the processes again if this is meant",
            )
        self._id = identity or self._id
        if layout != [str(PARTITIONS), LAYOUT]:
            raise LogDamaged(
                Message(
                    "the log was begun with {partitions} partitions in layout "
                    "{layout}; this version expects {expected} in layout {own}",
                    partitions=layout[0],
                    layout=layout[1],
                    expected=PARTITIONS,
                    own=LAYOUT,
                )
            )

    def _lay_out(self, asked: Sequence[Argument], *, is_old: bool) -> list[Any]:
        """Write down what is written once, and return what is asked.

        An *old* log lacks nothing but an identity: it is from before, or was copied
        before it got one. One that takes nothing now, a full one perhaps, does without.
        """
        fields = {"id": self._id or secrets.token_hex(8)}
        if not is_old:
            fields |= {"partitions": str(PARTITIONS), "layout": LAYOUT}
        with suppress(*(LogUnavailable,) if is_old else ()):
            self._redis.call_all([("HSETNX", META, *field) for field in fields.items()])
        told: list[Any] = self._redis.call(*asked)
        return told

    def await_replicas(self, stream: str | None = None) -> None:
        """Return when the replicas hold all that was written until now."""
        if stream is None:
            self._replicas.await_everywhere()
        else:
            self._replicas.await_all(partition_of(stream))

    def replication(self) -> Replication:
        """Return how many replicas an append waits for, and how many keep up."""
        return self._replicas.count()
