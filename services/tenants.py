"""Tenants and their API keys, kept outside the streams. A key is stored as its hash.

A tenant has an id, ``ten_...``, which events and players see, and a name, which only
its operator does. The id is made with the first key of a name, and stays.
"""

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace

import orjson

from services.cache import Cache
from services.eventlog.library import connect_redis
from services.names import check_name

KEYS = "tenants:keys"
USED = "tenants:keys:used"
IDS = "tenants:ids"
ID_PREFIX = "ten_"
KEY_PREFIX = "sk_"
LOCAL_TENANT = "ten_local"
GUEST_TENANT = "ten_guest"
BELIEVED_S = 5.0
BELIEVED_KEYS = 10_000  # guesses must not fill the memory
NOTED_EVERY_MS = 60_000
MOST_KEYS = 1_000
"""Of one tenant, with those that are no longer valid: these are never forgotten, or a
backup from before would make them valid again."""

ROLES = ("read", "play", "admin")
"""What a key may do; each may do what those before it may."""


class NoSuchKey(Exception):
    """There is no API key of that id."""

    def __init__(self, key_id: str) -> None:
        """Say which."""
        super().__init__(f"there is no API key {key_id!r}")


class InvalidKey(Exception):
    """A key was revoked, or its time is over: it has no successor."""


