"""Deliveries: one event to one endpoint each, with every attempt at it.

Their order is that of the log: a delivery is tried when all before it in its lane are
settled, that is delivered, given up or canceled. What is said is not kept: it is read
from the log at each attempt.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.client import Pipeline

from services.eventlog import IdempotencyKey
from services.webhooks import keys
from services.webhooks.delivery import (
    CANCELED,
    DELIVERED,
    KEPT,
    KEPT_MS,
    PREFIX,
    WAITING,
    Asked,
    Delivery,
    NoSuchDelivery,
    Planned,
)
from services.webhooks.endpoint import Endpoint, NoSuchEndpoint
from services.webhooks.endpoints import once
from services.webhooks.payload import PING

PLAN = files("services.webhooks").joinpath("plan.lua").read_text("utf-8")
PLAN_SHA = hashlib.sha1(PLAN.encode(), usedforsecurity=False).hexdigest()
SETTLE = files("services.webhooks").joinpath("settle.lua").read_text("utf-8")
PAUSE = files("services.webhooks").joinpath("pause.lua").read_text("utf-8")
PUT_OFF = files("services.webhooks").joinpath("put_off.lua").read_text("utf-8")

ATTEMPTS_KEPT = 20
MOST_WAITING = 20_000
"""An endpoint for which more waits is disabled: its receiver will not catch up."""
OVER_KEPT_MS = 24 * 3_600_000
TRIMMED_AT_ONCE = 500
PLANNED_AT_ONCE = 500
"""So many plans are one transaction: Redis serves nobody else meanwhile."""

_ID = re.compile(rf"{PREFIX}([0-9a-f]{{24}})_([1-9][0-9]{{0,15}})")


class Deliveries:
    """Keeps the deliveries of all endpoints, and which of them are due."""

    def __init__(self, redis: "Redis", most_waiting: int = MOST_WAITING) -> None:
        """Keep them beside the event log."""
        self._redis = redis
        self._most_waiting = most_waiting

    # -- planning: the follower alone

    def cursors(self) -> dict[int, str]:
        """Return how far the feed was planned."""
        cursors: Any = self._redis.hgetall(keys.CURSORS)
        return {int(partition): cursor for partition, cursor in cursors.items()}

    def plan(
        self, planned: Sequence[Planned], cursors: Mapping[int, str], now_ms: int
    ) -> list[str]:
        """Plan deliveries and note how far the feed was read, if all were planned.

        An entry that comes again is planned once. Return the endpoints that are so far
        behind that nothing was planned for them.
        """
        replies: list[Any] = []
        starts = range(0, len(planned) or 1, PLANNED_AT_ONCE)
        for start in starts:
            with self._redis.pipeline() as pipeline:
                for plan in planned[start : start + PLANNED_AT_ONCE]:
                    self._add(pipeline, plan, now_ms)
                if cursors and start == starts[-1]:
                    fields: Any = dict(cursors)
                    pipeline.hset(keys.CURSORS, mapping=fields)
                replies += pipeline.execute()
        pairs = zip(planned, replies[: len(planned)], strict=True)
        return list(dict.fromkeys(plan.endpoint for plan, reply in pairs if reply < 0))

    def _add(self, pipeline: "Pipeline", plan: Planned, now_ms: int) -> None:
        """Add a plan to a transaction; the first one there tells Redis the script."""
        parts = ("lanes", "over", "due", "deliveries", "numbers", "settled")
        names = [keys.endpoint_key(plan.endpoint, part) for part in parts]
        queue = keys.endpoint_key(plan.endpoint, "queue", plan.match)
        touched = [keys.endpoint_key(plan.endpoint), *names, queue, keys.DUE]
        arguments: list[str | int]
        arguments = [plan.endpoint, plan.match, plan.last, now_ms]
        arguments += [int(plan.is_over), self._most_waiting]
        for type_, version in plan.events:
            arguments += [type_, version]
        script = ("EVALSHA", PLAN_SHA) if len(pipeline) else ("EVAL", PLAN)
        pipeline.execute_command(*script, len(touched), *touched, *arguments)

    # -- sending: one worker at a time for each endpoint

    def due_endpoints(self, now_ms: int, limit: int = 1_000) -> list[str]:
        """Return endpoints that have to be sent to, the most overdue first."""
        due: Any = self._redis.zrangebyscore(keys.DUE, "-inf", now_ms, 0, limit)
        return list(due)

    def due_lanes(self, endpoint_id: str, now_ms: int, limit: int) -> list[str]:
        """Return lanes of an endpoint whose next delivery is due."""
        key = keys.endpoint_key(endpoint_id, "due")
        due: Any = self._redis.zrangebyscore(key, "-inf", now_ms, 0, limit)
        return list(due)

    def next_of(self, endpoint_id: str, lane: str) -> Delivery | None:
        """Return the delivery of a lane that has to be tried next, if one waits."""
        queue = keys.endpoint_key(endpoint_id, "queue", lane)
        number: Any = self._redis.lindex(queue, 0)
        if number is None:
            return None
        name = keys.endpoint_key(endpoint_id, "deliveries")
        text: Any = self._redis.hget(name, number)
        if text is None:
            return None
        return Delivery.from_text(endpoint_id, int(number), text, is_settled=False)

    def settle(
        self, delivery: Delivery, lane: str, next_ms: int | None, now_ms: int
    ) -> bool:
        """Record the last attempt of a delivery, and when the next one is due, if any.

        Return False, and record nothing, if it is not the next of its lane any more.
        """
        parts = ("due", "deliveries", "numbers", "settled")
        names = [keys.endpoint_key(delivery.endpoint, part) for part in parts]
        queue = keys.endpoint_key(delivery.endpoint, "queue", lane)
        own = keys.endpoint_key(delivery.endpoint)
        touched = [own, *names, queue, keys.DUE]
        tried = "" if delivery.status == CANCELED else int(delivery.status == DELIVERED)
        is_done: Any = self._redis.eval(
            SETTLE,
            len(touched),
            *touched,
            delivery.endpoint,
            lane,
            delivery.number,
            delivery.to_text(),
            "" if next_ms is None else next_ms,
            now_ms,
            tried,
        )
        return bool(is_done)

    def put_off(self, endpoint_id: str, lane: str, at_ms: int) -> None:
        """Try a lane later, without an attempt at what it holds."""
        due = keys.endpoint_key(endpoint_id, "due")
        names = [keys.endpoint_key(endpoint_id), due, keys.DUE]
        self._redis.eval(PUT_OFF, len(names), *names, endpoint_id, lane, at_ms)

    def wait_until(self, endpoint_id: str, at_ms: int) -> None:
        """Leave an endpoint alone for a time, whatever is due by itself."""
        names = [keys.endpoint_key(endpoint_id), keys.DUE]
        self._redis.eval(PAUSE, len(names), *names, endpoint_id, at_ms)

    def trim(self, endpoint_id: str, now_ms: int) -> int:
        """Forget what was settled long ago, or by many since; return how many."""
        settled = keys.endpoint_key(endpoint_id, "settled")
        over = keys.endpoint_key(endpoint_id, "over")
        old: Any = self._redis.zrangebyscore(
            settled, "-inf", now_ms - KEPT_MS, 0, TRIMMED_AT_ONCE
        )
        many: Any = self._redis.zrange(settled, 0, -(KEPT + 1))
        ended: Any = self._redis.zrangebyscore(
            over, "-inf", now_ms - OVER_KEPT_MS, 0, TRIMMED_AT_ONCE
        )
        numbers = list(dict.fromkeys([*old, *many[:TRIMMED_AT_ONCE]]))
        with self._redis.pipeline() as pipeline:
            if numbers:
                name = keys.endpoint_key(endpoint_id, "deliveries")
                pipeline.hdel(name, *numbers)
                pipeline.zrem(keys.endpoint_key(endpoint_id, "numbers"), *numbers)
                pipeline.zrem(settled, *numbers)
            if ended:
                pipeline.hdel(keys.endpoint_key(endpoint_id, "lanes"), *ended)
                pipeline.zrem(over, *ended)
            pipeline.execute()
        return len(numbers)

    def forget(self, endpoint_id: str, matches: Collection[str]) -> int:
        """Forget what was sent of matches that are no more, and what waits; how many.

        A message that is on its way is not recorded any more.
        """
        name = keys.endpoint_key(endpoint_id, "deliveries")
        texts: Any = self._redis.hgetall(name)
        gone = [
            delivery
            for number, text in texts.items()
            if (
                delivery := Delivery.from_text(
                    endpoint_id, int(number), text, is_settled=False
                )
            ).match
            in matches
        ]
        numbers = [str(delivery.number) for delivery in gone]
        lanes = [*matches, *map(_own_lane, gone)]
        with self._redis.pipeline() as pipeline:
            if numbers:
                pipeline.hdel(name, *numbers)
                pipeline.zrem(keys.endpoint_key(endpoint_id, "numbers"), *numbers)
                pipeline.zrem(keys.endpoint_key(endpoint_id, "settled"), *numbers)
            for lane in lanes:
                pipeline.delete(keys.endpoint_key(endpoint_id, "queue", lane))
            pipeline.zrem(keys.endpoint_key(endpoint_id, "due"), *lanes)
            pipeline.zrem(keys.endpoint_key(endpoint_id, "over"), *lanes)
            pipeline.hdel(keys.endpoint_key(endpoint_id, "lanes"), *lanes)
            pipeline.execute()
        return len(gone)

    # -- what its owner sees and asks for

    def page(
        self, endpoint_id: str, before: int | None, limit: int
    ) -> tuple[list[Delivery], int | None]:
        """Return deliveries before a number, newest first, and where to go on."""
        highest = "+inf" if before is None else f"({before}"
        members: Any = self._redis.zrevrangebyscore(
            keys.endpoint_key(endpoint_id, "numbers"), highest, "-inf", 0, limit + 1
        )
        numbers = [int(number) for number in members]
        shown = self._load(endpoint_id, numbers[:limit])
        return shown, numbers[limit - 1] if len(numbers) > limit else None

    def find(self, endpoint_id: str, delivery_id: str) -> Delivery:
        """Return a delivery of an endpoint.

        :raises NoSuchDelivery: there is none of that id, or none any more.
        """
        parts = _ID.fullmatch(delivery_id)
        if parts is not None and endpoint_id.endswith(f"_{parts[1]}"):
            for delivery in self._load(endpoint_id, [int(parts[2])]):
                return delivery
        raise NoSuchDelivery(delivery_id)

    def ping(
        self, endpoint: Endpoint, now_ms: int, key: IdempotencyKey | None = None
    ) -> Asked:
        """Plan a delivery that says nothing, in a lane of its own."""
        own = keys.endpoint_key(endpoint.id)

        def act(pipeline: "Pipeline") -> str:
            if not pipeline.exists(own):
                raise NoSuchEndpoint(endpoint.id)
            last: Any = pipeline.hget(own, "number")
            number = int(last or 0) + 1
            ping = Delivery(endpoint.id, number, PING, now_ms)
            pipeline.multi()
            pipeline.hincrby(own, "number", 1)
            self._put(pipeline, ping, now_ms)
            name = keys.endpoint_key(endpoint.id, "numbers")
            pipeline.zadd(name, {str(number): number})
            return str(number)

        return self._asked(endpoint, once(self._redis, key, act, own))

    def deliver_again(
        self, delivery: Delivery, now_ms: int, key: IdempotencyKey | None = None
    ) -> Asked:
        """Try a delivery again at once, from the first attempt on.

        One that is settled gets a lane of its own and holds up nothing. One that still
        waits is tried now, after those that wait before it, which are tried now too.
        """
        endpoint_id = delivery.endpoint
        settled = keys.endpoint_key(endpoint_id, "settled")
        deliveries = keys.endpoint_key(endpoint_id, "deliveries")
        due = keys.endpoint_key(endpoint_id, "due")

        def act(pipeline: "Pipeline") -> str:
            if not pipeline.hexists(deliveries, str(delivery.number)):
                raise NoSuchDelivery(delivery.id)
            is_settled = pipeline.zscore(settled, str(delivery.number)) is not None
            pipeline.multi()
            if is_settled:
                again = replace(delivery, status=WAITING, tries=0, next_ms=0)
                pipeline.zrem(settled, str(delivery.number))
                self._put(pipeline, again, now_ms)
            else:
                for lane in (delivery.match, _own_lane(delivery)):
                    if lane:
                        pipeline.zadd(due, {lane: now_ms}, xx=True)
                pipeline.zadd(keys.DUE, {endpoint_id: now_ms})
            return str(delivery.number)

        earlier = once(self._redis, key, act, deliveries, settled)
        [asked] = self._load(endpoint_id, [int(earlier.result)]) or [delivery]
        return Asked(asked, earlier.replayed)

    def _put(self, pipeline: "Pipeline", delivery: Delivery, now_ms: int) -> None:
        """Let a delivery be tried now, in a lane of its own."""
        lane, number = _own_lane(delivery), str(delivery.number)
        endpoint_id = delivery.endpoint
        name = keys.endpoint_key(endpoint_id, "deliveries")
        pipeline.hset(name, number, delivery.to_text())
        pipeline.rpush(keys.endpoint_key(endpoint_id, "queue", lane), number)
        pipeline.zadd(keys.endpoint_key(endpoint_id, "due"), {lane: now_ms})
        pipeline.zadd(keys.DUE, {endpoint_id: now_ms})

    def _asked(self, endpoint: Endpoint, earlier: Any) -> Asked:
        number = int(earlier.result)
        for delivery in self._load(endpoint.id, [number]):
            return Asked(delivery, earlier.replayed)
        raise NoSuchDelivery(Delivery(endpoint.id, number, PING, 0).id)

    def _load(self, endpoint_id: str, numbers: Iterable[int]) -> list[Delivery]:
        asked = [str(number) for number in numbers]
        if not asked:
            return []
        deliveries = keys.endpoint_key(endpoint_id, "deliveries")
        settled = keys.endpoint_key(endpoint_id, "settled")
        texts: Any = self._redis.hmget(deliveries, asked)
        scores: Any = self._redis.zmscore(settled, asked)
        return [
            Delivery.from_text(
                endpoint_id, int(number), text, is_settled=score is not None
            )
            for number, text, score in zip(asked, texts, scores, strict=True)
            if text is not None
        ]


def _own_lane(delivery: Delivery) -> str:
    return f"delivery-{delivery.number}"
