"""The event log on Redis streams; one script call records everything or nothing.

Keys, all of one partition under one hash tag, so that a cluster keeps them together::

    m:{p}:<stream>:ev        the events, id <version>-0, fields t a b d (see `phrases`)
    m:{p}:<stream>:st        v version, h head hash, s snapshot, t tenant
    m:{p}:<stream>:i:<key>   idempotency: first and last version, digest
    feed:{p}                 s stream, f first, l last, t tenant, w who is awaited
    due:{p}                  deadlines of streams
    streams:{p}              names of streams by time of birth
    archive:{p}              where archived streams lie
    followers:{p}            what each follower has read, so that trimming spares it
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from redis.exceptions import NoScriptError, ResponseError

from services.eventlog.connection import Argument, Connections, LostConnection
from services.eventlog.event import Head, StoredEvent, chain_all
from services.eventlog.phrases import pack, unpack
from services.eventlog.port import (
    PARTITIONS,
    Appended,
    ColdStreams,
    FeedEntry,
    FeedGroup,
    IdempotencyKey,
    KeyReused,
    LogDamaged,
    LogUnavailable,
    Note,
    State,
    VersionConflict,
    partition_of,
)

SCRIPTS = files("services.eventlog")
SCRIPT = SCRIPTS.joinpath("append.lua").read_text("utf-8")
SCRIPT_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()
FORGET_MEMBERS = SCRIPTS.joinpath("forget_members.lua").read_text("utf-8")
META_KEY = "seedlog:log"
LAYOUT = "1"
BEGINNING = "0-0"


class RedisEventLog:
    """Keeps the log in one Redis server (or one master and its replicas)."""

    def __init__(
        self,
        url: str,
        *,
        idempotency_ttl_s: int = 3600,
        replicas: int = 0,
        timeout_s: float = 2.0,
        cold: ColdStreams | None = None,
    ) -> None:
        """Connect lazily. With *replicas*, that many must hold an append first.

        What is not in Redis is looked for in *cold*, the archive, if there is one.
        """
        self._redis = Connections(url, timeout_s=timeout_s, script=SCRIPT)
        self._ttl_s = idempotency_ttl_s
        self._replicas = replicas
        self._cold = cold
        self._timeout_ms = int(timeout_s * 500)

    # -- writing

    def append(
        self,
        stream: str,
        head: Head,
        events: Sequence[StoredEvent],
        note: Note,
        key: IdempotencyKey | None = None,
    ) -> Appended:
        """Record events if the stream is still at *head* (see the port)."""
        if not events or events[0].version != head.version + 1:
            raise ValueError("an append needs events, from the version after the head")
        new_hash = chain_all(head.hash, events)
        keys: list[str] = list(keys_of(stream)[:5])  # in the order of the script
        if key:
            keys.append(_idempotency_key(stream, key.key))
        arguments: list[Argument] = [
            stream,
            head.version,
            new_hash,
            note.snapshot,
            note.tenant,
            note.awaits,
            "" if note.due_ms is None else note.due_ms,
            key.digest if key else "",
            self._ttl_s,
        ]
        for event in events:
            arguments += (
                pack(event.type),
                event.at_ms,
                pack(event.by),
                pack(event.data_text),
            )
        command = ["EVALSHA", SCRIPT_SHA, len(keys), *keys, *arguments]
        was_lost = False
        try:
            reply = self._run(command)
        except LostConnection:
            was_lost = True
            reply = self._run(command)
        if self._replicas:
            self._await_replicas()
        if was_lost and reply[0] == "conflict":
            last = head.version + len(events)
            if self.read(stream, head.version, len(events)) == list(events):
                return Appended(head.version + 1, last, Head(last, new_hash))
        return _appended(stream, head.version, new_hash, key, reply)

    def _run(self, command: list[Argument]) -> list[Any]:
        reply = self._redis.call_once(*command)
        if isinstance(reply, NoScriptError):
            reply = self._redis.call_once("EVAL", SCRIPT, *command[2:])
        return list(reply)

    def _await_replicas(self) -> None:
        held = self._redis.call("WAIT", self._replicas, self._timeout_ms)
        if held < self._replicas:
            raise LogUnavailable(
                f"recorded, but only {held} of {self._replicas} replicas hold it yet"
            )

    # -- reading

    def load(self, stream: str) -> State | None:
        """Return head and snapshot, or None where there is no such stream."""
        reply = self._redis.call("HMGET", keys_of(stream).state, "v", "h", "s", "t")
        version, hash_, snapshot, tenant = reply
        if version is None:
            return self._cold.load(stream) if self._cold else None
        return State(Head(int(version), hash_), snapshot, tenant)

    def find_key(self, stream: str, key: IdempotencyKey) -> Appended | None:
        """Return what an earlier request with this key recorded."""
        record = self._redis.call("GET", _idempotency_key(stream, key.key))
        if record is None:
            return None
        first, last, digest = record.split(" ", 2)
        if digest != key.digest:
            raise KeyReused(key.key)
        return Appended(int(first), int(last), replayed=True)

    def read(
        self, stream: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after a version, in order."""
        command: list[Argument] = [
            "XRANGE",
            keys_of(stream).events,
            f"{after + 1}-0",
            "+",
        ]
        if limit is not None:
            command += ["COUNT", limit]
        entries = self._redis.call(*command)
        if not entries and self._cold:
            return self._cold.read(stream, after, limit)
        return [_event(entry) for entry in entries]

    def streams(self, partition: int) -> Iterator[str]:
        """Yield the name of every stream of a partition, archived ones last."""
        yield from self.live_streams(partition)
        if self._cold:
            yield from self._cold.streams(partition)

    def live_streams(self, partition: int) -> Iterator[str]:
        """Yield the name of every stream that is not archived, oldest first."""
        # All at once: pages by rank would pass over some while others are archived.
        yield from self._redis.call("ZRANGE", f"streams:{{{partition}}}", 0, -1)

    def check(self) -> None:
        """Do nothing if the log answers and was laid out as this code expects."""
        asked = ("HMGET", META_KEY, "partitions", "layout")
        found = self._redis.call(*asked)
        if None in found:  # written once only: a full log can still be checked
            found = self._redis.call_all(
                [
                    ("HSETNX", META_KEY, "partitions", PARTITIONS),
                    ("HSETNX", META_KEY, "layout", LAYOUT),
                    asked,
                ]
            )[2]
        if found != [str(PARTITIONS), LAYOUT]:
            raise LogDamaged(
                f"the log was begun with {found[0]} partitions in layout {found[1]}; "
                f"this version expects {PARTITIONS} in layout {LAYOUT}"
            )

    # -- following

    def follow(
        self, cursors: Mapping[int, str], limit: int = 500, wait_s: float = 0
    ) -> list[FeedEntry]:
        """Return feed entries after the cursors, waiting for the first if need be."""
        command: list[Argument] = ["XREAD", "COUNT", limit]
        if wait_s:
            command += ["BLOCK", int(wait_s * 1000)]
        command.append("STREAMS")
        command += [_feed(p) for p in range(PARTITIONS)]
        command += [cursors.get(p, BEGINNING) for p in range(PARTITIONS)]
        return _entries(self._redis.call_waiting(wait_s, *command))

    def feed_ends(self) -> dict[int, str]:
        """Return the cursor of the newest entry of each partition that has one."""
        replies = self._redis.call_all(
            [("XREVRANGE", _feed(p), "+", "-", "COUNT", 1) for p in range(PARTITIONS)]
        )
        return {p: reply[0][0] for p, reply in enumerate(replies) if reply}

    def join(self, group: str) -> FeedGroup:
        """Return a place in a consumer group, which is made if it is not there."""
        return _RedisFeedGroup(self._redis, group)

    def has_group(self, group: str) -> bool:
        """Tell whether a group was ever joined; it takes the last partition last."""
        return _has_group(self._redis, _feed(PARTITIONS - 1), group)

    def overdue(self, now_ms: int, limit: int = 100) -> list[str]:
        """Return streams whose deadline has passed, oldest deadline first."""
        range_ = ("-inf", now_ms, "WITHSCORES", "LIMIT", 0, limit)
        replies = self._redis.call_all(
            [("ZRANGEBYSCORE", _due(p), *range_) for p in range(PARTITIONS)]
        )
        found = [
            (float(reply[i + 1]), reply[i])
            for reply in replies
            for i in range(0, len(reply), 2)
        ]
        return [stream for _, stream in sorted(found)[:limit]]

    def postpone(self, stream: str, due_ms: int) -> None:
        """Move the deadline of a stream that still has one."""
        self._redis.call("ZADD", _due(partition_of(stream)), "XX", due_ms, stream)

    def keep_from(self, follower: str, cursors: Mapping[int, str]) -> None:
        """Tell the log what a follower has read, so that trimming spares the rest."""
        self._redis.call_all(
            [
                ("HSET", _followers(p), follower, cursors.get(p, BEGINNING))
                for p in range(PARTITIONS)
            ]
        )

    def followers(self) -> list[str]:
        """Return all for whom trimming spares something."""
        # Partition 0 is the first one to hear of a follower, and the last to forget it.
        return list(self._redis.call("HKEYS", _followers(0)))

    def forget(self, follower: str) -> None:
        """Spare nothing any more for a follower that will not come back."""
        partitions = reversed(range(PARTITIONS))
        self._redis.call_all([("HDEL", _followers(p), follower) for p in partitions])

    def trim(self, keep_s: float = 0) -> int:
        """Drop feed entries that every follower has read; return how many."""
        seconds, microseconds = map(int, self._redis.call("TIME"))
        now_ms = seconds * 1000 + microseconds // 1000
        spared = f"{now_ms - int(keep_s * 1000) + 1}-0"
        return sum(self._trim_partition(p, spared) for p in range(PARTITIONS))

    def _trim_partition(self, partition: int, spared: str) -> int:
        feed = _feed(partition)
        if not self._redis.call("EXISTS", feed):
            return 0
        groups = self._redis.call("XINFO", "GROUPS", feed)
        floors = list(self._redis.call("HVALS", _followers(partition)))
        for group in groups:
            facts = dict(zip(group[::2], group[1::2], strict=True))
            pending = self._redis.call("XPENDING", feed, facts["name"])
            floors.append(pending[1] if pending[0] else facts["last-delivered-id"])
        if not floors:
            return 0
        lowest = min([*floors, spared], key=_order)
        return int(self._redis.call("XTRIM", feed, "MINID", lowest))


