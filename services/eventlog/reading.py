"""How the feeds of all partitions are read together, and waited for.

One server lets one command wait for all of them. In a cluster they stand on several
servers, and no command may name two: there each append rings a bell, the channel of its
feed, and a follower reads what has rung. A bell may be lost, the feed is not: every
second all of it is read.
"""

import select
import threading
import time
from collections.abc import Sequence
from typing import Any, Protocol

from redis.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from services.eventlog.cluster_connections import ClusterConnections
from services.eventlog.connection import Argument, Connections
from services.eventlog.errors import LogUnavailable
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS
from services.languages import Message

FEEDS = tuple(key_of("feed", p) for p in range(PARTITIONS))
LOOK_EVERY_S = 1.0


class Reading(Protocol):
    """Reads feeds by XREAD or XREADGROUP, of which *command* is the beginning."""

    def read(
        self, command: Sequence[Argument], cursors: Sequence[str], wait_s: float
    ) -> list[Any]:
        """Return feeds and their entries after the cursors; wait for the first ones."""


def reading_of(redis: Connections) -> Reading:
    """Return how feeds are read here; whoever follows has one of its own."""
    return (
        Listening(redis) if isinstance(redis, ClusterConnections) else Blocking(redis)
    )


class Blocking:
    """Reads all feeds of one server by one command."""

    def __init__(self, redis: Connections) -> None:
        """Read by these connections."""
        self._redis = redis

    def read(
        self, command: Sequence[Argument], cursors: Sequence[str], wait_s: float
    ) -> list[Any]:
        """Return what is new, as soon as there is something."""
        block = ("BLOCK", int(wait_s * 1000)) if wait_s else ()
        told = (*command, *block, "STREAMS", *FEEDS, *cursors)
        return self._redis.call_waiting(wait_s, *told) or []


class Listening:
    """Reads each feed of a cluster when its bell has rung."""

    def __init__(self, redis: ClusterConnections) -> None:
        """Read by these connections; each thread listens for itself."""
        self._redis = redis
        self._threads = threading.local()

    def read(
        self, command: Sequence[Argument], cursors: Sequence[str], wait_s: float
    ) -> list[Any]:
        """Return what is new, as soon as there is something.

        Who does not wait does not listen, either, and is told what there is.
        """
        if not wait_s:
            return self._read(command, cursors, {})
        ear, until = self._ear(), time.monotonic() + wait_s
        while True:
            ear.listen()
            if found := self._read(command, cursors, ear.empty):
                return found
            left_s = until - time.monotonic()
            if left_s <= 0:
                return []
            ear.wait(left_s)

    def _read(
        self,
        command: Sequence[Argument],
        cursors: Sequence[str],
        empty: dict[int, str],
    ) -> list[Any]:
        """Read all but those that are known to be empty; note which are."""
        wanted = [p for p in range(PARTITIONS) if empty.get(p) != cursors[p]]
        replies = self._redis.call_all(
            [(*command, "STREAMS", FEEDS[p], cursors[p]) for p in wanted]
        )
        found: list[Any] = []
        for p, reply in zip(wanted, replies, strict=True):
            if reply:
                found += reply
            else:
                empty[p] = cursors[p]
        return found

    def _ear(self) -> "_Ear":
        ear: _Ear | None = getattr(self._threads, "ear", None)
        if ear is None:
            ear = self._threads.ear = _Ear(self._redis)
        return ear


class _Ear:
    """Hears the bells of all feeds, by a connection to each server that has some.

    ``empty`` holds the partitions that had nothing after a cursor, and have not rung
    since.
    """

    def __init__(self, redis: ClusterConnections) -> None:
        self._redis = redis
        self._connections: list[AbstractConnection] = []
        self._look_at = 0.0
        self.empty: dict[int, str] = {}

    def listen(self) -> None:
        """Take in what has rung until now.

        :raises LogUnavailable: a server that has feeds cannot be reached.
        """
        if time.monotonic() >= self._look_at:
            self._look_again()
        if not self._connections:
            self._subscribe()
        try:
            for connection in self._connections:
                while connection.can_read(timeout=0):
                    kind, channel, _ = connection.read_response(timeout=None)
                    if kind == "sunsubscribe":  # the feed has moved elsewhere
                        return self._drop()
                    self.empty.pop(_partition(channel), None)
        except (RedisError, OSError) as error:
            self._drop()
            raise LogUnavailable(
                Message("Redis did not answer: {reason}", reason=str(error))
            ) from error

    def wait(self, wait_s: float) -> None:
        """Return when something rings, or after some time."""
        sockets: list[Any] = [connection._sock for connection in self._connections]
        select.select(sockets, [], [], min(wait_s, LOOK_EVERY_S))

    def _subscribe(self) -> None:
        """Listen at every server, and take all feeds for unread: they may have rung."""
        servers: dict[str, list[str]] = {}
        for feed in FEEDS:
            servers.setdefault(self._redis.servers.url_of(feed), []).append(feed)
        try:
            for url, feeds in servers.items():
                connection = self._redis.at(url).open_apart()
                self._connections.append(connection)
                commands = [("SSUBSCRIBE", feed) for feed in feeds]
                connection.send_packed_command(connection.pack_commands(commands))
                for _ in feeds:
                    connection.read_response()
        except ResponseError:  # the map is old, or the servers are: read each second
            self._drop()
            self._redis.servers.look_again()
        except (RedisError, OSError, LogUnavailable) as error:
            self._drop()
            self._redis.servers.look_again()
            raise LogUnavailable(
                Message("Redis cannot be reached: {reason}", reason=str(error))
            ) from error
        self._look_again()

    def _look_again(self) -> None:
        self.empty.clear()
        self._look_at = time.monotonic() + LOOK_EVERY_S

    def _drop(self) -> None:
        connections, self._connections = self._connections, []
        for connection in connections:
            connection.disconnect()


def _partition(feed: str) -> int:
    return int(feed[len("feed:{") : -1])
