"""Tenants and their API keys, kept outside the streams. A key is stored as its hash.

A tenant has an id, ``ten_...``, which events and players see, and a name, which only
its operator does. The id is made with the first key of a name, and stays.
"""

import hashlib
import secrets
import time
from dataclasses import asdict, dataclass

import orjson

from services.cache import Cache
from services.eventlog.library import connect_redis
from services.names import check_name

KEYS = "tenants:keys"
IDS = "tenants:ids"
ID_PREFIX = "ten_"
KEY_PREFIX = "sk_"
LOCAL_TENANT = "ten_local"
GUEST_TENANT = "ten_guest"
BELIEVED_S = 5.0
BELIEVED_KEYS = 10_000  # guesses must not fill the memory


class NoSuchKey(Exception):
    """There is no API key of that id."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of an API key; the key itself is known to its owner alone."""

    id: str
    tenant: str
    label: str
    created_at_ms: int
    revoked: bool = False
    tenant_name: str = ""


class Tenants:
    """Creates, finds and revokes API keys."""

    def __init__(self, redis_url: str) -> None:
        """Keep the keys beside the event log."""
        self._redis = connect_redis(redis_url)
        self._believed: Cache[str, tuple[ApiKey | None]] = Cache(
            BELIEVED_KEYS, life_s=BELIEVED_S
        )

    def create_key(self, tenant: str, label: str = "") -> tuple[str, ApiKey]:
        """Return a new key, to be shown once, and what is kept of it.

        *tenant* is a name, or an id.

        :raises InvalidName: it can be neither.
        """
        secret = KEY_PREFIX + secrets.token_urlsafe(32)
        return secret, self.register_key(secret, tenant, label)

    def register_key(self, secret: str, tenant: str, label: str = "") -> ApiKey:
        """Keep the hash of a key that was made elsewhere; do so once or often."""
        digest = _digest(secret)
        tenant_id = self._id_of(check_name("tenant", tenant))
        key = ApiKey(
            f"key_{digest[:12]}",
            tenant_id,
            label,
            int(time.time() * 1000),
            tenant_name="" if tenant == tenant_id else tenant,
        )
        self._redis.hsetnx(KEYS, digest, orjson.dumps(asdict(key)))
        return self._load(digest) or key

    def find_key(self, secret: str) -> ApiKey | None:
        """Return the key if it is valid; a revocation is noticed within 5 s."""
        digest = _digest(secret)
        believed = self._believed.get(digest)
        if believed is None:
            believed = self._believed.put(digest, (self._load(digest),))
        [key] = believed
        return None if key is None or key.revoked else key

    def list_keys(self) -> list[ApiKey]:
        """Return all keys, oldest first."""
        keys = [ApiKey(**orjson.loads(text)) for text in self._redis.hvals(KEYS)]
        return sorted(keys, key=lambda key: key.created_at_ms)

    def revoke_key(self, key_id: str) -> ApiKey:
        """Make a key invalid.

        :raises NoSuchKey: there is none of that id.
        """
        for digest, record in self._redis.hgetall(KEYS).items():
            key = ApiKey(**orjson.loads(record))
            if key.id == key_id:
                revoked = ApiKey(**{**asdict(key), "revoked": True})
                self._redis.hset(KEYS, digest, orjson.dumps(asdict(revoked)))
                return revoked
        raise NoSuchKey(key_id)

    def _id_of(self, name: str) -> str:
        """Return the id of a tenant: an id is itself, a name gets one of its own.

        A name that had keys before there were ids is its own id, as its events have it.
        """
        if name.startswith(ID_PREFIX):
            return name
        had_keys = any(name == key.tenant for key in self.list_keys())
        made = name if had_keys else f"{ID_PREFIX}{secrets.token_hex(8)}"
        self._redis.hsetnx(IDS, name, made)
        return str(self._redis.hget(IDS, name))

    def _load(self, digest: str) -> ApiKey | None:
        record = self._redis.hget(KEYS, digest)
        return ApiKey(**orjson.loads(record)) if record else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
