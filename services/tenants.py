"""Tenants and their API keys, kept outside the streams. A key is stored as its hash.

A tenant has an id, ``ten_...``, which events and players see, and a name, which only
its operator does. The id is made with the first key of a name, and stays. Its sandbox,
``ten_sandbox_...``, is a tenant like others, whose id follows from that of the tenant.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, TypeVar

import orjson

from services.cache import Cache
from services.eventlog import LogUnavailable, later_format
from services.eventlog.library import connect_redis
from services.languages import Explained, Message
from services.names import check_name, is_sandbox, sandbox_of

KEYS = "tenants:keys"
USED = "tenants:keys:used"
IDS = "tenants:ids"
LIMITS = "tenants:limits"
LIMITS_FORMAT = 1
ORIGINS = "tenants:origins"
ORIGINS_FORMAT = 1
MOST_ORIGINS = 20
ORIGIN = re.compile(
    r"https?://(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?"
)
"""Nothing else may stand in it: it is written into headers."""

ID_PREFIX = "ten_"
KEY_PREFIX, SANDBOX_KEY_PREFIX = "sk_", "sk_test_"
LOCAL_TENANT = "ten_local"
GUEST_TENANT = "ten_guest"
BELIEVED_S = 4.0
BELIEVED_KEYS = 10_000  # guesses must not fill the memory
NOTED_EVERY_MS = 60_000
MOST_KEYS = 1_000
"""That a tenant can make, with those that are no longer valid: these are never
forgotten, or a backup from before would make them valid again. The operator may make
more."""

LABEL_LENGTH = 60
T = TypeVar("T")

ROLES = ("read", "play", "admin")
"""What a key may do; each may do what those before it may."""


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


class InvalidOrigin(ValueError):
    """No browser sends that as an origin; says how one is written."""


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


@dataclass(frozen=True, slots=True)
class Rotated:
    """A successor as text, what is kept of it, and the key before it as it is now."""

    secret: str
    successor: ApiKey
    former: ApiKey
    is_made: bool


class Tenants:
    """Creates, finds, rotates and revokes API keys."""

    def __init__(self, redis_url: str) -> None:
        """Keep the keys beside the event log."""
        self._redis = connect_redis(redis_url)
        self._believed: Cache[str, tuple[ApiKey | None]] = Cache(
            BELIEVED_KEYS, life_s=BELIEVED_S
        )
        self._noted: Cache[str, int] = Cache(BELIEVED_KEYS)
        self._last_limits: Cache[str, Mapping[str, int]] = Cache(BELIEVED_KEYS)
        self._limits: Cache[str, Mapping[str, int]] = Cache(
            BELIEVED_KEYS, life_s=BELIEVED_S
        )
        self._origins: Cache[str, Mapping[str, frozenset[str]]] = Cache(
            1, life_s=BELIEVED_S
        )

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
        digest = _digest(secret)
        if earlier := self._load(digest):
            return earlier, False
        own_id = self._id_of(check_name("tenant", tenant))
        tenant_id = sandbox_of(own_id) if sandbox else own_id
        if most is not None and len(self.keys_of(tenant_id)) >= most:
            raise TooManyKeys(most)
        key = ApiKey(
            _key_id(digest),
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

        *before_asking* may refuse to look for a key that was never used here.
        """
        digest = _digest(secret)
        believed = self._believed.get(digest)
        if believed is None:
            if self._noted.get(_key_id(digest)) is None:
                before_asking()
            key = self._load(digest)
            believed = self._believed.put(digest, (key,))
            self._note_use(key)
        [key] = believed
        return key if key and key.status(_now_ms()) == "valid" else None

    def is_known(self, secret: str) -> bool:
        """Tell whether there is such a key, valid or not."""
        return self._load(_digest(secret)) is not None

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
            if earlier := records.get(_digest(made)):
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
                id=_key_id(_digest(made)),
                created_at_ms=now_ms,
                expires_at_ms=life_ms and now_ms + life_ms,
                request=request,
            )
            ends_at_ms = now_ms + max(overlap_ms, 1)
            if not 0 < key.expires_at_ms < ends_at_ms:
                key = replace(key, expires_at_ms=ends_at_ms)
            pipe.multi()
            pipe.hset(KEYS, _digest(made), key_text(successor))
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

    def limits_of(self, tenant_id: str) -> Mapping[str, int]:
        """Return the limits that a tenant was given of its own, by what they limit.

        A change is noticed within 5 s. While Redis does not answer, those that were
        known last apply: nothing fails for want of a limit.

        :raises LogDamaged: they were written by a later version.
        """
        known = self._limits.get(tenant_id)
        if known is not None:
            return known
        try:
            known = self._limits.put(tenant_id, self._read_limits(tenant_id))
        except LogUnavailable:
            return self._last_limits.get(tenant_id) or {}
        return self._last_limits.put(tenant_id, known)

    def limit(self, tenant: str, limits: Mapping[str, int | None]) -> Mapping[str, int]:
        """Give a tenant, by name or id, limits of its own; None takes one back.

        Returns all that it then has of its own.

        :raises NoSuchTenant: nobody has that name or id.
        """
        tenant_id = self.find_tenant(tenant)
        merged = {**self._read_limits(tenant_id), **limits}
        kept = {name: limit for name, limit in merged.items() if limit is not None}
        if kept:
            self._redis.hset(LIMITS, tenant_id, limits_text(kept))
        else:
            self._redis.hdel(LIMITS, tenant_id)
        return self._limits.put(tenant_id, kept)

    def let_in(self, tenant: str, origins: Sequence[str] | None) -> tuple[str, ...]:
        """Let pages of these origins, and no others, call for a tenant.

        Returns those that are let in; without *origins* nothing changes.

        :raises NoSuchTenant: nobody has that name or id.
        :raises InvalidOrigin: one is none, or there are too many.
        """
        tenant_id = self.find_tenant(tenant)
        if origins is not None:
            named = tuple(dict.fromkeys(origin.lower() for origin in origins))
            check_origins(named)
            if named:
                self._redis.hset(ORIGINS, tenant_id, origins_text(named))
            else:
                self._redis.hdel(ORIGINS, tenant_id)
            self._origins.put("", self._read_origins())
            return named
        text = self._redis.hget(ORIGINS, tenant_id)
        return read_origins(text) if text else ()

    def origins_of(self, tenant_id: str) -> frozenset[str]:
        """Return the origins whose pages may call for a tenant."""
        return self._all_origins().get(tenant_id, frozenset())

    def lets_in(self, origin: str) -> bool:
        """Tell whether any tenant lets pages of an origin in."""
        return any(origin in named for named in self._all_origins().values())

    def have_origins(self) -> bool:
        """Tell whether any tenant lets pages of other origins in."""
        return bool(self._all_origins())

    def _all_origins(self) -> Mapping[str, frozenset[str]]:
        """Return the origins of every tenant that has some.

        A change is noticed within 5 s. While Redis does not answer nobody is let in.
        """
        known = self._origins.get("")
        if known is not None:
            return known
        try:
            return self._origins.put("", self._read_origins())
        except LogUnavailable:
            return {}

    def _read_origins(self) -> Mapping[str, frozenset[str]]:
        told = self._redis.hgetall(ORIGINS)
        return {name: frozenset(read_origins(text)) for name, text in told.items()}

    def find_tenant(self, name: str) -> str:
        """Return the id of a tenant that has one of its keys, or had.

        :raises NoSuchTenant: nobody has that name or id.
        """
        tenant_id = self._redis.hget(IDS, name) or name
        if not any(key.tenant == tenant_id for key in self.list_keys()):
            raise NoSuchTenant(name)
        return str(tenant_id)

    def _read_limits(self, tenant_id: str) -> Mapping[str, int]:
        text = self._redis.hget(LIMITS, tenant_id)
        return read_limits(text) if text else {}

    def _change(self, change: Callable[[Any], T]) -> T:
        """Change keys on what was read of them: nobody writes in between."""
        result: T = self._redis.transaction(change, KEYS, value_from_callable=True)
        return result

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