def _appended(
    stream: str,
    expected: int,
    new_hash: str,
    key: IdempotencyKey | None,
    reply: list[Any],
) -> Appended:
    """Read the answer of the script."""
    match reply:
        case ["appended", first, last]:
            return Appended(first, last, Head(last, new_hash))
        case ["replayed", first, last]:
            return Appended(first, last, replayed=True)
        case ["reused"] if key:
            raise KeyReused(key.key)
        case ["damaged", version, count]:
            raise LogDamaged(
                f"{stream}: the state says version {version}, "
                f"but the stream holds {count} events"
            )
        case ["conflict", version, hash_, snapshot, tenant]:
            actual = State(Head(version, hash_), snapshot, tenant) if version else None
            raise VersionConflict(stream, expected, actual)
    raise LogDamaged(f"{stream}: the append script answered {reply!r}")


class _RedisFeedGroup:
    """One consumer group over the feeds of all partitions."""

    def __init__(self, redis: Connections, group: str) -> None:
        self._redis = redis
        self._group = group
        self._create()

    def take(self, member: str, limit: int = 100, wait_s: float = 0) -> list[FeedEntry]:
        """Return entries that no member has taken yet."""
        command: list[Argument] = ["XREADGROUP", "GROUP", self._group, member]
        command += ["COUNT", limit]
        if wait_s:
            command += ["BLOCK", int(wait_s * 1000)]
        command.append("STREAMS")
        command += [_feed(p) for p in range(PARTITIONS)]
        command += [">"] * PARTITIONS
        try:
            return _entries(self._redis.call_waiting(wait_s, *command))
        except ResponseError as error:
            if not str(error).startswith("NOGROUP"):
                raise
            self._create()  # the server came back empty: begin again at the start
            return []

    def take_over(self, member: str, idle_s: float) -> list[FeedEntry]:
        """Return entries that another member took and did not release in time."""
        replies = self._redis.call_all(
            [
                ("XAUTOCLAIM", _feed(p), self._group, member, int(idle_s * 1000), "0")
                for p in range(PARTITIONS)
            ]
        )
        return [
            _entry(p, entry)
            for p, reply in enumerate(replies)
            for entry in reply[1]
            if entry and entry[1]
        ]

    def release(self, entries: Sequence[FeedEntry]) -> None:
        """Acknowledge entries, partition by partition, in one write."""
        by_partition: dict[int, list[str]] = {}
        for entry in entries:
            by_partition.setdefault(entry.partition, []).append(entry.cursor)
        if by_partition:
            self._redis.call_all(
                [
                    ("XACK", _feed(p), self._group, *cursors)
                    for p, cursors in by_partition.items()
                ]
            )

    def forget_members(self, idle_s: float) -> int:
        """Remove members that were away for so long and hold no entry; how many."""
        arguments = (self._group, int(idle_s * 1000))
        return sum(
            self._redis.call_all(
                [
                    ("EVAL", FORGET_MEMBERS, 1, _feed(p), *arguments)
                    for p in range(PARTITIONS)
                ]
            )
        )

    def _create(self) -> None:
        """Make the group at the beginning of every feed that does not have it."""
        for partition in range(PARTITIONS):
            if _has_group(self._redis, _feed(partition), self._group):
                continue
            command = ("XGROUP", "CREATE", _feed(partition), self._group)
            try:
                self._redis.call(*command, BEGINNING, "MKSTREAM")
            except ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):  # another member did
                    raise


