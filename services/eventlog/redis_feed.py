"""The feed on Redis: a stream for each partition, written by the append."""

from collections.abc import Mapping

from services.eventlog.connection import Argument, Connections
from services.eventlog.keys import feed_key, followers_key
from services.eventlog.port import FeedGroup
from services.eventlog.records import PARTITIONS, FeedEntry
from services.eventlog.redis_groups import (
    BEGINNING,
    RedisFeedGroup,
    groups_of,
    read_entries,
)


class RedisFeed:
    """Keeps the port `Feed`."""

    _redis: Connections

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
        return group in groups_of(self._redis, feed_key(PARTITIONS - 1))

    def keep_from(self, follower: str, cursors: Mapping[int, str]) -> None:
        """Tell the log what a follower has read, so that trimming spares the rest."""
        self._redis.call_all(
            [
                ("HSET", followers_key(p), follower, cursors.get(p, BEGINNING))
                for p in range(PARTITIONS)
            ]
        )

    def followers(self) -> list[str]:
        """Return all for whom trimming spares something."""
        # Partition 0 is the first one to hear of a follower, and the last to forget it.
        return list(self._redis.call("HKEYS", followers_key(0)))

    def forget(self, follower: str) -> None:
        """Spare nothing any more for a follower that will not come back."""
        partitions = reversed(range(PARTITIONS))
        self._redis.call_all([("HDEL", followers_key(p), follower) for p in partitions])

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
        floors = list(self._redis.call("HVALS", followers_key(partition)))
        for group, last_taken in groups_of(self._redis, feed).items():
            held, oldest_held, *_ = self._redis.call("XPENDING", feed, group)
            floors.append(oldest_held if held else last_taken)
        if not floors:
            return 0
        lowest = min([*floors, spared], key=_order)
        return int(self._redis.call("XTRIM", feed, "MINID", lowest))


def _order(cursor: str) -> tuple[int, int]:
    milliseconds, number = cursor.split("-")
    return int(milliseconds), int(number)