def _find(records: Mapping[str, str], key_id: str, tenant: str) -> tuple[str, ApiKey]:
    for digest, record in records.items():
        key = read_key(record)
        is_theirs = not tenant or key.tenant in (tenant, sandbox_of(tenant))
        if key.id == key_id and is_theirs:
            return digest, key
    raise NoSuchKey(key_id)


def make_key(*, sandbox: bool = False) -> str:
    """Return a new API key, which shows whether it is one of a sandbox."""
    return key_prefix(sandbox=sandbox) + secrets.token_urlsafe(32)


def key_prefix(*, sandbox: bool) -> str:
    """Return what a key begins with."""
    return SANDBOX_KEY_PREFIX if sandbox else KEY_PREFIX


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


def limits_text(limits: Mapping[str, int]) -> str:
    """Return the limits of a tenant as Redis keeps them."""
    return orjson.dumps({"format": LIMITS_FORMAT, **limits}).decode()


def read_limits(text: str) -> Mapping[str, int]:
    """Return the limits of a tenant as Redis keeps them.

    :raises LogDamaged: they were written by a later version.
    """
    record = orjson.loads(text)
    if (written := record.pop("format")) != LIMITS_FORMAT:
        raise later_format(LIMITS, written, LIMITS_FORMAT)
    return dict(record)


def check_origins(origins: Sequence[str]) -> None:
    """Refuse what no browser sends as an origin, and more than a tenant may name.

    :raises InvalidOrigin: saying what would have been right.
    """
    if len(origins) > MOST_ORIGINS:
        raise InvalidOrigin(f"a tenant has {MOST_ORIGINS} origins at most")
    for origin in origins:
        if not ORIGIN.fullmatch(origin):
            raise InvalidOrigin(
                "an origin is written as browsers send it, https://app.example or "
                "http://localhost:3000, with nothing after the port, not "
                f"{origin[:80]!r}"
            )


def origins_text(origins: Sequence[str]) -> str:
    """Return the origins of a tenant as Redis keeps them."""
    return orjson.dumps({"format": ORIGINS_FORMAT, "origins": origins}).decode()


def read_origins(text: str) -> tuple[str, ...]:
    """Return the origins of a tenant as Redis keeps them.

    :raises LogDamaged: they were written by a later version.
    """
    record = orjson.loads(text)
    if (written := record["format"]) != ORIGINS_FORMAT:
        raise later_format(ORIGINS, written, ORIGINS_FORMAT)
    return tuple(record["origins"])


def read_key(text: str) -> ApiKey:
    """Return a key as Redis keeps it."""
    return ApiKey(**orjson.loads(text))


def _key_id(digest: str) -> str:
    return f"key_{digest[:12]}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
