"""How much room the log has: what Redis holds, and what it may hold."""

from redis.exceptions import ResponseError

from services.eventlog.connection import Connections

MEBIBYTE = 1024 * 1024


class Room:
    """Tells whether one Redis server takes more events."""

    def __init__(self, redis_url: str) -> None:
        """Ask a server; nothing is opened before the first question."""
        self._redis = Connections(redis_url)

    def lack(self) -> str:
        """Return why the log takes no event, in words; nothing while it does.

        :raises LogUnavailable: the server does not answer.
        """
        facts = info(self._redis, "memory")
        limit = int(facts.get("maxmemory", 0))
        # What Redis sets aside for replicas and the file does not count (evict.c).
        uncounted = int(facts.get("mem_not_counted_for_evict", 0))
        held = int(facts.get("used_memory", 0)) - uncounted
        if not limit or held <= limit:
            return ""
        return (
            f"the log holds {held // MEBIBYTE} of {limit // MEBIBYTE} MiB (maxmemory): "
            "events are refused; archive more, or raise it"
        )


def info(redis: Connections, section: str) -> dict[str, str]:
    """Return what a Redis server says of itself, by name; nothing if it may not."""
    try:
        lines = str(redis.call("INFO", section)).splitlines()
    except ResponseError:  # an imitation, or rights that leave INFO out
        return {}
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name: value for name, _, value in pairs}
