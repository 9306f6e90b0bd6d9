"""The job queues: names, connection, and how a turn of an AI is put in one."""

from redis import Redis
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.job import Job

AI_LIVE = "ai-live"  # somebody is waiting
AI_BATCH = "ai-batch"  # nobody is
JOB_TIMEOUT_S = 30
FAILED_JOB_TTL_S = 300


def connect_queues(url: str) -> Redis:
    """Connect to the Redis of the queues; blocking reads wait as long as they say."""
    return Redis.from_url(url, socket_timeout=None, socket_connect_timeout=2)


def ai_queue(connection: Redis, name: str = AI_LIVE) -> Queue:
    """Return a queue of AI jobs. Jobs hold ids and numbers, as JSON."""
    return Queue(
        name,
        connection=connection,
        serializer="json",
        default_timeout=JOB_TIMEOUT_S,
    )


def job_id(match_id: str, version: int, attempt: int) -> str:
    """Return the id that makes a job unique."""
    return f"ai_{match_id}_{version}_{attempt}"


def enqueue_turn(queue: Queue, match_id: str, version: int, attempt: int) -> bool:
    """Ask for the reply of an AI; return False if this attempt was asked for before."""
    try:
        queue.enqueue_call(
            "workers.play_turn.run",
            args=(match_id, version, attempt),
            job_id=job_id(match_id, version, attempt),
            unique=True,
            result_ttl=0,
            failure_ttl=FAILED_JOB_TTL_S,
        )
    except DuplicateJobError:
        return False
    return True


def find_turn(queue: Queue, match_id: str, version: int, attempt: int) -> Job | None:
    """Return the job of an attempt while the queue knows it."""
    job: Job | None = queue.fetch_job(job_id(match_id, version, attempt))
    return job
