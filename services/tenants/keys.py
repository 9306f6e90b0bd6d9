"""Tenants and their API keys, kept outside the streams.

A tenant has an id, ``ten_...``, which events and players see, and a name, which only
its operator does. The id is made with the first key of a name, and stays. Its sandbox,
``ten_sandbox_...``, is a tenant like others, whose id follows from that of the tenant.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import structlog

from services.cache import Cache
from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis
from services.languages import Explained, Message
from services.names import check_name, is_sandbox, sandbox_of
from services.tenants.api_key import (
    LABEL_LENGTH,
    ApiKey,
    digest_of,
    id_of_key,
    key_text,
    make_key,
    read_key,
)

KEYS = "tenants:keys"
USED = "tenants:keys:used"
IDS = "tenants:ids"
ID_PREFIX = "ten_"
LOCAL_TENANT = "ten_local"
GUEST_TENANT = "ten_guest"
BELIEVED_S = 4.0
"""So long is believed what was read; a change is noticed within 5 s."""

BELIEVED_KEYS = 10_000  # guesses must not fill the memory
NOTED_EVERY_MS = 60_000
MOST_KEYS = 1_000
"""That a tenant can make, with those that are no longer valid: these are never
forgotten, or a backup from before would make them valid again. The operator may make
more."""

log = structlog.get_logger()

T = TypeVar("T")


class NoSuchKey(Explained):
    """There is no API key of that id."""

    def __init__(self, key_id: str) -> None:
        """Say which."""
        super().__init__(Message("there is no API key {key!r}", key=key_id))


class InvalidKey(Explained):
    """A key was revoked, or its time is over: it has no successor."""


class NoSuchTenant(Exception):
    """Nobody of that name or id has ever had a key."""

    def __init__(self, name: str) -> None:
        """Say which."""
        super().__init__(f"there is no tenant {name!r}; `seedlog keys list` shows them")


class InvalidLabel(ValueError):
    """No key can be labelled so; says how one can."""


class TooManyKeys(Explained):
    """The tenant has as many keys as it may."""

    def __init__(self, limit: int) -> None:
        """Keep how many those are."""
        super().__init__(
            Message(
                "a tenant has {most} keys at most, with its former ones", most=limit
            )
        )
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Rotated:
    """A successor as text, what is kept of it, and the key before it as it is now."""

    secret: str
    successor: ApiKey
    former: ApiKey
    is_made: bool


class Keys:
    """Creates, finds, rotates and revokes API keys; who has one is a tenant."""

    def __init__(self, redis_url: str) -> None:
        """Keep the keys beside the event log."""
        self._redis = connect_redis(redis_url)
        self._believed: Cache[str, ApiKey] = Cache(BELIEVED_KEYS, life_s=BELIEVED_S)
        self._noted: Cache[str, int] = Cache(BELIEVED_KEYS)

    def create_key(
        self,
        tenant: str,
        label: str = "",
        role: str = "admin",
        expires_at_ms: int = 0,
        *,
        sandbox: bool = False,
    ) -> tuple[str, ApiKey]:
        """Return a new key, to be shown once, and what is kept of it.

        *tenant* is a name, or an id; the key may be one of its *sandbox*.

        :raises InvalidName: it can be neither.
        :raises InvalidLabel: it is too long, or holds what is not seen.
        """
        if len(label) > LABEL_LENGTH or not label.isprintable():
            raise InvalidLabel(
                f"a label has at most {LABEL_LENGTH} characters, all of which are seen"
            )
        secret = make_key(sandbox=sandbox or is_sandbox(tenant))
        key, _ = self.register_key(
            secret, tenant, label, role, expires_at_ms, sandbox=sandbox
        )
        return secret, key

    def register_key(
        self,
        secret: str,
        tenant: str,
        label: str = "",
        role: str = "admin",
        expires_at_ms: int = 0,
        request: str = "",
        most: int | None = None,
        *,
        sandbox: bool = False,
    ) -> tuple[ApiKey, bool]:
        """Keep the hash of a key that was made elsewhere; do so once or often.

        Returns what is kept, and whether that was made now. *most*: how many keys the
        tenant may have; its operator may make more.

        :raises TooManyKeys: the tenant has as many as it may.
        """
        digest = digest_of(secret)
        if earlier := self._load(digest):
            return earlier, False
        own_id = self._id_of(check_name("tenant", tenant))
        tenant_id = sandbox_of(own_id) if sandbox else own_id
        if most is not None and len(self.keys_of(tenant_id)) >= most:
            raise TooManyKeys(most)
        key = ApiKey(
            id_of_key(digest),
            tenant_id,
            label,
            _now_ms(),
            tenant_name="" if tenant == own_id else tenant,
            role=role,
            expires_at_ms=expires_at_ms,
            request=request,
        )
        is_made = bool(self._redis.hsetnx(KEYS, digest, key_text(key)))
        return self._load(digest) or key, is_made

    def find_key(
        self, secret: str, before_asking: Callable[[], None] = lambda: None
    ) -> ApiKey | None:
        """Return the key if it is valid; a revocation is noticed within 5 s.

        *before_asking* may refuse to look for a key that was never used here. That one
        is unknown is not remembered: the log that has it may be back in a moment.
        """
        digest = digest_of(secret)
        key = self._believed.get(digest)
        if key is None:
            if self._noted.get(id_of_key(digest)) is None:
                before_asking()
            key = self._load(digest)
            if key is None:
                return None
            self._believed.put(digest, key)
            self._note_use(key)
        return key if key.status(_now_ms()) == "valid" else None

    def is_known(self, secret: str) -> bool:
        """Tell whether there is such a key, valid or not."""
        return self._load(digest_of(secret)) is not None

    def list_keys(self) -> list[ApiKey]:
        """Return all keys, oldest first."""
        keys = map(read_key, self._redis.hvals(KEYS))
        return sorted(keys, key=lambda key: key.created_at_ms)

    def keys_of(self, *tenant_ids: str) -> list[ApiKey]:
        """Return the keys of tenants, oldest first."""
        return [key for key in self.list_keys() if key.tenant in tenant_ids]

    def find(self, key_id: str, tenant: str) -> ApiKey:
        """Return a key of a tenant, or of its sandbox.

        :raises NoSuchKey: there is none of that id.
        """
        _, key = _find(self._redis.hgetall(KEYS), key_id, tenant)
        return key

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
        most: int | None = None,
    ) -> Rotated:
        """Make a successor; the key itself is valid for *overlap_ms* more, no longer.

        The successor may do the same, for as long as the key could, counted from now.
        *tenant*: whose key it has to be, or that of its sandbox; with a *secret* that
        was a successor before, it is that.

        :raises NoSuchKey: there is none of that id.
        :raises InvalidKey: it is no longer valid.
        :raises TooManyKeys: the tenant has as many as it may.
        """

        def rotate(pipe: Any) -> Rotated:
            records = pipe.hgetall(KEYS)
            digest, key = _find(records, key_id, tenant)
            made = secret or make_key(sandbox=is_sandbox(key.tenant))
            if earlier := records.get(digest_of(made)):
                pipe.multi()
                return Rotated(made, read_key(earlier), key, is_made=False)
            now_ms = _now_ms()
            if key.status(now_ms) != "valid":
                raise InvalidKey(
                    Message("the API key {key!r} was revoked", key=key_id)
                    if key.status(now_ms) == "revoked"
                    else Message("the API key {key!r} is expired", key=key_id)
                )
            keys = [read_key(record) for record in records.values()]
            count = sum(other.tenant == key.tenant for other in keys)
            if most is not None and count >= most:
                raise TooManyKeys(most)
            life_ms = key.expires_at_ms and key.expires_at_ms - key.created_at_ms
            successor = replace(
                key,
                id=id_of_key(digest_of(made)),
                created_at_ms=now_ms,
                expires_at_ms=life_ms and now_ms + life_ms,
                request=request,
            )
            ends_at_ms = now_ms + overlap_ms
            if not 0 < key.expires_at_ms < ends_at_ms:
                key = replace(key, expires_at_ms=ends_at_ms)
            pipe.multi()
            pipe.hset(KEYS, digest_of(made), key_text(successor))
            pipe.hset(KEYS, digest, key_text(key))
            return Rotated(made, successor, key, is_made=True)

        return self._change(rotate)

    def revoke_key(self, key_id: str, tenant: str = "") -> ApiKey:
        """Make a key invalid, for ever. *tenant*: whose it has to be, or its sandbox's.

        Its successors stay: they are keys of their own.

        :raises NoSuchKey: there is none of that id.
        """

        def revoke(pipe: Any) -> ApiKey:
            digest, key = _find(pipe.hgetall(KEYS), key_id, tenant)
            key = replace(key, revoked=True)
            pipe.multi()
            pipe.hset(KEYS, digest, key_text(key))
            return key

        return self._change(revoke)

    def find_tenant(self, name: str) -> str:
        """Return the id of a tenant that has one of its keys, or had.

        :raises NoSuchTenant: nobody has that name or id.
        """
        tenant_id = self._redis.hget(IDS, name) or name
        if not any(key.tenant == tenant_id for key in self.list_keys()):
            raise NoSuchTenant(name)
        return str(tenant_id)

    def _change(self, change: Callable[[Any], T]) -> T:
        """Change keys on what was read of them: nobody writes in between."""
        result: T = self._redis.transaction(change, KEYS, value_from_callable=True)
        return result

    def _note_use(self, key: ApiKey) -> None:
        """Note that a key is used, now and then."""
        now_ms = _now_ms()
        if now_ms - (self._noted.get(key.id) or 0) >= NOTED_EVERY_MS:
            self._noted.put(key.id, now_ms)
            try:
                self._redis.hset(USED, key.id, now_ms)
            except LogUnavailable as why:  # one that is full, or a replica, is read
                log.info("use of a key not noted", key=key.id, reason=str(why))

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


def _find(records: Mapping[str, str], key_id: str, tenant: str) -> tuple[str, ApiKey]:
    for digest, record in records.items():
        key = read_key(record)
        is_theirs = not tenant or key.tenant in (tenant, sandbox_of(tenant))
        if key.id == key_id and is_theirs:
            return digest, key
    raise NoSuchKey(key_id)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
