"""Webhooks as the other rooms know them: endpoints, deliveries, secrets, the lag."""

from collections.abc import Callable, Iterable
from typing import Any

from services.eventlog import Feed, IdempotencyKey
from services.eventlog.library import connect_redis
from services.webhooks import keeping, keys
from services.webhooks.deliveries import Deliveries
from services.webhooks.endpoint import Done
from services.webhooks.endpoints import Endpoints
from services.webhooks.signing import Secrets

FOLLOWER = "webhooks"
"""How the log knows who follows it for all endpoints, and spares what is not read."""

LATE_PLANNING_MS = 5_000
LATE_SENDING_MS = 30_000
"""What is behind by more than this is told of at `/health/ready`; one attempt alone may
take half of the latter.
"""


class Webhooks:
    """Everything that is kept of webhooks, beside the event log."""

    def __init__(
        self,
        redis_url: str,
        feed: Feed,
        secret: str,
        most: Callable[[str], int | None] = lambda _: 10,
    ) -> None:
        """Use the Redis of the log and our secret; *most*: endpoints a tenant may have.

        Nothing is contacted yet.
        """
        self._feed = feed
        self._redis = connect_redis(redis_url)
        self.endpoints = Endpoints(self._redis, most)
        self.deliveries = Deliveries(self._redis)
        self.secrets = Secrets(secret)

    def create(
        self,
        tenant: str,
        url: str,
        events: Iterable[str],
        now_ms: int,
        key: IdempotencyKey | None = None,
    ) -> Done:
        """Make an endpoint; what is recorded from now on waits for the follower.

        Also where none has ever run: the log then spares the feed for it.
        """
        if FOLLOWER not in self._feed.followers():
            self._feed.keep_from(FOLLOWER, self._feed.feed_ends())
        return self.endpoints.create(tenant, url, events, now_ms, key)

    def kept(self) -> dict[str, Any]:
        """Return what a backup holds of webhooks."""
        return keeping.kept(self._redis)

    def put_back(self, value: dict[str, Any]) -> int:
        """Put back what a backup held; return how many endpoints that is."""
        return keeping.put_back(self._redis, value, self.endpoints.redis_ms())

    def note_planned(self, at_ms: int) -> None:
        """Note that all that was recorded until a time is planned."""
        self._redis.set(keys.PLANNED, at_ms)

    def lag(self, now_ms: int) -> dict[str, float]:
        """Return by how many seconds planning or sending are behind, if they are late.

        Without an endpoint nothing is.
        """
        planning_ms, sending_ms = self.behind_ms(now_ms)
        late = {}
        if planning_ms > LATE_PLANNING_MS:
            late["planning_behind_s"] = planning_ms / 1_000
        if sending_ms > LATE_SENDING_MS:
            late["sending_behind_s"] = sending_ms / 1_000
        return late

    def behind_ms(self, now_ms: int) -> tuple[int, int]:
        """Return how old what is not planned may be, and how long what is due waits.

        Without an endpoint nothing is behind.
        """
        with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.get(keys.PLANNED)
            pipeline.zrange(keys.DUE, 0, 0, withscores=True)
            pipeline.exists(keys.LAYOUT_KEY)
            replies: Any = pipeline.execute()
        planned, due, has_endpoints = replies
        if not has_endpoints:
            return 0, 0
        planning_ms = now_ms - int(planned or now_ms)
        sending_ms = now_ms - int(due[0][1]) if due else 0
        return max(planning_ms, 0), max(sending_ms, 0)
