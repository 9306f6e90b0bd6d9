"""Whether the log takes events: what Redis holds, what it may hold, and its role."""

from typing import Any

from redis.exceptions import ResponseError

from services.eventlog.library import connect_redis

MEBIBYTE = 1024 * 1024

REPLICA = "this Redis is a replica, which takes no writes"

NO_DISK = 1
"""The maxmemory, in bytes, by which who watches its disk lets Redis refuse events."""


class Room:
    """Tells whether each Redis server takes more events."""

    def __init__(self, redis_url: str) -> None:
        """Ask the servers; nothing is opened before the first question."""
        self._redis = connect_redis(redis_url)

    def lack(self) -> str:
        """Return why the log takes no event, in words; nothing while it does.

        :raises LogUnavailable: a server does not answer.
        """
        for server in self._redis.servers():
            if is_replica(server):
                return REPLICA
            held, limit = held_by(server)
            if limit == NO_DISK:
                return "the disk of the log is nearly full: events are refused"
            if limit and held > limit:
                return (
                    f"the log holds {held // MEBIBYTE} of {limit // MEBIBYTE} MiB "
                    "(maxmemory): events are refused; archive more, or raise it"
                )
        return ""

    def held(self) -> tuple[int, int]:
        """Return how many bytes all hold, and how many they may; 0: any number.

        :raises LogUnavailable: a server does not answer.
        """
        held, limits = zip(*map(held_by, self._redis.servers()), strict=True)
        return sum(held), sum(limits)


def held_by(redis: Any) -> tuple[int, int]:
    """Return how many bytes a Redis server holds, and how many it may."""
    facts = info(redis, "memory")
    # What Redis sets aside for replicas and the file does not count (evict.c).
    uncounted = facts.get("mem_not_counted_for_evict", 0)
    return facts.get("used_memory", 0) - uncounted, facts.get("maxmemory", 0)


def is_replica(redis: Any) -> bool:
    """Tell whether a Redis server follows another one, as far as it says."""
    return info(redis, "replication").get("role") == "slave"


def info(redis: Any, section: str) -> dict[str, Any]:
    """Return what a Redis server says of itself, by name; nothing if it may not."""
    try:
        return dict(redis.info(section))
    except ResponseError:  # an imitation, or rights that leave INFO out
        return {}
