"""The limits that a tenant was given of its own, beside those of the settings."""

from collections.abc import Mapping

import orjson

from services.cache import Cache
from services.eventlog import LogUnavailable, later_format
from services.eventlog.library import connect_redis
from services.tenants.keys import BELIEVED_KEYS, BELIEVED_S, Keys

LIMITS = "tenants:limits"
LIMITS_FORMAT = 1


class GivenLimits:
    """Keeps what each tenant was given, beside the event log."""

    def __init__(self, redis_url: str, keys: Keys) -> None:
        """Keep it for the tenants that have *keys*."""
        self._redis = connect_redis(redis_url)
        self._keys = keys
        self._last: Cache[str, Mapping[str, int]] = Cache(BELIEVED_KEYS)
        self._known: Cache[str, Mapping[str, int]] = Cache(
            BELIEVED_KEYS, life_s=BELIEVED_S
        )

    def of(self, tenant_id: str) -> Mapping[str, int]:
        """Return the limits that a tenant was given of its own, by what they limit.

        A change is noticed within 5 s. While Redis does not answer, those that were
        known last apply: nothing fails for want of a limit.

        :raises LogDamaged: they were written by a later version.
        """
        known = self._known.get(tenant_id)
        if known is not None:
            return known
        try:
            known = self._known.put(tenant_id, self._read(tenant_id))
        except LogUnavailable:
            return self._last.get(tenant_id) or {}
        return self._last.put(tenant_id, known)

    def give(self, tenant: str, limits: Mapping[str, int | None]) -> Mapping[str, int]:
        """Give a tenant, by name or id, limits of its own; None takes one back.

        Returns all that it then has of its own.

        :raises NoSuchTenant: nobody has that name or id.
        """
        tenant_id = self._keys.find_tenant(tenant)
        merged = {**self._read(tenant_id), **limits}
        kept = {name: limit for name, limit in merged.items() if limit is not None}
        if kept:
            self._redis.hset(LIMITS, tenant_id, limits_text(kept))
        else:
            self._redis.hdel(LIMITS, tenant_id)
        return self._known.put(tenant_id, kept)

    def _read(self, tenant_id: str) -> Mapping[str, int]:
        text = self._redis.hget(LIMITS, tenant_id)
        return read_limits(text) if text else {}


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
