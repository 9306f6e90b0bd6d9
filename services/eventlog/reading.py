"""How the feeds of all partitions are read together, and waited for.

Each append rings a bell, the channel of its feed; a follower reads what has rung. To
wait for the feeds themselves costs a server more, for who waits for 64 keys is put down
at each of them by every command and taken off again by every append; in a cluster no
command may even name them all. A bell may be lost, the feed is not: every second all of
it is read.

Bells for many appends cost more than they tell earlier. So a reader may gather: where
it finds something again and again, it reads only so often, and listens to no bell.
"""

import select
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from redis.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from services.eventlog.cluster_connections import ClusterConnections
from services.eventlog.cluster_map import slot_of
from services.eventlog.connection import Argument, Connections
from services.eventlog.errors import LogUnavailable, unreached
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS

FEEDS = tuple(key_of("feed", p) for p in range(PARTITIONS))
NEW = ">"
"""The cursor of a consumer group, which knows by itself what it has read."""

LOOK_EVERY_S = 1.0
AT_ONCE, RESTS = 16, 4
"""After so many reads that found something, each soon after the one before, what comes
is gathered; until so many in a row have found nothing."""


def reading_of(redis: Connections) -> "Reading":
    """Return how feeds are read here; whoever follows has one of its own."""
    is_cluster = isinstance(redis, ClusterConnections)
    return ClusterReading(redis) if is_cluster else Reading(redis)


class Reading:
    """Reads the feeds of one server, by XREAD or XREADGROUP."""

    ring = "PUBLISH"
    listen = "SUBSCRIBE"

    def __init__(self, redis: Connections) -> None:
        """Read by these connections; each thread listens for itself."""
        self._redis = redis
        self._threads = threading.local()

    def read(
        self,
        reads: Sequence[Argument],
        limit: int,
        cursors: Sequence[str],
        wait_s: float,
        gather_s: float,
    ) -> list[Any]:
        """Return feeds and their entries after the cursors; wait for the first ones.

        *reads* is the command that reads, to which what and how many is added; *limit*
        holds for each feed. Who does not wait does not listen, either, and is told what
        there is. What comes faster than each *gather_s* is read so often, and no more.
        """
        command = (*reads, "COUNT", limit)
        if not wait_s:
            return self._read_some(command, range(PARTITIONS), cursors)
        ear, until = self._ear(), time.monotonic() + wait_s
        for _ in range(RESTS if ear.gathers and gather_s else 0):
            ear.rest(gather_s)
            if found := self._read_some(command, range(PARTITIONS), cursors):
                ear.note_found(found, limit, gather_s)
                return found
        ear.gathers = False
        while True:
            hears = ear.listen()
            if found := self._read_what_rang(command, cursors, ear.empty):
                ear.note_ends(found, limit, cursors)
                ear.note_found(found, limit, gather_s)
                return found
            left_s = until - time.monotonic()
            if left_s <= 0:
                return []
            if not hears:
                return self.read_deaf(command, cursors, left_s)
            ear.wait(left_s)

    def _read_some(
        self,
        command: Sequence[Argument],
        partitions: Sequence[int],
        cursors: Sequence[str],
    ) -> list[Any]:
        """Return what there is of some partitions; *cursors* are of all."""
        groups = self._redis.groups_of(partitions)
        replies = self._redis.call_all(
            [(*command, *_streams(group, cursors)) for group in groups]
        )
        return [feed for reply in replies for feed in reply or ()]

    def read_deaf(
        self, command: Sequence[Argument], cursors: Sequence[str], wait_s: float
    ) -> list[Any]:
        """Return what there is, and wait for it, where no bell may be listened to."""
        block = ("BLOCK", int(wait_s * 1000))
        told = (*command, *block, *_streams(range(PARTITIONS), cursors))
        return self._redis.call_waiting(wait_s, *told) or []

    def homes(self) -> Iterable[tuple[Connections, Sequence[str]]]:
        """Return each server that has feeds, with these."""
        return [(self._redis, FEEDS)]

    def look_again(self) -> None:
        """Believe no longer what is known of where feeds are: here they stay."""

    def _read_what_rang(
        self,
        command: Sequence[Argument],
        cursors: Sequence[str],
        empty: dict[int, str],
    ) -> list[Any]:
        """Read all but those that are known to be empty; note which are."""
        wanted = [p for p in range(PARTITIONS) if empty.get(p) != cursors[p]]
        found = self._read_some(command, wanted, cursors) if wanted else []
        had_some = {partition_of_feed(feed) for feed, _ in found}
        empty.update((p, cursors[p]) for p in wanted if p not in had_some)
        return found

    def _ear(self) -> "_Ear":
        ear: _Ear | None = getattr(self._threads, "ear", None)
        if ear is None:
            ear = self._threads.ear = _Ear(self)
        return ear


