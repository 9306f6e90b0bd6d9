"""How much room the log has: what Redis holds, and what it may hold."""

from typing import Any

from redis.exceptions import ResponseError

from services.eventlog.library import connect_redis

MEBIBYTE = 1024 * 1024


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
            held, limit = held_by(server)
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


def info(redis: Any, section: str) -> dict[str, Any]:
    """Return what a Redis server says of itself, by name; nothing if it may not."""
    try:
        return dict(redis.info(section))
    except ResponseError:  # an imitation, or rights that leave INFO out
        return {}
