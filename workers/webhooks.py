"""The follower of webhooks, beside the dispatcher: what is due becomes jobs.

What is due stands in the log's Redis. The queue is believed in nothing but its list: an
endpoint that is due, in no job of the list and in nobody's hands is asked for again.
"""

import time
from collections.abc import Callable

from redis import Redis
from rq import Queue

from services.bootstrap import Services, now_ms
from services.duty import Duty
from services.webhooks import Follower
from workers.beside import go_on
from workers.jobs import SENDING
from workers.queues import lease_key

WAIT_S = 0.25


class WebhookDispatcher:
    """One of any number; the one on duty plans and asks for jobs."""

    def __init__(self, services: Services, queue: Queue) -> None:
        """Follow the log of *services*, enqueue in a queue."""
        self._deliveries = services.webhooks.deliveries
        self._endpoints = services.webhooks.endpoints
        self._follower = Follower(
            services.event_log, services.folds, services.webhooks, now_ms
        )
        self._queue = queue
        self._redis: Redis = queue.connection
        self._duty = Duty(self._redis, "lease:webhooks")

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Follow until told to stop, through any absence of log or queue."""

        def look() -> None:
            if not self._duty.take():
                self._follower.begin()  # another goes on meanwhile
                time.sleep(WAIT_S)
            else:
                self.run_once(WAIT_S)

        go_on("webhooks", look, should_stop)  # health tells by how much they are behind
        self._duty.give_back()

    def run_once(self, wait_s: float = 0) -> int:
        """Plan what is new, and ask for what is due; return the number of entries."""
        count = self._follower.run_once(wait_s)
        self.ask_again()
        return count

    def ask_again(self) -> int:
        """Ask for a job for every endpoint that is due and has none; return how many.

        The list is read after what is due: a job that was in it by then is not missed.
        They wait tenant by tenant, as turns do: an endpoint may hold a worker for long.
        """
        due = self._deliveries.due_endpoints(now_ms())
        if not due:
            return 0
        waiting = SENDING.waiting(self._queue)
        held = self._redis.exists
        wanted = [e for e in due if e not in waiting and not held(lease_key(e))]
        tenants = self._endpoints.tenants_of(wanted)
        for endpoint_id in wanted:
            SENDING.ask_for(self._queue, endpoint_id, tenants[endpoint_id])
        return len(wanted)