class TooManyKeys(Exception):
    """The tenant has as many keys as it may."""

    def __init__(self) -> None:
        """Say how many."""
        super().__init__(f"a tenant has {MOST_KEYS} keys at most, with its former ones")
        self.limit = MOST_KEYS


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of an API key; the key itself is known to its owner alone.

    ``expires_at_ms`` is 0 where it does not; ``request`` the digest of the request that
    made it, if that may be repeated.
    """

    id: str
    tenant: str
    label: str
    created_at_ms: int
    revoked: bool = False
    tenant_name: str = ""
    role: str = "admin"
    expires_at_ms: int = 0
    request: str = ""

    def status(self, now_ms: int) -> str:
        """Return ``valid``, ``expired`` or ``revoked``."""
        if self.revoked:
            return "revoked"
        is_over = 0 < self.expires_at_ms <= now_ms
        return "expired" if is_over else "valid"

    def may(self, role: str) -> bool:
        """Tell whether the key may do what a role may."""
        return ROLES.index(role) <= ROLES.index(self.role)


class Tenants:
    """Creates, finds, rotates and revokes API keys."""

    def __init__(self, redis_url: str) -> None:
        """Keep the keys beside the event log."""
        self._redis = connect_redis(redis_url)
        self._believed: Cache[str, tuple[ApiKey | None]] = Cache(
            BELIEVED_KEYS, life_s=BELIEVED_S
        )
        self._noted: Cache[str, int] = Cache(BELIEVED_KEYS)

    def create_key(
        self,
        tenant: str,
        label: str = "",
        role: str = "admin",
        expires_at_ms: int = 0,
    ) -> tuple[str, ApiKey]:
        """Return a new key, to be shown once, and what is kept of it.

        *tenant* is a name, or an id.

        :raises InvalidName: it can be neither.
        :raises TooManyKeys: the tenant has as many as it may.
        """
        secret = make_key()
        made = self.register_key(secret, tenant, label, role, expires_at_ms)
        return secret, made

    def register_key(
        self,
        secret: str,
        tenant: str,
        label: str = "",
        role: str = "admin",
        expires_at_ms: int = 0,
        request: str = "",
    ) -> ApiKey:
        """Keep the hash of a key that was made elsewhere; do so once or often.

        :raises TooManyKeys: the tenant has as many as it may.
        """
        digest = _digest(secret)
        if earlier := self._load(digest):
            return earlier
        tenant_id = self._id_of(check_name("tenant", tenant))
        if len(self.keys_of(tenant_id)) >= MOST_KEYS:
            raise TooManyKeys
        key = ApiKey(
            f"key_{digest[:12]}",
            tenant_id,
            label,
            _now_ms(),
            tenant_name="" if tenant == tenant_id else tenant,
            role=role,
            expires_at_ms=expires_at_ms,
            request=request,
        )
        self._redis.hsetnx(KEYS, digest, key_text(key))
        return self._load(digest) or key

    def find_key(self, secret: str) -> ApiKey | None:
        """Return the key if it is valid; a revocation is noticed within 5 s."""
        digest = _digest(secret)
        believed = self._believed.get(digest)
        if believed is None:
            key = self._load(digest)
            believed = self._believed.put(digest, (key,))
            self._note_use(key)
        [key] = believed
        return key if key and key.status(_now_ms()) == "valid" else None

    def list_keys(self) -> list[ApiKey]:
        """Return all keys, oldest first."""
        keys = map(read_key, self._redis.hvals(KEYS))
        return sorted(keys, key=lambda key: key.created_at_ms)

    def keys_of(self, tenant_id: str) -> list[ApiKey]:
        """Return the keys of a tenant, oldest first."""
        return [key for key in self.list_keys() if key.tenant == tenant_id]

    def last_used_ms(self) -> Mapping[str, int]:
        """Return when keys were last used, by id, to the minute or so."""
        used: dict[str, str] = self._redis.hgetall(USED)
        return {key_id: int(at_ms) for key_id, at_ms in used.items()}

    def rotate_key(
        self,
        key_id: str,
        overlap_ms: int,
        tenant: str = "",
        secret: str = "",
        request: str = "",
    ) -> tuple[str, ApiKey, ApiKey]:
        """Make a successor; the key itself is valid for *overlap_ms* more, no longer.

        The successor may do the same, for as long as the key could. Returns it as text,
        what is kept of it, and the key as it is now. *tenant*: whose key it has to be;
        with a *secret* that was a successor before, it is that.

        :raises NoSuchKey: there is none of that id.
        :raises InvalidKey: it is no longer valid.
        :raises TooManyKeys: the tenant has as many as it may.
        """
        digest, key = self._find(key_id, tenant)
        secret = secret or make_key()
        successor = self._load(_digest(secret))
        now_ms = _now_ms()
        if successor is None:
            if key.status(now_ms) != "valid":
                raise InvalidKey(f"the API key {key_id!r} is {key.status(now_ms)}")
            life_ms = key.expires_at_ms and key.expires_at_ms - key.created_at_ms
            expires_at_ms = life_ms and now_ms + life_ms
            successor = self.register_key(
                secret, key.tenant, key.label, key.role, expires_at_ms, request
            )
            ends_at_ms = now_ms + max(overlap_ms, 1)
            if not 0 < key.expires_at_ms < ends_at_ms:
                key = self._put(digest, replace(key, expires_at_ms=ends_at_ms))
        return secret, successor, key

    def revoke_key(self, key_id: str, tenant: str = "") -> ApiKey:
        """Make a key invalid. *tenant*: whose it has to be.

        :raises NoSuchKey: there is none of that id.
        """
        digest, key = self._find(key_id, tenant)
        return self._put(digest, replace(key, revoked=True))

    def _find(self, key_id: str, tenant: str) -> tuple[str, ApiKey]:
        for digest, record in self._redis.hgetall(KEYS).items():
            key = read_key(record)
            if key.id == key_id and tenant in ("", key.tenant):
                return digest, key
        raise NoSuchKey(key_id)

    def _put(self, digest: str, key: ApiKey) -> ApiKey:
        self._redis.hset(KEYS, digest, key_text(key))
        return key

    def _note_use(self, key: ApiKey | None) -> None:
        """Note that a key is used, now and then."""
        now_ms = _now_ms()
        if key and now_ms - (self._noted.get(key.id) or 0) >= NOTED_EVERY_MS:
            self._noted.put(key.id, now_ms)
            self._redis.hset(USED, key.id, now_ms)

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
        return read_key(record) if record else None


def make_key() -> str:
    """Return a new API key."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def key_text(key: ApiKey) -> str:
    """Return a key as Redis keeps it: what is as usual is left out.

    So the usual key is read by versions from before there were roles, too.
    """
    record = {
        field.name: value
        for field in fields(key)
        if (value := getattr(key, field.name)) != field.default
        or field.default is MISSING
        or field.name in ("revoked", "tenant_name")
    }
    return orjson.dumps(record).decode()


def read_key(text: str) -> ApiKey:
    """Return a key as Redis keeps it."""
    return ApiKey(**orjson.loads(text))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
