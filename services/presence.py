"""Which processes live, and how they write: each says so beside the log.

So whoever is asked for the health of a stack can tell what is missing, also where it
has no way to the queue that workers listen to.

Keys::

    living:<process>  sorted set: a process of that kind with the replicas that must
                      hold what it writes, <name>:<replicas>, and until when that is
                      believed
"""

import secrets
import threading
import time
from collections.abc import Iterable, Mapping

from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis
from services.names import redis_key

TOLD_EVERY_S = 2.0
BELIEVED_S = 8.0


class Presence:
    """Says that a process lives, and tells how many of each kind do."""

    def __init__(self, redis_url: str) -> None:
        """Use the Redis of the log; nothing is contacted yet."""
        self._redis = connect_redis(redis_url)

    def keep(self, process: str, replicas: int) -> None:
        """Say from now on, in a thread, that this process lives.

        And for how many *replicas* it waits: what an event is held by depends on who
        writes it.
        """
        name = f"{secrets.token_hex(8)}:{replicas}"

        def say() -> None:
            while True:
                self.tell(process, name)
                time.sleep(TOLD_EVERY_S)

        threading.Thread(target=say, name="presence", daemon=True).start()

    def tell(self, process: str, name: str) -> None:
        """Say once that a process lives; what is not heard is said again."""
        now_s, key = time.time(), redis_key("living", process)
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.zadd(key, {name: now_s + BELIEVED_S})
                pipe.zremrangebyscore(key, "-inf", now_s)
                pipe.execute()
        except LogUnavailable:
            return

    def count(self, processes: Iterable[str]) -> Mapping[str, int]:
        """Return how many of each of these kinds live.

        :raises LogUnavailable: Redis does not answer.
        """
        kinds, now_s = list(processes), time.time()
        with self._redis.pipeline(transaction=False) as pipe:
            for kind in kinds:
                pipe.zcount(redis_key("living", kind), now_s, "+inf")
            return dict(zip(kinds, pipe.execute(), strict=True))

    def replicas(self, processes: Iterable[str]) -> Mapping[str, set[int]]:
        """Return for how many replicas those of each kind wait that say so.

        :raises LogUnavailable: Redis does not answer.
        """
        kinds, now_s = list(processes), time.time()
        with self._redis.pipeline(transaction=False) as pipe:
            for kind in kinds:
                pipe.zrangebyscore(redis_key("living", kind), now_s, "+inf")
            told = zip(kinds, pipe.execute(), strict=True)
        return {
            kind: {int(name.partition(":")[2]) for name in names if ":" in name}
            for kind, names in told
        }
