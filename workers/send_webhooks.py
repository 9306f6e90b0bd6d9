"""The job that sends what is due to one endpoint: lane beside lane, each in order.

It may run twice, or die anywhere: what was not recorded as delivered is sent again, by
the same id. Who has the endpoint's lease sends alone; what a lane sends next is asked
for again before each message.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import structlog
from redis import Redis
from redis.exceptions import LockError, RedisError
from redis.lock import Lock

from services import logs, traces
from services.bootstrap import Services, connect, now_ms
from services.environment import from_environment
from services.eventlog import LogUnavailable
from services.metrics.figures import WEBHOOK_SECONDS, WEBHOOKS
from services.webhooks import Attempt, Delivery, Endpoint, NoSuchEndpoint
from services.webhooks.delivery import CANCELED
from services.webhooks.message import judge, payload_of
from services.webhooks.sender import Sender
from workers import log_there
from workers.queues import LEASE_S, connect_queues, lease_key

AT_ONCE = 16
"""So many matches of an endpoint are told of side by side."""

KNOCK_S = 5.0
"""So long an endpoint has that let us wait before, for the one message it gets then."""

SLICE_S = 10.0
"""After that it is another endpoint's turn."""

LOOK_S = 0.05
RENEW_S = LEASE_S / 4
STOP_WITHIN_S = 4.0
PAUSES_MS = (2_000, 5_000, 15_000, 30_000, 60_000)
"""So long an endpoint is left alone that let us wait, each time longer."""

AWAY_MS = 5_000
"""So much later a lane is tried whose match cannot be read now."""

QUARANTINE_MS = 300_000
"""So much later one is tried whose match is read by an error that nobody foresaw."""

QUEUE_TIMEOUT_S = 5.0

log = structlog.get_logger()

_is_stopping = False


def stop_soon() -> None:
    """Let the job at hand begin nothing more; a worker that has to end asks for it."""
    global _is_stopping
    _is_stopping = True


def run(endpoint_id: str) -> None:
    """Send what is due; what RQ calls, with an id only."""
    services, queue = _services()
    try:
        asyncio.run(send_due(services, queue, endpoint_id, _sender))
    except LogUnavailable as error:  # what is due is asked for again once it is back
        log.warning("webhooks wait", endpoint=endpoint_id, reason=str(error))
        log_there.doubt()
    except RedisError as error:
        log.warning("webhooks wait", endpoint=endpoint_id, reason=str(error))


def _sender(services: Services) -> Sender:
    is_allowed = bool(services.settings.webhook_private)
    return Sender(now_ms, allow_private=is_allowed)


async def send_due(
    services: Services,
    queue: Redis,
    endpoint_id: str,
    make_sender: Callable[[Services], Sender],
) -> int:
    """Send what is due to an endpoint, unless somebody else does; return how much."""
    lease = Lock(
        queue,
        lease_key(endpoint_id),
        timeout=LEASE_S,
        blocking=False,
        thread_local=False,
    )
    if not lease.acquire():
        return 0
    try:
        async with make_sender(services) as sender:
            return await Round(services, endpoint_id, sender, lease).run()
    finally:
        try:
            lease.release()
        except LockError:
            log.warning("lease of a webhook endpoint was lost", endpoint=endpoint_id)


