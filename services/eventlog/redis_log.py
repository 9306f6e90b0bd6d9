"""The event log on Redis: its parts, on one server or on a cluster."""

from collections.abc import Sequence
from typing import Any

from services.eventlog.cluster_client import map_of
from services.eventlog.cluster_connections import ClusterConnections
from services.eventlog.connection import Connections
from services.eventlog.identity import Identity
from services.eventlog.packing import Packing
from services.eventlog.port import ColdStreams
from services.eventlog.reading import reading_of
from services.eventlog.records import Replication, partition_of
from services.eventlog.redis_deadlines import RedisDeadlines
from services.eventlog.redis_feed import RedisFeed
from services.eventlog.redis_streams import SCRIPT, RedisStreams
from services.eventlog.replicas import Replicas
from services.redis_urls import CLUSTER, parse_redis_url


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
        is_cluster = parse_redis_url(url).kind == CLUSTER
        way: dict[str, Any] = {"timeout_s": timeout_s, "script": SCRIPT}
        self._redis = (
            ClusterConnections(url, map_of(url), **way)
            if is_cluster
            else Connections(url, **way)
        )
        self._reading = reading_of(self._redis)
        self._ring = self._reading.ring
        self._packing = Packing(phrases)
        self._ttl_s = idempotency_ttl_s
        self._replicas = Replicas(
            self._redis, replicas, int(timeout_s * 500), is_spread=is_cluster
        )
        self._cold = cold
        self._identity = Identity(self._redis, self._replicas, is_cluster=is_cluster)

    def check(self) -> None:
        """Do nothing if the log answers, and is the one that this code expects."""
        self._identity.check()

    def recognize(self) -> None:
        """Do nothing unless this is another log than it was (see the port)."""
        self._identity.recognize()

    def watch(self) -> None:
        """Do nothing unless this is another log than it was lately (see the port)."""
        self._identity.watch()

    def await_replicas(self, stream: str | None = None) -> None:
        """Return when the replicas hold all that was written until now."""
        if stream is None:
            self._replicas.await_everywhere()
        else:
            self._replicas.await_all(partition_of(stream))

    def replication(self) -> Replication:
        """Return how many replicas an append waits for, and how many keep up."""
        return self._replicas.count()
