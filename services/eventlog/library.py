"""Redis by its client library, for all that is not on the path of a move.

An ordinary client, but for what it raises: whoever waits for the log waits for what is
beside it in the same way.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from services.eventlog.cluster_client import ClusterClient
from services.eventlog.pools import pool_of
from services.eventlog.raising import AsTheLog, PipelineAsTheLog
from services.eventlog.replicas import fence, refuse_too_few, waits
from services.redis_urls import CLUSTER, parse_redis_url

TIMEOUT_S = 2.0


@lru_cache(maxsize=64)
def connect_redis(url: str) -> Any:
    """Return the client of a Redis server; it is contacted with the first command.

    There is one for all of this process, and one set of connections. Replies are text,
    in the form of RESP 2. A command whose connection breaks is sent once more. The
    client raises `LogUnavailable` where the server cannot be reached or cannot serve
    now. (Its type is not told: that of the library leaves open whether replies are
    bytes.)
    """
    if parse_redis_url(url).kind == CLUSTER:
        return ClusterClient(url, connect_redis)
    pool = pool_of(
        url,
        protocol=2,
        decode_responses=True,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),
    )
    return _Client(connection_pool=pool)


def read_held(redis: Any, key: str, wanted: int, read: Callable[[Any], Any]) -> Any:
    """Return what a command reads, if so many replicas hold it.

    *key* is one under the same hash tag, for this alone: replicas that have got what
    is written to it now have got all that was read before.

    :raises TooFewReplicas: they are too few within a second.
    """
    server = redis.at(key)
    with server.pipeline(transaction=False) as pipe:
        read(pipe)
        for command in (fence(key), *waits(wanted, int(TIMEOUT_S * 500))):
            pipe.execute_command(*command)
        found, *_, held = pipe.execute()
    if held < wanted:  # cut off from its own, it knows of no other master
        server.connection_pool.disconnect(inuse_connections=False)
    refuse_too_few(held, wanted)
    return found


class _Client(AsTheLog, Redis):
    def servers(self) -> "list[_Client]":
        """Return a client of each server that takes writes: there is this one."""
        return [self]

    def at(self, key: str) -> "_Client":
        """Return a client of the server that has a key: there is this one."""
        return self

    def pipeline(
        self, transaction: bool = True, shard_hint: str | None = None
    ) -> "_Pipeline":
        return _Pipeline(
            self.connection_pool, self.response_callbacks, transaction, shard_hint
        )


class _Pipeline(PipelineAsTheLog, Pipeline):
    """Commands that are sent together."""
