"""Writes the message of a delivery anew from the log, and decides what follows it."""

from dataclasses import dataclass, replace

from services.match import Folds
from services.webhooks.deliveries import ATTEMPTS_KEPT
from services.webhooks.delivery import DELIVERED, FAILED, WAITING, Delivery
from services.webhooks.endpoint import FAILING, GONE, Endpoint
from services.webhooks.payload import (
    PING,
    YOUR_TURN,
    event_payload,
    ping_payload,
    turn_payload,
)
from services.webhooks.schedule import FAILING_MS, Chance, retry_in_ms
from services.webhooks.sender import Sent

HTTP_GONE = 410


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attempt came to: the delivery, its next attempt, the endpoint's end."""

    delivery: Delivery
    next_ms: int | None
    disable: str = ""


def payload_of(delivery: Delivery, folds: Folds) -> bytes | None:
    """Return what a delivery says, or None if the log does not tell of it any more."""
    if delivery.type == PING:
        return ping_payload(delivery.endpoint, delivery.created_ms)
    told = folds.replay(delivery.match, [delivery.version]).get(delivery.version)
    if told is None:
        return None
    if delivery.type == YOUR_TURN:
        return turn_payload(delivery.match, delivery.sequence, told)
    return event_payload(delivery.match, delivery.sequence, told)


def judge(
    endpoint: Endpoint, delivery: Delivery, sent: Sent, now_ms: int, chance: Chance
) -> Verdict:
    """Return what follows from an attempt."""
    attempt = sent.attempt
    tries = delivery.tries + 1
    tried = replace(
        delivery,
        tries=tries,
        next_ms=0,
        attempts=(*delivery.attempts, attempt)[-ATTEMPTS_KEPT:],
    )
    if attempt.is_success:
        return Verdict(replace(tried, status=DELIVERED), None)
    if attempt.http_status == HTTP_GONE:
        return Verdict(replace(tried, status=FAILED), None, GONE)
    since_ms = endpoint.failing_since_ms
    if endpoint.is_enabled and since_ms and now_ms - since_ms >= FAILING_MS:
        return Verdict(replace(tried, status=FAILED), None, FAILING)
    wait_ms = retry_in_ms(tries, sent.retry_after_ms, chance)
    if wait_ms is None or not endpoint.is_enabled:
        return Verdict(replace(tried, status=FAILED), None)
    next_ms = now_ms + wait_ms
    return Verdict(replace(tried, status=WAITING, next_ms=next_ms), next_ms)