class Round:
    """One time of sending to one endpoint."""

    def __init__(
        self, services: Services, endpoint_id: str, sender: Sender, lease: Lock
    ) -> None:
        """Send to an endpoint, under a lease."""
        self._services = services
        self._webhooks = services.webhooks
        self._endpoint_id = endpoint_id
        self._sender = sender
        self._lease = lease
        self._until = time.monotonic() + SLICE_S
        self._sent = 0
        self._taken = 0
        self._unanswered = 0
        self._was_silent = False
        self._lanes: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> int:
        """Send until nothing is due, or it is time to end; return how much was sent."""
        renewed_at = time.monotonic()
        stop_at: float | None = None
        endpoint = self._endpoint()
        self._was_silent = endpoint is not None and endpoint.is_silent
        try:
            while True:
                if self._may_begin():
                    self._begin_lanes()
                if not self._lanes:
                    break
                await asyncio.wait(
                    self._lanes.values(),
                    timeout=LOOK_S,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                self._end_lanes()
                now = time.monotonic()
                if now - renewed_at > RENEW_S:
                    renewed_at = now
                    self._lease.reacquire()
                if _is_stopping:
                    stop_at = stop_at or now + STOP_WITHIN_S
                    if now > stop_at:  # what is cut off here is sent again
                        break
        except LockError:
            log.warning("webhooks left to another", endpoint=self._endpoint_id)
        finally:
            for task in self._lanes.values():
                task.cancel()
            await asyncio.gather(*self._lanes.values(), return_exceptions=True)
        self._webhooks.deliveries.trim(self._endpoint_id, now_ms())
        self._leave_alone_if_silent()
        return self._sent

    def _may_begin(self) -> bool:
        return not _is_stopping and time.monotonic() < self._until

    def _begin_lanes(self) -> None:
        free = AT_ONCE - len(self._lanes)
        if not self._taken:
            if self._unanswered:  # it lets us wait: no more of that now
                free = 0
            elif self._was_silent:  # others wait while it does
                free = 1 - len(self._lanes)
        if free <= 0:
            return
        due = self._webhooks.deliveries.due_lanes(self._endpoint_id, now_ms(), AT_ONCE)
        for lane in [lane for lane in due if lane not in self._lanes][:free]:
            self._lanes[lane] = asyncio.create_task(self._send_lane(lane))

    def _end_lanes(self) -> None:
        for lane, task in list(self._lanes.items()):
            if task.done():
                del self._lanes[lane]
                if (error := task.exception()) is not None:
                    self._put_off(lane, error)

    def _put_off(self, lane: str, error: BaseException) -> None:
        """Try a lane later, whatever is wrong with it: the others go on.

        Where Redis is away, this raises what the lane did, and all of them end.
        """
        is_away = isinstance(error, LogUnavailable)
        at_ms = now_ms() + (AWAY_MS if is_away else QUARANTINE_MS)
        self._webhooks.deliveries.put_off(self._endpoint_id, lane, at_ms)
        facts = {"endpoint": self._endpoint_id, "lane": lane}
        if is_away:
            log.warning("webhooks of a match wait", **facts, reason=str(error))
        else:
            log.error("webhooks of a match stand still", **facts, exc_info=error)

    async def _send_lane(self, lane: str) -> None:
        """Send what a lane holds, one after the other, until one fails."""
        while await self._send_next(lane) and self._may_begin():
            pass

    async def _send_next(self, lane: str) -> bool:
        """Send the next delivery of a lane; tell whether another may follow it."""
        deliveries = self._webhooks.deliveries
        endpoint = self._endpoint()
        if endpoint is None:
            return False
        delivery = deliveries.next_of(endpoint.id, lane)
        if delivery is None:
            return False
        body = payload_of(delivery, self._services.folds)
        if body is None:
            log.error("the log does not tell of a delivery", delivery=delivery.id)
            canceled = replace(delivery, status=CANCELED)
            return deliveries.settle(canceled, lane, None, now_ms())
        at_ms = now_ms()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Seedlog-Webhooks",
            **self._webhooks.secrets.headers(
                endpoint.id,
                endpoint.generations(at_ms),
                delivery.id,
                body,
                at_ms // 1_000,
            ),
        }
        limit_s = _limit_s(endpoint, delivery)
        with traces.webhook(delivery.id, delivery.match, delivery.version):
            sent = await self._sender.send(endpoint.url, headers, body, limit_s)
        self._note(sent.attempt, delivery)
        self._sent += 1
        self._taken += sent.attempt.is_success
        self._unanswered += sent.attempt.http_status is None
        verdict = judge(endpoint, delivery, sent, now_ms(), random.random)
        is_next = deliveries.settle(verdict.delivery, lane, verdict.next_ms, now_ms())
        if verdict.disable and is_next:
            log.warning(
                "webhook endpoint disabled", endpoint=endpoint.id, why=verdict.disable
            )
            self._webhooks.endpoints.disable(endpoint.id, verdict.disable, now_ms())
            return False
        return is_next and verdict.next_ms is None

    def _note(self, attempt: Attempt, delivery: Delivery) -> None:
        """Count an attempt, and tell of it where that is wanted."""
        outcome = "taken" if attempt.is_success else "refused"
        if attempt.http_status is None:
            outcome = "unanswered"
        WEBHOOKS.add(outcome)
        WEBHOOK_SECONDS.observe(attempt.duration_ms / 1000)
        if logs.has_access_log():
            log.info(
                "webhook",
                endpoint=self._endpoint_id,
                delivery=delivery.id,
                match=delivery.match,
                version=delivery.version,
                outcome=outcome,
                ms=attempt.duration_ms,
            )

    def _leave_alone_if_silent(self) -> None:
        """Come back later to who let us wait, so that others need not."""
        if self._taken or not self._unanswered:
            return
        endpoint = self._endpoint()
        if endpoint is None:
            return
        failing_ms = now_ms() - (endpoint.failing_since_ms or now_ms())
        pause_ms = next((p for p in PAUSES_MS if p * 4 > failing_ms), PAUSES_MS[-1])
        self._webhooks.deliveries.wait_until(self._endpoint_id, now_ms() + pause_ms)

    def _endpoint(self) -> Endpoint | None:
        try:
            return self._webhooks.endpoints.find(self._endpoint_id)
        except NoSuchEndpoint:
            return None


def _limit_s(endpoint: Endpoint, delivery: Delivery) -> float | None:
    """Return how long an attempt may take; None: as long as any.

    Every third one has the whole time after a silence, too: a receiver that is slow,
    and was silent once, would be so for ever.
    """
    is_short = endpoint.is_silent and delivery.tries % 3 != 2
    return KNOCK_S if is_short else None


@cache
def _services() -> tuple[Services, Redis]:
    """Connect once in the life of a worker."""
    here = from_environment()
    return connect(here), connect_queues(here.queue_url, QUEUE_TIMEOUT_S)


def warm_up() -> Services:
    """Connect before the first job, which then starts at once."""
    return _services()[0]
