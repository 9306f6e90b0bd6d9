"""Services on a real Redis, with a follower and a sender that a test moves by hand."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from services.bootstrap import Services, connect
from services.eventlog import IdempotencyKey
from services.match import Match, OpenMatch, Player, PlayMove
from services.settings import Settings
from services.webhooks import Endpoint
from services.webhooks.sender import Sender
from workers import send_webhooks, webhooks
from workers.queues import WEBHOOKS, connect_queues, job_queue
from workers.send_webhooks import send_due
from workers.webhooks import WebhookDispatcher

TENANT = "ten_a"
SECRET = "a secret of the tests, long enough"
HUMAN = Player(kind="human", player="ply_a")
OTHER = Player(kind="human", player="ply_b")
AI = Player(kind="ai", level=1)


class Clock:
    """A clock that the test moves."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


class World:
    """A log, a queue, and webhooks; nothing goes by itself."""

    def __init__(self, url: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
        settings = Settings(
            redis_url=url, queue_url=url, secret=SECRET, data=folder, webhook_private=1
        )
        self.services: Services = connect(settings)
        self.redis: Redis = connect_queues(url)
        self.redis.flushall()
        self.queue = job_queue(self.redis, WEBHOOKS)
        self.clock = Clock(time.time_ns() // 1_000_000)
        for module in (send_webhooks, webhooks):
            patch.setattr(module, "now_ms", self.clock)
        self.dispatcher = WebhookDispatcher(self.services, self.queue)
        self.make_sender: Callable[[Services], Sender] = send_webhooks._sender

    def endpoint(
        self,
        url: str,
        events: Sequence[str] = ("*",),
        key: IdempotencyKey | None = None,
        tenant: str = TENANT,
    ) -> Endpoint:
        created = self.services.webhooks.create(tenant, url, events, self.clock(), key)
        return created.endpoint

    def sender(self, **given: Any) -> None:
        """Send as *given* says from now on."""
        self.make_sender = lambda _: Sender(self.clock, **given)

    def look(self, endpoint: Endpoint) -> Endpoint:
        return self.services.webhooks.endpoints.find(endpoint.id)

    def secret(self, endpoint: Endpoint) -> str:
        secrets = self.services.webhooks.secrets
        return secrets.derive(endpoint.id, endpoint.generation)

    def open(self, match_id: str = "mat_1", **given: Any) -> Match:
        seats: Mapping[str, Player] = given.pop(
            "seats", {"south": HUMAN, "north": OTHER}
        )
        command = OpenMatch(
            game="kalah", tenant=given.pop("tenant", TENANT), seats=seats, **given
        )
        return self.services.matches.handle(match_id, command, by="key:k").match

    def play(self, match_id: str = "mat_1", moves: int = 1) -> Match:
        """Play the first legal move, so many times."""
        for _ in range(moves):
            match = self.services.matches.load(match_id)
            assert match.to_move is not None
            assert match.position is not None
            command = PlayMove(seat=match.to_move, move=match.position.legal_moves[0])
            match = self.services.matches.handle(match_id, command, by="seat").match
        return match

    def plan(self) -> None:
        """Let the follower take in all that is in the feed, and ask for jobs."""
        while self.dispatcher.run_once():
            pass

    def send(self, endpoint: Endpoint) -> int:
        """Send what is due to an endpoint; return how many messages went."""
        return asyncio.run(
            send_due(self.services, self.redis, endpoint.id, self.make_sender)
        )

    def deliver(self, endpoint: Endpoint) -> int:
        """Plan, and send what is due."""
        self.plan()
        return self.send(endpoint)

    def later(self, seconds: float) -> None:
        """Let time pass, for whoever asks this clock."""
        self.clock.now += int(seconds * 1_000)

    def deliveries(self, endpoint: Endpoint) -> list[Any]:
        """Return all deliveries of an endpoint, oldest first."""
        page, _ = self.services.webhooks.deliveries.page(endpoint.id, None, 1_000)
        return page[::-1]
