"""The event log on Redis streams; one script call records everything or nothing.

Keys, all of one partition under one hash tag, so that a cluster keeps them together::

    m:{p}:<stream>:ev        the events, id <version>-0, fields t a b d (see `phrases`)
    m:{p}:<stream>:st        v version, h head hash, s snapshot, t tenant,
                             u version that replicas may not hold (see `replicas`)
    m:{p}:<stream>:i:<key>   idempotency: first and last version, digest
    feed:{p}                 s stream, f first, l last, t tenant, w who is awaited
    due:{p}                  deadlines of streams
    streams:{p}              names of streams by time of birth
    archive:{p}              where archived streams lie
    followers:{p}            what each follower has read, so that trimming spares it
    fence:{p}                nothing; it is written to wait for the replicas
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from redis.exceptions import NoScriptError

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
    Note,
    Replication,
    State,
    VersionConflict,
    partition_of,
)
from services.eventlog.redis_feed import (
    BEGINNING,
    RedisFeedGroup,
    feed_key,
    has_group,
    read_entries,
)
from services.eventlog.replicas import MARK, Replicas

SCRIPT = files("services.eventlog").joinpath("append.lua").read_text("utf-8")
SCRIPT_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()
META_KEY = "seedlog:log"
LAYOUT = "1"


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

        So must they hold whatever is read of a stream. What is not in Redis is looked
        for in *cold*, the archive, if there is one.
        """
        self._redis = Connections(url, timeout_s=timeout_s, script=SCRIPT)
        self._ttl_s = idempotency_ttl_s
        self._replicas = Replicas(self._redis, replicas, int(timeout_s * 500))
        self._cold = cold

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
            1 if self._replicas.wanted else "",
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
            reply = self._run(stream, command)
        except LostConnection:
            was_lost = True
            reply = self._run(stream, command)
        if was_lost and reply[0] == "conflict":
            last = head.version + len(events)
            if self.read(stream, head.version, len(events)) == list(events):
                return Appended(head.version + 1, last, Head(last, new_hash))
        if key and reply[0] == "reused" and (earlier := self.find_key(stream, key)):
            return earlier  # its record was made by a former version
        return _appended(stream, head.version, new_hash, key, reply)

    def _run(self, stream: str, command: list[Argument]) -> list[Any]:
        """Run the script, and return its reply when the replicas hold what it tells."""
        replicas = self._replicas
        before, after = [], []
        if replicas.wanted:
            before, after = replicas.take_unmarks(), [replicas.wait]
        replies = self._redis.call_all_once([*before, command, *after])
        if isinstance(replies[len(before)], NoScriptError):
            command = ["EVAL", SCRIPT, *command[2:]]
            replies = self._redis.call_all_once([command, *after])
            before = []
        reply = list(replies[len(before)])
        if after and reply[0] == "appended":
            replicas.check(replies[-1])
            replicas.note_held(keys_of(stream).state, str(reply[2]))
        elif after:  # nothing was written, so nothing was waited for
            replicas.await_all(partition_of(stream))
        return reply

    def await_replicas(self) -> None:
        """Return when the replicas hold all that was written until now."""
        self._replicas.await_all(0)

    def replication(self) -> Replication:
        """Return how many replicas an append waits for, and how many keep up."""
        return self._replicas.count()

    # -- reading

    def load(self, stream: str) -> State | None:
        """Return head and snapshot, or None where there is no such stream."""
        state = keys_of(stream).state
        marked = (MARK,) if self._replicas.wanted else ()
        reply = self._redis.call("HMGET", state, "v", "h", "s", "t", *marked)
        version, hash_, snapshot, tenant, *marks = reply
        if version is None:
            return self._cold.load(stream) if self._cold else None
        for mark in marks:
            self._replicas.await_marked(state, partition_of(stream), mark)
        return State(Head(int(version), hash_), snapshot, tenant)

    def find_key(self, stream: str, key: IdempotencyKey) -> Appended | None:
        """Return what an earlier request with this key recorded."""
        record = self._redis.call("GET", _idempotency_key(stream, key.key))
        if record is None:
            return None
        first, last, digest = record.split(" ", 2)
        if not key.fits(digest):
            raise KeyReused(key.key)
        self._replicas.await_all(partition_of(stream))
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
        if not self._replicas.wanted:
            entries = self._redis.call(*command)
        else:  # the mark after the events: one that was there for them may go, if held
            state = keys_of(stream).state
            entries, mark = self._redis.call_all([command, ("HGET", state, MARK)])
            if entries:
                self._replicas.await_marked(state, partition_of(stream), mark)
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
        found = self._redis.call_all([*self._replicas.take_unmarks(), asked])[-1]
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
        command += [feed_key(p) for p in range(PARTITIONS)]
        command += [cursors.get(p, BEGINNING) for p in range(PARTITIONS)]
        return read_entries(self._redis.call_waiting(wait_s, *command))

    def feed_ends(self) -> dict[int, str]:
        """Return the cursor of the newest entry of each partition that has one."""
        replies = self._redis.call_all(
            [
                ("XREVRANGE", feed_key(p), "+", "-", "COUNT", 1)
                for p in range(PARTITIONS)
            ]
        )
        return {p: reply[0][0] for p, reply in enumerate(replies) if reply}

    def join(self, group: str) -> FeedGroup:
        """Return a place in a consumer group, which is made if it is not there."""
        return RedisFeedGroup(self._redis, group)

    def has_group(self, group: str) -> bool:
        """Tell whether a group was ever joined; it takes the last partition last."""
        return has_group(self._redis, feed_key(PARTITIONS - 1), group)

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

    def postpone(self, due_ms: Mapping[str, int]) -> None:
        """Move the deadlines of those of the streams that still have one."""
        by_partition: dict[int, list[Argument]] = {}
        for stream, due in due_ms.items():
            by_partition.setdefault(partition_of(stream), []).extend((due, stream))
        self._redis.call_all(
            [("ZADD", _due(p), "XX", *pairs) for p, pairs in by_partition.items()]
        )

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
        feed = feed_key(partition)
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
        feed_key(p),
        _due(p),
        f"streams:{{{p}}}",
        f"archive:{{{p}}}",
    )


def _idempotency_key(stream: str, key: str) -> str:
    return f"m:{{{partition_of(stream)}}}:{stream}:i:{key}"


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
