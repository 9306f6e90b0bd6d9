"""The origins whose pages may call the API for a tenant, and show its matches."""

import re
import threading
import time
from collections.abc import Mapping, Sequence

import orjson

from services.eventlog import LogUnavailable, later_format
from services.eventlog.library import connect_redis
from services.tenants.keys import BELIEVED_S, Keys

ORIGINS = "tenants:origins"
ORIGINS_FORMAT = 1
MOST_ORIGINS = 20
AGAIN_S = 1.0
"""So long after Redis did not answer it is not asked again."""

ORIGIN = re.compile(
    r"https?://(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?"
)
"""Nothing else may stand in it: it is written into headers."""


class InvalidOrigin(ValueError):
    """No browser sends that as an origin; says how one is written."""


class Origins:
    """Keeps which origins each tenant lets in, beside the event log."""

    def __init__(self, redis_url: str, keys: Keys) -> None:
        """Keep them for the tenants that have *keys*."""
        self._redis = connect_redis(redis_url)
        self._keys = keys
        self._known: Mapping[str, frozenset[str]] | None = None
        self._ask_at = 0.0
        self._lock = threading.Lock()

    def let_in(self, tenant: str, origins: Sequence[str] | None) -> tuple[str, ...]:
        """Let pages of these origins, and no others, call for a tenant.

        Returns those that are let in; without *origins* nothing changes.

        :raises NoSuchTenant: nobody has that name or id.
        :raises InvalidOrigin: one is none, or there are too many.
        """
        tenant_id = self._keys.find_tenant(tenant)
        if origins is not None:
            named = tuple(dict.fromkeys(origin.lower() for origin in origins))
            check_origins(named)
            if named:
                self._redis.hset(ORIGINS, tenant_id, origins_text(named))
            else:
                self._redis.hdel(ORIGINS, tenant_id)
            self._believe(self._read(), BELIEVED_S)
            return named
        text = self._redis.hget(ORIGINS, tenant_id)
        return read_origins(text) if text else ()

    def of(self, tenant_id: str) -> frozenset[str]:
        """Return the origins whose pages may call for a tenant."""
        return self._all().get(tenant_id, frozenset())

    def lets_in(self, origin: str) -> bool:
        """Tell whether any tenant lets pages of an origin in."""
        return any(origin in named for named in self._all().values())

    def are_there(self) -> bool:
        """Tell whether any tenant lets pages of other origins in."""
        return bool(self._all())

    def _all(self) -> Mapping[str, frozenset[str]]:
        """Return the origins of every tenant that has some.

        A change is noticed within 5 s. While Redis does not answer nobody is let in.
        Nearly every answer depends on this: so one asks at a time, and not at once
        again, while for all others what was known last will do.
        """
        is_old = time.monotonic() >= self._ask_at
        if is_old and self._lock.acquire(blocking=self._known is None):
            try:
                if time.monotonic() >= self._ask_at:  # nobody has asked meanwhile
                    self._believe(self._read(), BELIEVED_S)
            except LogUnavailable:
                self._believe({}, AGAIN_S)
            finally:
                self._lock.release()
        return self._known or {}

    def _believe(self, known: Mapping[str, frozenset[str]], for_s: float) -> None:
        self._known, self._ask_at = known, time.monotonic() + for_s

    def _read(self) -> Mapping[str, frozenset[str]]:
        told = self._redis.hgetall(ORIGINS)
        return {name: frozenset(read_origins(text)) for name, text in told.items()}


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
