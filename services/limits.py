"""Counters that expire: how often something happened in the present window of time."""

from services.eventlog.library import connect_redis
from services.names import redis_key


class Limits:
    """Counts in Redis, so that all API processes count together."""

    def __init__(self, redis_url: str) -> None:
        """Keep the counters beside the event log."""
        self._redis = connect_redis(redis_url)

    def count(self, name: str, window_s: int, now_s: int) -> int:
        """Count once more and return how often it was in this window."""
        key = redis_key("limit", name, str(now_s // window_s))
        with self._redis.pipeline(transaction=False) as pipe:
            counted, _ = pipe.incr(key).expire(key, window_s).execute()
        return int(counted)
