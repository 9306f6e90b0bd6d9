"""The feed on Redis: a stream for each partition, written by the append."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import ResponseError

from services.eventlog.connection import Connections
from services.eventlog.keys import key_of
from services.eventlog.port import FeedGroup
from services.eventlog.reading import (
    FEEDS,
    NEW,
    Reading,
    partition_of_feed,
    reading_of,
)
from services.eventlog.records import PARTITIONS, FeedEntry

FORGET_MEMBERS = (
    files("services.eventlog").joinpath("forget_members.lua").read_text("utf-8")
)
BEGINNING = "0-0"
ALL_NEW = (NEW,) * PARTITIONS
LAST_NUMBER = 2**64 - 1  # of a millisecond


class RedisFeed:
    """Keeps the port `Feed`."""

    _redis: Connections
    _reading: Reading

    def follow(
        self,
        cursors: Mapping[int, str],
        limit: int = 500,
        wait_s: float = 0,
        gather_s: float = 0,
    ) -> list[FeedEntry]:
        """Return feed entries after the cursors, waiting for the first if need be."""
        after = [cursors.get(p, BEGINNING) for p in range(PARTITIONS)]
        told = self._reading.read(("XREAD",), limit, after, wait_s, gather_s)
        return _read_entries(told)

    def feed_ends(self) -> dict[int, str]:
        """Return the cursor of the newest entry of each partition that has one."""
        replies = self._redis.call_all(
            [("XREVRANGE", FEEDS[p], "+", "-", "COUNT", 1) for p in range(PARTITIONS)]
        )
        return {p: reply[0][0] for p, reply in enumerate(replies) if reply}

    def join(self, group: str) -> FeedGroup:
        """Return a place in a consumer group, which is made if it is not there."""
        return RedisFeedGroup(self._redis, group)

    def has_group(self, group: str) -> bool:
        """Tell whether a group was ever joined; it takes the last partition last."""
        return group in _groups_of(self._redis, FEEDS[-1])

    def keep_from(self, follower: str, cursors: Mapping[int, str]) -> None:
        """Tell the log what a follower has read, so that trimming spares the rest."""
        self._redis.call_all(
            [
                ("HSET", key_of("followers", p), follower, cursors.get(p, BEGINNING))
                for p in range(PARTITIONS)
            ]
        )

    def followers(self) -> list[str]:
        """Return all for whom trimming spares something."""
        # Partition 0 is the first one to hear of a follower, and the last to forget it.
        return list(self._redis.call("HKEYS", key_of("followers", 0)))

    def forget(self, follower: str) -> None:
        """Spare nothing any more for a follower that will not come back."""
        partitions = reversed(range(PARTITIONS))
        self._redis.call_all(
            [("HDEL", key_of("followers", p), follower) for p in partitions]
        )

    def trim(self, keep_s: float = 0) -> int:
        """Drop feed entries that every follower has read; return how many."""
        seconds, microseconds = map(int, self._redis.call("TIME"))
        now_ms = seconds * 1000 + microseconds // 1000
        spared = f"{now_ms - int(keep_s * 1000) + 1}-0"
        return sum(self._trim_partition(p, spared) for p in range(PARTITIONS))

    def _trim_partition(self, partition: int, spared: str) -> int:
        feed = FEEDS[partition]
        if not self._redis.call("EXISTS", feed):
            return 0
        floors = list(self._redis.call("HVALS", key_of("followers", partition)))
        for group, last_taken in _groups_of(self._redis, feed).items():
            held, oldest_held, *_ = self._redis.call("XPENDING", feed, group)
            floors.append(oldest_held if held else last_taken)
        if not floors:
            return 0
        lowest = min([*floors, spared], key=_order)
        return int(self._redis.call("XTRIM", feed, "MINID", lowest))


class RedisFeedGroup:
    """One consumer group over the feeds of all partitions."""

    def __init__(self, redis: Connections, group: str) -> None:
        self._redis = redis
        self._reading = reading_of(redis)
        self._group = group
        self._create()

    def take(
        self, member: str, limit: int = 100, wait_s: float = 0, gather_s: float = 0
    ) -> list[FeedEntry]:
        """Return entries that no member has taken yet."""
        reads = ("XREADGROUP", "GROUP", self._group, member)
        try:
            told = self._reading.read(reads, limit, ALL_NEW, wait_s, gather_s)
            return _read_entries(told)
        except ResponseError as error:
            if not str(error).startswith("NOGROUP"):
                raise
            self._create()  # the server came back empty: begin again at the start
            return []

    def take_over(self, member: str, idle_s: float) -> list[FeedEntry]:
        """Return entries that another member took and did not release in time."""
        replies = self._redis.call_all(
            [
                (
                    "XAUTOCLAIM",
                    FEEDS[p],
                    self._group,
                    member,
                    int(idle_s * 1000),
                    "0",
                )
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
                    ("XACK", FEEDS[p], self._group, *cursors)
                    for p, cursors in by_partition.items()
                ]
            )

    def cursors(self) -> dict[int, str]:
        """Return up to where all entries of each partition are done with."""
        replies = self._redis.call_all(
            [
                command
                for feed in FEEDS
                for command in (
                    ("XINFO", "GROUPS", feed),
                    ("XPENDING", feed, self._group),
                )
            ]
        )
        done = {}
        for p in range(PARTITIONS):
            groups, (held, oldest_held, *_) = replies[2 * p : 2 * p + 2]
            done[p] = _last_taken(groups)[self._group]
            if held:
                done[p] = _before(oldest_held)
        return done

    def forget_members(self, idle_s: float) -> int:
        """Remove members that were away for so long and hold no entry; how many."""
        arguments = (self._group, int(idle_s * 1000))
        return sum(
            self._redis.call_all(
                [
                    ("EVAL", FORGET_MEMBERS, 1, FEEDS[p], *arguments)
                    for p in range(PARTITIONS)
                ]
            )
        )

    def _create(self) -> None:
        """Make the group at the beginning of every feed that does not have it."""
        for partition in range(PARTITIONS):
            if self._group in _groups_of(self._redis, FEEDS[partition]):
                continue
            command = ("XGROUP", "CREATE", FEEDS[partition], self._group)
            try:
                self._redis.call(*command, BEGINNING, "MKSTREAM")
            except ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):  # another member did
                    raise


def _groups_of(redis: Connections, feed: str) -> dict[str, str]:
    """Return the groups of a feed, each with the cursor of what it took last."""
    if not redis.call("EXISTS", feed):
        return {}
    return _last_taken(redis.call("XINFO", "GROUPS", feed))


def _last_taken(reply: Any) -> dict[str, str]:
    """Return what each group took last, of a reply to XINFO GROUPS."""
    groups = [dict(zip(group[::2], group[1::2], strict=True)) for group in reply]
    return {group["name"]: group["last-delivered-id"] for group in groups}


def _entry(partition: int, entry: Any) -> FeedEntry:
    cursor, (_, stream, _, first, _, last, _, tenant, _, awaits) = entry
    return FeedEntry(partition, cursor, stream, int(first), int(last), tenant, awaits)


def _read_entries(reply: Any) -> list[FeedEntry]:
    """Return the entries in what was read."""
    entries_read = []
    for feed, entries in reply:
        partition = partition_of_feed(feed)
        entries_read += [_entry(partition, entry) for entry in entries]
    return entries_read


def _before(cursor: str) -> str:
    """Return a cursor after which that one comes, and none between them."""
    milliseconds, number = _order(cursor)
    if number:
        return f"{milliseconds}-{number - 1}"
    return f"{milliseconds - 1}-{LAST_NUMBER}"


def _order(cursor: str) -> tuple[int, int]:
    milliseconds, number = cursor.split("-")
    return int(milliseconds), int(number)
