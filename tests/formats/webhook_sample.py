"""The sample of webhooks: their Redis, their messages, what a backup has of them."""

import json
from typing import Any

from redis import Redis

from services.bootstrap import Services
from services.match import OpenMatch, Player, PlayMove
from services.webhooks import Follower
from services.webhooks.delivery import Attempt, Delivery
from services.webhooks.endpoint import Endpoint
from services.webhooks.message import judge, payload_of
from services.webhooks.sender import Sent
from tests.formats.dump import write_dump

AT_MS = 1_795_262_400_000  # 2026-11-21T12:00:00.000Z


def record(services: Services) -> str:
    """Return the sample as JSON, made on an empty Redis."""
    webhooks = services.webhooks
    url = "https://hooks.example/seedlog"
    first = webhooks.create("ten_a", url, ["*"], AT_MS).endpoint
    other = webhooks.create("ten_a", f"{url}/2", ["match.your_turn"], AT_MS).endpoint
    for number in (1, 2):
        _play(services, f"mat_{number}")
    follower = Follower(
        services.event_log, services.folds, webhooks, lambda: AT_MS + 1_000
    )
    while follower.run_once():
        pass
    _try(services, first, "mat_1", 500)
    _try(services, first, "mat_2", 204)
    first = webhooks.endpoints.rotate(first, AT_MS + 2_000).endpoint
    ping = webhooks.deliveries.ping(first, AT_MS + 3_000).delivery
    webhooks.endpoints.change(other, AT_MS + 4_000, status="disabled")
    kept = webhooks.kept()
    page, _ = webhooks.deliveries.page(first.id, None, 100)
    told = [d for d in page if d.match == "mat_1" and d.version >= 3]
    facts = {
        "endpoints": [first.id, other.id],
        "secrets": [webhooks.secrets.derive(first.id, g) for g in (1, 2)],
        "messages": [_message(services, first, d) for d in (ping, *told)],
        "kept": kept,
        "redis": json.loads(write_dump(Redis.from_url(services.settings.redis_url))),
    }
    return json.dumps(facts, indent=1) + "\n"


def _play(services: Services, match_id: str) -> None:
    seats = {
        seat: Player(kind="human", player=f"ply_{seat}") for seat in ("south", "north")
    }
    opening = OpenMatch(game="kalah", tenant="ten_a", seats=seats)
    services.matches.handle(match_id, opening, by="key:abc")
    move = PlayMove(seat="south", move="A")
    services.matches.handle(match_id, move, by="seat")


def _try(services: Services, endpoint: Endpoint, lane: str, status: int) -> None:
    deliveries = services.webhooks.deliveries
    delivery = deliveries.next_of(endpoint.id, lane)
    assert delivery is not None
    sent = Sent(Attempt(AT_MS + 1_500, 12, status, "" if status < 300 else "answered"))
    verdict = judge(endpoint, delivery, sent, AT_MS + 1_512, lambda: 0)
    deliveries.settle(verdict.delivery, lane, verdict.next_ms, AT_MS + 1_512)


def _message(services: Services, endpoint: Endpoint, delivery: Delivery) -> Any:
    body = payload_of(delivery, services.folds)
    assert body is not None
    headers = services.webhooks.secrets.headers(
        endpoint.id, [2, 1], delivery.id, body, AT_MS // 1_000
    )
    return {"delivery": delivery.id, "headers": headers, "body": body.decode()}
