"""The job queues: names, connection, and how a turn of an AI is put in one."""

from importlib.resources import files
from typing import Any

import structlog
from redis import Redis
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.job import Job
from rq.utils import as_text

from services import logs, traces
from services.eventlog.pools import pool_of
from services.names import is_sandbox

AI_LIVE = "ai-live"  # somebody is waiting
AI_GAMES = "ai-games"  # nobody is; jobs are short, and AI workers take them between
AI_BATCH = "ai-batch"  # analyses, of minutes: for workers of their own
WEBHOOKS = "webhooks"  # what is due to one endpoint: for workers of their own
JOB_TIMEOUT_S = 30
FAILED_JOB_TTL_S = 300
TURN = "ai_"
IN_TURN = files("workers").joinpath("in_turn.lua").read_text("utf-8")
ROUNDS_KEPT_S = 3600
LEASE_S = 10.0
"""So long nobody else sends to an endpoint whose worker was killed."""

log = structlog.get_logger()


def connect_queues(url: str, timeout_s: float | None = None) -> Redis:
    """Connect to the Redis of the queues, or to the master that Sentinels name.

    Without a *timeout_s*, blocking reads wait as long as they say.
    """
    pool = pool_of(url, socket_timeout=timeout_s, socket_connect_timeout=2)
    return Redis.from_pool(pool)


def job_queue(connection: Redis, name: str = AI_LIVE) -> Queue:
    """Return a queue of jobs, which hold ids and numbers, as JSON."""
    return Queue(
        name,
        connection=connection,
        serializer="json",
        default_timeout=JOB_TIMEOUT_S,
    )


def job_id(match_id: str, version: int, number: int) -> str:
    """Return the id that makes a job unique: the n-th that was asked for a turn."""
    return f"{TURN}{match_id}_{version}_{number}"


def enqueue_turn(
    queue: Queue,
    match_id: str,
    version: int,
    attempt: int = 1,
    number: int = 1,
    *,
    tenant: str = "",
) -> bool:
    """Ask for the reply of an AI; return False if that job is known already.

    It waits in turn: the jobs of a *tenant* that has many are played between those of
    the others. That of a sandbox comes first in its turn, for it takes hardly any time;
    those that follow it wait like all, or they would be first for ever.

    *attempt* counts how often the AI has tried; a job that is lost on its way has a
    *number*, but was no attempt.
    """
    try:
        with traces.turn(match_id, version) as carried:
            queue.enqueue_call(
                "workers.play_turn.run",
                args=(match_id, version, attempt),
                job_id=job_id(match_id, version, number),
                unique=True,
                result_ttl=0,
                failure_ttl=FAILED_JOB_TTL_S,
                meta=carried,
            )
    except DuplicateJobError:
        return False
    job = job_id(match_id, version, number)
    put_in_turn(queue, job, tenant, is_first=is_sandbox(tenant))
    if logs.has_access_log():
        log.info("turn asked for", match=match_id, version=version, job=job)
    return True


def put_in_turn(queue: Queue, job: str, tenant: str, *, is_first: bool = False) -> None:
    """Let a job that was added at the end wait where it is its tenant's turn.

    *is_first*: before those of the other tenants whose turn comes then.
    """
    keys = [queue.key, f"{queue.name}:rounds", f"{queue.name}:tenants"]
    script: Any = queue.connection.register_script(IN_TURN)
    script(keys, [job, tenant, ROUNDS_KEPT_S, int(is_first)])


def find_turn(queue: Queue, match_id: str, version: int, number: int) -> Job | None:
    """Return a job of a turn while the queue knows it."""
    job: Job | None = queue.fetch_job(job_id(match_id, version, number))
    return job


def waiting_turns(queue: Queue) -> dict[str, int]:
    """Return the matches that have a job in the list, and how many are before it.

    The list itself is asked: a job says of itself that it is queued when it is not.
    """
    places: dict[str, int] = {}
    for place, name in enumerate(queue.connection.lrange(queue.key, 0, -1)):
        turn = as_text(name)
        if turn.startswith(TURN):
            places.setdefault(turn[len(TURN) :].rsplit("_", 2)[0], place)
    return places


def lease_key(endpoint_id: str) -> str:
    """Return the key of the lease that a worker has while it sends to an endpoint."""
    return f"lease:webhooks:{endpoint_id}"
