"""Groups that share the feed on Redis, and its entries."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis.exceptions import ResponseError

from services.eventlog.connection import Argument, Connections
from services.eventlog.keys import feed_key
from services.eventlog.records import PARTITIONS, FeedEntry

FORGET_MEMBERS = (
    files("services.eventlog").joinpath("forget_members.lua").read_text("utf-8")
)
BEGINNING = "0-0"


class RedisFeedGroup:
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
        command += [feed_key(p) for p in range(PARTITIONS)]
        command += [">"] * PARTITIONS
        try:
            return read_entries(self._redis.call_waiting(wait_s, *command))
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
                    feed_key(p),
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
                    ("XACK", feed_key(p), self._group, *cursors)
                    for p, cursors in by_partition.items()
                ]
            )

    def forget_members(self, idle_s: float) -> int:
        """Remove members that were away for so long and hold no entry; how many."""
        arguments = (self._group, int(idle_s * 1000))
        return sum(
            self._redis.call_all(
                [
                    ("EVAL", FORGET_MEMBERS, 1, feed_key(p), *arguments)
                    for p in range(PARTITIONS)
                ]
            )
        )

    def _create(self) -> None:
        """Make the group at the beginning of every feed that does not have it."""
        for partition in range(PARTITIONS):
            if self._group in groups_of(self._redis, feed_key(partition)):
                continue
            command = ("XGROUP", "CREATE", feed_key(partition), self._group)
            try:
                self._redis.call(*command, BEGINNING, "MKSTREAM")
            except ResponseError as error:
                if not str(error).startswith("BUSYGROUP"):  # another member did
                    raise


def groups_of(redis: Connections, feed: str) -> dict[str, str]:
    """Return the groups of a feed, each with the cursor of what it took last."""
    if not redis.call("EXISTS", feed):
        return {}
    groups = [
        dict(zip(group[::2], group[1::2], strict=True))
        for group in redis.call("XINFO", "GROUPS", feed)
    ]
    return {group["name"]: group["last-delivered-id"] for group in groups}


def _entry(partition: int, entry: Any) -> FeedEntry:
    cursor, (_, stream, _, first, _, last, _, tenant, _, awaits) = entry
    return FeedEntry(partition, cursor, stream, int(first), int(last), tenant, awaits)


def read_entries(reply: Any) -> list[FeedEntry]:
    """Return the entries in a reply to XREAD or XREADGROUP."""
    found = []
    for feed, entries in reply or ():
        partition = int(feed[len("feed:{") : -1])
        found += [_entry(partition, entry) for entry in entries]
    return found
