"""The worker of AI jobs: RQ's, which loses no job when it is told to stop."""

import contextlib
import logging
import sys
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import structlog
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse
from redis.exceptions import TimeoutError as RedisTimeoutError
from rq import Queue, SimpleWorker, worker_registration
from rq.exceptions import StopRequested
from rq.job import Job

from services import logs, traces
from services.logs import Absence, LibraryLines
from services.metrics.figures import JOB_SECONDS, JOB_WAIT_SECONDS, JOBS
from workers import analyse, log_there, send_webhooks

WORKER_TTL_S = 20
"""So long the queue believes that a worker lives after it last heard of it."""

LOOK_UP_S = 1
"""An idle worker looks up from an empty queue this often, to see if it has to stop."""

HANGS_S = 2
"""More than a worker asks a queue to wait."""

SIGN_ON_EVERY_S = 5.0
"""RQ does so once. A queue that comes back empty has forgotten who works for it."""

AWAY = (RedisConnectionError, RedisTimeoutError, InvalidResponse)
"""What is raised where the queue is away, or another server has got its address."""

ABSENCE = Absence("worker waits for the queue", "worker goes on")
LOOK_AGAIN_S = 1.0

log = structlog.get_logger()


class AiWorker(SimpleWorker):
    """Takes a job, carries it out, and only then looks whether it has to stop.

    RQ's own worker ends at once when a signal comes while it waits for a job. If Redis
    has given it one in that moment, the job is in no list any more: nobody plays it.
    """

    max_connection_wait_time = (
        LOOK_AGAIN_S  # a queue that comes back has turns that are late
    )

    _signed_on_at = -SIGN_ON_EVERY_S
    _check_log: Callable[[], None] = staticmethod(lambda: None)

    def serve(self, check_log: Callable[[], None]) -> None:
        """Work until a signal comes, through any absence of the queue or the log.

        *check_log* raises what is wrong with the log, if it cannot be reached.
        """
        self._check_log = check_log
        write_lines_of_rq()
        while True:
            try:
                self.work(logging_level="WARNING")
            except AWAY as error:
                ABSENCE.note(error)
            if self._stop_requested:
                return
            time.sleep(LOOK_AGAIN_S)
            self.name = uuid.uuid4().hex  # the queue may believe that the former lives

    def subscribe(self) -> None:
        """Listen to no orders: nobody gives any, and a thread more can fail."""

    def procline(self, message: str) -> None:
        """Keep the name that the process has: it says what kind of worker this is."""

    @property
    def dequeue_timeout(self) -> int:
        """Return for how many seconds a worker waits for a job at a time."""
        return LOOK_UP_S

    @property
    def connection_timeout(self) -> int:
        """Return after how many seconds a queue that hangs is taken to be away."""
        return self.dequeue_timeout + HANGS_S

    def _shutdown(self) -> None:
        """Note that a signal came. Nothing is interrupted, whatever it is."""
        self._stop_requested = True

    def heartbeat(self, *given: Any, **named: Any) -> None:
        """Tell the queue that the worker lives.

        :raises StopRequested: it has to stop, and the queue is gone: RQ would wait for
            that to come back.
        """
        now = time.monotonic()
        try:
            super().heartbeat(*given, **named)
            if now - self._signed_on_at > SIGN_ON_EVERY_S:
                worker_registration.register(self)
                self._signed_on_at = now
        except AWAY:
            if self._stop_requested:
                raise StopRequested from None
            raise

    def teardown(self) -> None:
        """Sign off, if the queue is still there to hear it."""
        with contextlib.suppress(*AWAY):
            super().teardown()  # type: ignore[no-untyped-call]

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Wait for a job; without a *timeout* (burst) take one only if it is there.

        :raises StopRequested: the worker has to stop, and holds no job.
        """
        while not self._stop_requested:
            if not log_there.answers(self._check_log):
                self.heartbeat()
                time.sleep(LOOK_AGAIN_S)
                continue
            taken = super().dequeue_job_and_maintain_ttl(
                timeout, max_idle_time or LOOK_UP_S
            )
            ABSENCE.over()
            if taken is not None or timeout is None or max_idle_time is not None:
                return taken
        raise StopRequested

    def perform_job(self, job: Job, queue: Queue, *given: Any) -> bool:
        """Carry a job out; tell whether it came to its end, and count it."""
        began = datetime.now(UTC)
        waited_s = (began - (job.enqueued_at or began)).total_seconds()
        logs.job_id.set(job.id)
        with traces.job(job.id, queue.name, job.meta):
            is_done: bool = super().perform_job(job, queue, *given)
        took_s = (datetime.now(UTC) - began).total_seconds()
        outcome = "done" if is_done else "failed"
        JOBS.add(queue.name, outcome)
        JOB_WAIT_SECONDS.observe(max(waited_s, 0), queue.name)  # clocks may differ
        JOB_SECONDS.observe(took_s, queue.name)
        if logs.has_access_log():
            times = {"waited_ms": round(waited_s * 1000), "ms": round(took_s * 1000)}
            log.info("job", queue=queue.name, outcome=outcome, **times)
        logs.job_id.set("")
        return is_done


class WebhookWorker(AiWorker):
    """Takes a job of webhooks; told to stop, it lets that begin nothing more."""

    def _shutdown(self) -> None:
        """Note that a signal came, and end what would go on for some seconds."""
        super()._shutdown()
        send_webhooks.stop_soon()


class AnalysisWorker(AiWorker):
    """Thinks about analyses; told to stop, it leaves the one at hand to another."""

    def _shutdown(self) -> None:
        """Note that a signal came, and end what would go on for minutes."""
        super()._shutdown()
        analyse.stop_soon()


class LinesOfRq(LibraryLines):
    """Writes what RQ says into our log: one line each, and of an absence one a minute.

    RQ tells of a queue that is away by the traceback of whatever it was doing.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        cause = sys.exception()
        if isinstance(cause, AWAY):
            ABSENCE.note(cause)
        else:
            super().emit(record)


def signed_on(make: Callable[[], AiWorker]) -> AiWorker:
    """Return a worker as soon as it can be made: RQ asks the queue meanwhile."""
    while True:
        try:
            return make()
        except AWAY as error:
            ABSENCE.note(error)
            time.sleep(LOOK_AGAIN_S)


def write_lines_of_rq() -> None:
    """Let RQ write into the log of this process, and nowhere else."""
    rq = logging.getLogger("rq")
    rq.handlers, rq.propagate = [LinesOfRq()], False
