"""What a request leaves in Redis, but for what only says how often and when."""

import re
from collections import Counter
from typing import Any

from services.eventlog.library import connect_redis

PASSING = ("rate:", "tenants:keys:used", "{lobby}:until", "{lobby}:turn")
"""Counters of requests, and until when somebody waits: each request moves them."""

TIMED = ("{view:matches}:opening",)
"""Sorted sets whose members alone count: their times are those of the last request."""

_OF_PARTITION = re.compile(r"[a-z]+:\{\d+\}")
_NAMES = re.compile(r"[a-z]{3}_[\w-]{10,}|[0-9a-f]{12,}|(?<=[:_/.{-])\d+")


def traces(redis_url: str) -> dict[str, Any]:
    """Return everything that a Redis holds, by key."""
    redis: Any = connect_redis(redis_url)
    readers = {
        "string": redis.get,
        "hash": redis.hgetall,
        "set": redis.smembers,
        "list": lambda key: redis.lrange(key, 0, -1),
        "zset": lambda key: redis.zrange(key, 0, -1, withscores=True),
        "stream": redis.xrange,
    }
    keys = [key for key in redis.scan_iter() if not key.startswith(PASSING)]
    found = {key: readers[redis.type(key)](key) for key in sorted(keys)}
    return {
        key: [name for name, _ in value] if key.startswith(TIMED) else value
        for key, value in found.items()
    }


def kinds(found: dict[str, Any]) -> Counter[str]:
    """Return how much there is of each kind of key: names and numbers are left out.

    In how many partitions two matches lie is chance.
    """
    counted: Counter[str] = Counter()
    for key, value in found.items():
        family = _NAMES.sub("#", key)
        counted[family] += not _OF_PARTITION.fullmatch(key)
        counted[f"{family} holds"] += 1 if isinstance(value, str) else len(value)
    return counted


def difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what has come, gone or changed."""
    return {
        key: (before.get(key), after.get(key))
        for key in {*before, *after}
        if before.get(key) != after.get(key)
    }