class ClusterReading(Reading):
    """Reads the feeds of a cluster, each where it stands."""

    ring = "SPUBLISH"
    listen = "SSUBSCRIBE"

    _redis: ClusterConnections

    def read_deaf(
        self, command: Sequence[Argument], cursors: Sequence[str], wait_s: float
    ) -> list[Any]:
        """Return what there is after a moment: no command can wait for it."""
        time.sleep(min(wait_s, LOOK_EVERY_S))
        return self._read_some(command, range(PARTITIONS), cursors)

    def homes(self) -> Iterable[tuple[Connections, Sequence[str]]]:
        """Return each master that has feeds, with these."""
        servers: dict[str, list[str]] = {}
        for feed in FEEDS:
            url = self._redis.servers.url_of(slot_of(feed))
            servers.setdefault(url, []).append(feed)
        return [(self._redis.at(url), feeds) for url, feeds in servers.items()]

    def look_again(self) -> None:
        """Ask the cluster anew where feeds are."""
        self._redis.servers.look_again()


class _Ear:
    """Hears the bells of all feeds, by a connection to each server that has some.

    ``empty`` holds the partitions that had nothing after a cursor, and have not rung
    since.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._connections: list[AbstractConnection] = []
        self._look_at = self._listen_at = self._read_at = 0.0
        self._in_a_row = 0
        self.gathers = False
        self.empty: dict[int, str] = {}

    def rest(self, gather_s: float) -> None:
        """Let so much time pass after the last read, deaf, so that no bell costs."""
        self._drop()
        self._listen_at = 0.0  # when there is time to listen again
        time.sleep(max(self._read_at + gather_s - time.monotonic(), 0))
        self._read_at = time.monotonic()

    def note_found(self, found: Sequence[Any], limit: int, gather_s: float) -> None:
        """Note a read that found something; one that was cut short goes on at once."""
        now = time.monotonic()
        is_soon = now - self._read_at < gather_s
        self._in_a_row = self._in_a_row + 1 if is_soon else 1
        self.gathers = self.gathers or self._in_a_row > AT_ONCE
        is_whole = all(len(entries) < limit for _, entries in found)
        self._read_at = now if is_whole else 0.0

    def listen(self) -> bool:
        """Take in what has rung until now; tell whether what rings next will be heard.

        :raises LogUnavailable: a server that has feeds cannot be reached.
        """
        now = time.monotonic()
        if now >= self._look_at:
            self._look_again(now)
        try:
            for connection in self._connections:
                self._take_in(connection)
        except (RedisError, OSError):  # cut off, or it held more than we took in
            self._drop()
        if not self._connections:
            self._look_again(now)  # whatever rang until now was not heard
            if now >= self._listen_at:
                self._listen_at = now + LOOK_EVERY_S
                self._begin()
        return bool(self._connections)

    def note_ends(
        self, found: Sequence[Any], limit: int, cursors: Sequence[str]
    ) -> None:
        """Note which feeds were read to their end, where the next read goes on."""
        for feed, entries in found:
            if len(entries) < limit:
                partition = partition_of_feed(feed)
                is_shared = cursors[partition] == NEW
                self.empty[partition] = NEW if is_shared else entries[-1][0]

    def wait(self, wait_s: float) -> None:
        """Return when something rings, or after some time."""
        sockets: list[Any] = [connection._sock for connection in self._connections]
        bells = select.poll()  # `select` knows the first 1,024 files alone
        for each in sockets:
            bells.register(each, select.POLLIN)
        bells.poll(1000 * min(wait_s, LOOK_EVERY_S))

    def _take_in(self, connection: AbstractConnection) -> None:
        while connection.can_read(timeout=0):
            kind, channel, _ = connection.read_response(timeout=None)
            if kind == "sunsubscribe":
                raise ResponseError("the feed has moved to another server")
            self.empty.pop(partition_of_feed(channel), None)

    def _begin(self) -> None:
        reading = self._reading
        try:
            for server, feeds in reading.homes():
                connection = server.open_apart()
                self._connections.append(connection)
                commands = [(reading.listen, feed) for feed in feeds]
                connection.send_packed_command(connection.pack_commands(commands))
                for _ in feeds:
                    connection.read_response()
        except (RedisError, OSError, LogUnavailable) as error:
            self._drop()
            reading.look_again()
            if isinstance(error, LogUnavailable):  # which says so already
                raise
            if not isinstance(error, ResponseError):
                raise unreached(error, server.place) from error
            # It may not listen, or the feed is elsewhere by now: it does without.

    def _look_again(self, now: float) -> None:
        self.empty.clear()
        self._look_at = now + LOOK_EVERY_S

    def _drop(self) -> None:
        connections, self._connections = self._connections, []
        for connection in connections:
            connection.disconnect()


def partition_of_feed(feed: str) -> int:
    """Return the partition whose feed has this key."""
    return int(feed[len("feed:{") : -1])


def _streams(partitions: Iterable[int], cursors: Sequence[str]) -> tuple[Argument, ...]:
    """Return the end of what reads: the feeds of partitions, and their cursors."""
    chosen = list(partitions)
    return ("STREAMS", *(FEEDS[p] for p in chosen), *(cursors[p] for p in chosen))
