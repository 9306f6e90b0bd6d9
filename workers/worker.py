"""The worker of AI jobs: RQ's, which loses no job when it is told to stop."""

import contextlib
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job

from workers import send_webhooks

WORKER_TTL_S = 20
"""So long the queue believes that a worker lives after it last heard of it."""

LOOK_UP_S = 1
"""An idle worker looks up from an empty queue this often, to see if it has to stop."""


class AiWorker(SimpleWorker):
    """Takes a job, carries it out, and only then looks whether it has to stop.

    RQ's own worker ends at once when a signal comes while it waits for a job. If Redis
    has given it one in that moment, the job is in no list any more: nobody plays it.
    """

    max_connection_wait_time = 1.0  # a queue that comes back has turns that are late

    @property
    def dequeue_timeout(self) -> int:
        """Return for how many seconds a worker waits for a job at a time."""
        return LOOK_UP_S

    def _shutdown(self) -> None:
        """Note that a signal came. Nothing is interrupted, whatever it is."""
        self._stop_requested = True

    def heartbeat(self, *given: Any, **named: Any) -> None:
        """Tell the queue that the worker lives.

        :raises StopRequested: it has to stop, and the queue is gone: RQ would wait for
            that to come back.
        """
        try:
            super().heartbeat(*given, **named)
        except (RedisConnectionError, RedisTimeoutError):
            if self._stop_requested:
                raise StopRequested from None
            raise

    def teardown(self) -> None:
        """Sign off, if the queue is still there to hear it."""
        with contextlib.suppress(RedisConnectionError, RedisTimeoutError):
            super().teardown()  # type: ignore[no-untyped-call]

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Wait for a job; without a *timeout* (burst) take one only if it is there.

        :raises StopRequested: the worker has to stop, and holds no job.
        """
        while not self._stop_requested:
            found = super().dequeue_job_and_maintain_ttl(
                timeout, max_idle_time or LOOK_UP_S
            )
            if found is not None or timeout is None or max_idle_time is not None:
                return found
        raise StopRequested


class WebhookWorker(AiWorker):
    """Takes a job of webhooks; told to stop, it lets that begin nothing more."""

    def _shutdown(self) -> None:
        """Note that a signal came, and end what would go on for some seconds."""
        super()._shutdown()
        send_webhooks.stop_soon()
