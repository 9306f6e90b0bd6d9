"""Endpoints: where a tenant's webhooks go, what they tell, and how that has gone.

An endpoint is a hash in Redis; times are milliseconds since 1970. ``since_ms`` is a
time of Redis: what is in the feed from then on is told.
"""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.client import Pipeline

from services.eventlog import IdempotencyKey, KeyReused
from services.webhooks import keys
from services.webhooks.endpoint import (
    DISABLED,
    ENABLED,
    PREFIX,
    REQUESTED,
    Done,
    Endpoint,
    NoSuchEndpoint,
    TooManyEndpoints,
)

REQUEST_TTL_S = 3_600
PARTS = ("lanes", "over", "due", "deliveries", "numbers", "settled")
CANCEL = files("services.webhooks").joinpath("cancel.lua").read_text("utf-8")


class Endpoints:
    """Keeps the endpoints of all tenants."""

    def __init__(self, redis: "Redis", most: Callable[[str], int | None]) -> None:
        """Keep them beside the event log; *most* tells how many a tenant may have."""
        self._redis = redis
        self._most = most

    # -- reading

    def find(self, endpoint_id: str, tenant: str | None = None) -> Endpoint:
        """Return an endpoint, of a tenant if one is named.

        :raises NoSuchEndpoint: there is none, or it is another's.
        """
        fields: Any = self._redis.hgetall(keys.endpoint_key(endpoint_id))
        if not fields or tenant not in (None, fields["tenant"]):
            raise NoSuchEndpoint(endpoint_id)
        return Endpoint.from_fields(endpoint_id, fields)

    def of_tenant(self, tenant: str) -> list[Endpoint]:
        """Return the endpoints of a tenant, oldest first."""
        return self.of_tenants([tenant])[tenant]

    def of_tenants(self, tenants: Iterable[str]) -> dict[str, list[Endpoint]]:
        """Return the endpoints of each of some tenants, oldest first."""
        asked = list(dict.fromkeys(tenants))
        with self._redis.pipeline(transaction=False) as pipeline:
            for tenant in asked:
                pipeline.smembers(keys.of_tenant(tenant))
            ids = pipeline.execute()
            for endpoint_id in (i for members in ids for i in sorted(members)):
                pipeline.hgetall(keys.endpoint_key(endpoint_id))
            records = iter(pipeline.execute())
        of: dict[str, list[Endpoint]] = {}
        for tenant, members in zip(asked, ids, strict=True):
            pairs = [(endpoint_id, next(records)) for endpoint_id in sorted(members)]
            known = [Endpoint.from_fields(*pair) for pair in pairs if pair[1]]
            of[tenant] = sorted(known, key=lambda endpoint: endpoint.created_ms)
        return of

    def tenants_of(self, endpoint_ids: Iterable[str]) -> dict[str, str]:
        """Return the tenant of each of some endpoints; "" of one that is no more."""
        asked = list(endpoint_ids)
        with self._redis.pipeline(transaction=False) as pipeline:
            for endpoint_id in asked:
                pipeline.hget(keys.endpoint_key(endpoint_id), "tenant")
            found = pipeline.execute()
        return {i: tenant or "" for i, tenant in zip(asked, found, strict=True)}

    def count(self, tenant: str) -> int:
        """Return how many endpoints a tenant has."""
        count: Any = self._redis.scard(keys.of_tenant(tenant))
        return int(count)

    # -- writing

    def create(
        self,
        tenant: str,
        url: str,
        events: Iterable[str],
        now_ms: int,
        key: IdempotencyKey | None = None,
    ) -> Done:
        """Make an endpoint that is told of what happens from now on.

        :raises TooManyEndpoints: the tenant has as many as it may.
        :raises KeyReused: the key came before with another request.
        """
        endpoint = Endpoint(
            id=PREFIX + secrets.token_hex(12),
            tenant=tenant,
            url=url,
            events=tuple(events),
            created_ms=now_ms,
            since_ms=self.redis_ms(),
        )

        most = self._most(tenant)

        def act(pipeline: "Pipeline") -> str:
            if pipeline.sismember(keys.of_tenant(tenant), endpoint.id):
                pipeline.multi()
                return endpoint.id  # it was made: the reply to that was lost
            used = int(pipeline.scard(keys.of_tenant(tenant)))
            if most is not None and used >= most:
                raise TooManyEndpoints(most, used)
            pipeline.multi()
            pipeline.set(keys.LAYOUT_KEY, keys.LAYOUT)
            pipeline.set(keys.PLANNED, now_ms, nx=True)
            pipeline.sadd(keys.of_tenant(tenant), endpoint.id)
            fields: Any = endpoint.to_fields()
            pipeline.hset(keys.endpoint_key(endpoint.id), mapping=fields)
            return endpoint.id

        earlier = once(self._redis, key, act, keys.of_tenant(tenant))
        return self._done(endpoint, earlier)

    def change(
        self,
        endpoint: Endpoint,
        now_ms: int,
        *,
        url: str | None = None,
        events: Iterable[str] | None = None,
        status: str | None = None,
    ) -> Endpoint:
        """Change what is given. Enabled again, it is told of what happens from then on.

        Disabled, it is sent nothing more; what waits is canceled.
        """
        changed = replace(
            endpoint,
            url=endpoint.url if url is None else url,
            events=endpoint.events if events is None else tuple(events),
        )
        fields: Any = {k: changed.to_fields()[k] for k in ("url", "events")}
        name = keys.endpoint_key(endpoint.id)
        is_revived = status == ENABLED and not endpoint.is_enabled
        if is_revived:
            fields |= {"status": ENABLED, "reason": "", "disabled_ms": 0}
            fields |= {"since_ms": self.redis_ms()}

        def act(pipeline: "Pipeline") -> str:
            if not pipeline.exists(name):
                raise NoSuchEndpoint(endpoint.id)
            pipeline.multi()
            pipeline.hset(name, mapping=fields)
            if is_revived:
                pipeline.hdel(name, "failing_since_ms", "paused_ms")
            return endpoint.id

        once(self._redis, None, act, name)
        if status == DISABLED and endpoint.is_enabled:
            self.disable(endpoint.id, REQUESTED, now_ms)
        return self.find(endpoint.id, endpoint.tenant)

    def rotate(
        self, endpoint: Endpoint, now_ms: int, key: IdempotencyKey | None = None
    ) -> Done:
        """Give an endpoint a new secret; the one before stays valid for a day.

        Two requests at the same time, without keys, are given the same one: after two
        rotations the secret that the receiver knows would be void at once.

        :raises KeyReused: the key came before with another request.
        """
        name = keys.endpoint_key(endpoint.id)
        wanted = self.find(endpoint.id).generation + 1
        facts: Any = {"generation": wanted, "rotated_ms": now_ms}

        def act(pipeline: "Pipeline") -> str:
            present: Any = pipeline.hget(name, "generation")
            if present is None:
                raise NoSuchEndpoint(endpoint.id)
            pipeline.multi()
            if int(present) < wanted:  # or else the reply to this was lost
                pipeline.hset(name, mapping=facts)
            return f"{endpoint.id} {max(int(present), wanted)} {now_ms}"

        earlier = once(self._redis, key, act, name)
        _, generation, rotated_ms = earlier.result.split()
        made = replace(endpoint, generation=int(generation), rotated_ms=int(rotated_ms))
        return Done(made, earlier.replayed)

    def disable(self, endpoint_id: str, reason: str, now_ms: int) -> None:
        """Send an endpoint nothing more; what waits is canceled."""
        own = keys.endpoint_key(endpoint_id)
        parts = (keys.endpoint_key(endpoint_id, part) for part in ("due", "settled"))
        touched = [own, *parts, keys.DUE]
        arguments = (endpoint_id, reason, now_ms, f"{own}:queue:")
        self._redis.eval(CANCEL, len(touched), *touched, *arguments)

    def delete(self, endpoint: Endpoint, now_ms: int) -> None:
        """Forget an endpoint, and all that was sent to it."""
        self.disable(endpoint.id, REQUESTED, now_ms)  # and no queue is left behind
        parts = [keys.endpoint_key(endpoint.id, part) for part in PARTS]
        with self._redis.pipeline() as pipeline:
            pipeline.srem(keys.of_tenant(endpoint.tenant), endpoint.id)
            pipeline.zrem(keys.DUE, endpoint.id)
            pipeline.delete(keys.endpoint_key(endpoint.id), *parts)
            pipeline.execute()

    def _done(self, made: Endpoint, earlier: "Once") -> Done:
        if not earlier.replayed:
            return Done(made)
        return Done(self.find(earlier.result, made.tenant), replayed=True)

    def redis_ms(self) -> int:
        """Return the time of Redis, by which entries of the feed are named."""
        seconds, microseconds = self._redis.time()
        return int(seconds) * 1_000 + int(microseconds) // 1_000


@dataclass(frozen=True, slots=True)
class Once:
    """What a request came to, the first time it was made."""

    result: str
    replayed: bool = False


def once(redis: "Redis", key: IdempotencyKey | None, act: Any, *watched: str) -> Once:
    """Carry something out once for a key, in one transaction with its record.

    *act* is given a pipeline that watches some keys; it reads, begins the transaction,
    and returns a text that a repeated request is answered by.

    :raises KeyReused: the key came before with another request.
    """
    name = keys.request_key(key.key) if key else ""

    def attempt(pipeline: "Pipeline") -> Once:
        if key and (known := pipeline.get(name)):
            digest, _, result = str(known).partition(" ")
            if not key.fits(digest):
                raise KeyReused(key.key)
            pipeline.multi()
            return Once(result, replayed=True)
        result = act(pipeline)
        if key:
            pipeline.set(name, f"{key.digest} {result}", ex=REQUEST_TTL_S)
        return Once(result)

    names = (*watched, name) if key else watched
    made: Any = redis.transaction(attempt, *names, value_from_callable=True)  # type: ignore[arg-type]
    return Once(made.result, made.replayed)
