"""How many streams each tenant has open, counted by the processes that hold them.

Likewise, by the id of a match of guests, how many look on there.

A process knows its own streams exactly, and tells Redis of them every few seconds; what
a process that died has told is believed for half a minute. So a tenant may have a few
more than it may if several processes take streams within the same seconds.
"""

import secrets
import time
from collections.abc import Mapping

from services.eventlog.library import connect_redis
from services.names import redis_key

TOLD_EVERY_S = 2.0
BELIEVED_S = 30


class Crowds:
    """The open streams of tenants, process by process."""

    def __init__(self, redis_url: str) -> None:
        """Share counts over the Redis of the log, as a process of its own."""
        self._redis = connect_redis(redis_url)
        self._name = secrets.token_hex(8)
        self._told: set[str] = set()

    def tell(self, counts: Mapping[str, int]) -> None:
        """Tell how many streams each tenant has open in this process, all of them.

        :raises LogUnavailable: Redis does not answer; tell it again.
        """
        until_s = int(time.time()) + BELIEVED_S
        present = {tenant for tenant, count in counts.items() if count}
        with self._redis.pipeline(transaction=False) as pipe:
            for tenant in present:
                pipe.hset(_key(tenant), self._name, f"{counts[tenant]} {until_s}")
                pipe.expire(_key(tenant), 2 * BELIEVED_S)
            for tenant in self._told - present:
                pipe.hdel(_key(tenant), self._name)
            pipe.execute()
        self._told = present

    def used(self, tenant: str) -> int:
        """Return how many streams a tenant, or a match, has open in all processes."""
        return self._sum(tenant, with_own=True)

    def elsewhere(self, tenant: str) -> int:
        """Return how many streams a tenant has open in other processes."""
        return self._sum(tenant, with_own=False)

    def _sum(self, tenant: str, *, with_own: bool) -> int:
        now_s, total, dead = time.time(), 0, []
        for name, told in self._redis.hgetall(_key(tenant)).items():
            count, until_s = told.split(" ")
            if int(until_s) < now_s:
                dead.append(name)
            elif with_own or name != self._name:
                total += int(count)
        if dead:
            self._redis.hdel(_key(tenant), *dead)
        return total


def _key(tenant: str) -> str:
    return redis_key("followers-of", tenant)
