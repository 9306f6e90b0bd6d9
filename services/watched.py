"""Matches that anybody may find and look on: those of guests who met by chance.

All other matches of guests are shown to nobody who was not told their id. A list beside
the log: what is lost of it is seen by fewer, and played on.
"""

from services.eventlog.library import connect_redis
from services.names import redis_key

MOST = 60
KEPT_S = 24 * 3600


class Watched:
    """The ids of those matches, by when they were opened."""

    def __init__(self, redis_url: str) -> None:
        """Keep them beside the log."""
        self._redis = connect_redis(redis_url)
        self._key = redis_key("watched", "guests")

    def show(self, match_id: str, opened_ms: int) -> None:
        """Let a match be found that was opened then, in ms since 1970."""
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.zadd(self._key, {match_id: opened_ms})
            pipe.zremrangebyrank(self._key, 0, -MOST - 1)
            pipe.expire(self._key, KEPT_S)
            pipe.execute()

    def hide(self, match_id: str) -> None:
        """Show a match no longer: it is over, or no more."""
        self._redis.zrem(self._key, match_id)

    def newest(self) -> list[str]:
        """Return the matches, the newest first."""
        return list(self._redis.zrevrange(self._key, 0, MOST - 1))