def _has_group(redis: Connections, feed: str, group: str) -> bool:
    if not redis.call("EXISTS", feed):
        return False
    return any(group == found[1] for found in redis.call("XINFO", "GROUPS", feed))


class Keys(NamedTuple):
    """The keys that concern a stream: its own, and those of its partition."""

    events: str
    state: str
    feed: str
    due: str
    streams: str
    archive: str


@lru_cache(maxsize=16384)
def keys_of(stream: str) -> Keys:
    """Return the keys that concern a stream."""
    p = partition_of(stream)
    return Keys(
        f"m:{{{p}}}:{stream}:ev",
        f"m:{{{p}}}:{stream}:st",
        _feed(p),
        _due(p),
        f"streams:{{{p}}}",
        f"archive:{{{p}}}",
    )


def _idempotency_key(stream: str, key: str) -> str:
    return f"m:{{{partition_of(stream)}}}:{stream}:i:{key}"


def _feed(partition: int) -> str:
    return f"feed:{{{partition}}}"


def _due(partition: int) -> str:
    return f"due:{{{partition}}}"


def _followers(partition: int) -> str:
    return f"followers:{{{partition}}}"


def _order(cursor: str) -> tuple[int, int]:
    milliseconds, number = cursor.split("-")
    return int(milliseconds), int(number)


def _event(entry: Any) -> StoredEvent:
    entry_id, (_, type_, _, at_ms, _, by, _, data) = entry
    version = int(entry_id.split("-")[0])
    return StoredEvent(version, unpack(type_), int(at_ms), unpack(by), unpack(data))


def _entry(partition: int, entry: Any) -> FeedEntry:
    cursor, (_, stream, _, first, _, last, _, tenant, _, awaits) = entry
    return FeedEntry(partition, cursor, stream, int(first), int(last), tenant, awaits)


def _entries(reply: Any) -> list[FeedEntry]:
    found = []
    for feed, entries in reply or ():
        partition = int(feed[len("feed:{") : -1])
        found += [_entry(partition, entry) for entry in entries]
    return found
