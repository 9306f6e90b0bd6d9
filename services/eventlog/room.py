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
        lacks = (_lack(info(server, "memory")) for server in self._redis.servers())
        return next(filter(None, lacks), "")


def _lack(facts: dict[str, Any]) -> str:
    """Return why a server takes nothing, from what it says of its memory."""
    limit = facts.get("maxmemory", 0)
    # What Redis sets aside for replicas and the file does not count (evict.c).
    uncounted = facts.get("mem_not_counted_for_evict", 0)
    held = facts.get("used_memory", 0) - uncounted
    if not limit or held <= limit:
        return ""
    return (
        f"the log holds {held // MEBIBYTE} of {limit // MEBIBYTE} MiB (maxmemory): "
        "events are refused; archive more, or raise it"
    )


def info(redis: Any, section: str) -> dict[str, Any]:
    """Return what a Redis server says of itself, by name; nothing if it may not."""
    try:
        return dict(redis.info(section))
    except ResponseError:  # an imitation, or rights that leave INFO out
        return {}
