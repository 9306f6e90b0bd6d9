"""Deadlines on Redis: a sorted set for each partition, written by the append."""

from collections.abc import Mapping

from services.eventlog.connection import Argument, Connections
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS, partition_of


class RedisDeadlines:
    """Keeps the port `Deadlines`."""

    _redis: Connections

    def overdue(self, now_ms: int, limit: int = 100) -> list[str]:
        """Return streams whose deadline has passed, oldest deadline first."""
        range_ = ("-inf", now_ms, "WITHSCORES", "LIMIT", 0, limit)
        replies = self._redis.call_all(
            [("ZRANGEBYSCORE", key_of("due", p), *range_) for p in range(PARTITIONS)]
        )
        due = [
            (float(reply[i + 1]), reply[i])
            for reply in replies
            for i in range(0, len(reply), 2)
        ]
        return [stream for _, stream in sorted(due)[:limit]]

    def postpone(self, due_ms: Mapping[str, int]) -> None:
        """Move the deadlines of those of the streams that still have one."""
        by_partition: dict[int, list[Argument]] = {}
        for stream, due in due_ms.items():
            by_partition.setdefault(partition_of(stream), []).extend((due, stream))
        self._redis.call_all(
            [
                ("ZADD", key_of("due", p), "XX", *pairs)
                for p, pairs in by_partition.items()
            ]
        )
