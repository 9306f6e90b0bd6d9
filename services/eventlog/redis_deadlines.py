"""Deadlines and alarms on Redis: sorted sets of each partition, kept by the append."""

from collections.abc import Mapping
from importlib.resources import files

from services.eventlog.connection import Argument, Connections
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS, partition_of

UNTIL = files("services.eventlog").joinpath("until.lua").read_text("utf-8")


class RedisDeadlines:
    """Keeps the ports `Deadlines` and `Alarms`."""

    _redis: Connections

    def overdue(self, now_ms: int, limit: int = 100) -> list[str]:
        """Return streams whose deadline has passed, oldest deadline first."""
        return list(self._until("due", now_ms, limit))

    def deadlines(self) -> int:
        """Return how many streams have a deadline, passed or not."""
        counted = [("ZCARD", key_of("due", p)) for p in range(PARTITIONS)]
        return sum(self._redis.call_all(counted))

    def postpone(self, due_ms: Mapping[str, int]) -> None:
        """Move the deadlines of those of the streams that still have one."""
        self._move("due", due_ms)

    def alarms(self, until_ms: int, limit: int = 1000) -> dict[str, int]:
        """Return the streams whose time comes until then, by it, the earliest first."""
        return self._until("alarms", until_ms, limit)

    def put_off(self, alarm_ms: Mapping[str, int]) -> None:
        """Move the alarms of those of the streams that still have one."""
        self._move("alarms", alarm_ms)

    def _until(self, name: str, until_ms: int, limit: int) -> dict[str, int]:
        # Somebody asks 25 times a second: by one script, where it may have all keys.
        asked: list[list[Argument]] = []
        for group in self._redis.groups_of(range(PARTITIONS)):
            keys = [key_of(name, p) for p in group]
            asked.append(["EVAL", UNTIL, len(keys), *keys, until_ms, limit])
        due = [
            (int(float(reply[i + 1])), reply[i])
            for reply in self._redis.call_all(asked)
            for i in range(0, len(reply), 2)
        ]
        return {stream: at for at, stream in sorted(due)[:limit]}

    def _move(self, name: str, times_ms: Mapping[str, int]) -> None:
        by_partition: dict[int, list[Argument]] = {}
        for stream, at_ms in times_ms.items():
            by_partition.setdefault(partition_of(stream), []).extend((at_ms, stream))
        self._redis.call_all(
            [
                ("ZADD", key_of(name, p), "XX", *pairs)
                for p, pairs in by_partition.items()
            ]
        )
