"""Requests whose effect no stream holds: what they came to is known for an hour.

So a request that is repeated with its idempotency key comes to the same.
"""

from services.eventlog.errors import KeyReused
from services.eventlog.library import connect_redis
from services.eventlog.records import IdempotencyKey
from services.names import redis_key

KNOWN_S = 3600


class Requests:
    """What requests of one kind came to, by their idempotency keys."""

    def __init__(self, redis_url: str, kind: str) -> None:
        """Keep it beside the log, in a key that names the kind."""
        self._redis = connect_redis(redis_url)
        self._prefix = f"{kind}-request"

    def find(self, key: IdempotencyKey) -> str | None:
        """Return what an earlier request with this key came to.

        :raises KeyReused: the key came before with another request.
        """
        earlier = self._redis.get(self._name(key))
        if earlier is None:
            return None
        digest, _, result = earlier.partition(" ")
        if not key.fits(digest):
            raise KeyReused(key.key)
        return str(result)

    def keep(self, key: IdempotencyKey, result: str) -> str | None:
        """Keep what a request comes to; or return what an earlier one with the key did.

        :raises KeyReused: the key came before with another request.
        """
        record = f"{key.digest} {result}"
        while not self._redis.set(self._name(key), record, nx=True, ex=KNOWN_S):
            earlier = self.find(key)
            if earlier is not None:  # it has not ended just now
                return earlier
        return None

    def _name(self, key: IdempotencyKey) -> str:
        return redis_key(self._prefix, key.key)
