"""The queue of analyses, and what is asked for in it."""

import secrets

from redis import Redis
from rq import Queue
from rq.utils import as_text

from workers.queues import AI_BATCH, ai_queue

JOB = "think_"
JOB_TIMEOUT_S = 900
"""Longer than the longest analysis takes."""


def analysis_queue(connection: Redis) -> Queue:
    """Return the queue of analyses. Jobs hold ids, as JSON."""
    return ai_queue(connection, AI_BATCH)


def ask_for(queue: Queue, analysis_id: str) -> None:
    """Ask that somebody thinks about an analysis."""
    queue.enqueue_call(
        "workers.analyse.run",
        args=(analysis_id,),
        job_id=f"{JOB}{analysis_id}_{secrets.token_hex(4)}",
        timeout=JOB_TIMEOUT_S,
        result_ttl=0,
        failure_ttl=0,
    )


def waiting_analyses(queue: Queue) -> set[str]:
    """Return the analyses that have a job in the list.

    The list itself is asked: a job says of itself that it is queued when it is not.
    """
    found = map(as_text, queue.connection.lrange(queue.key, 0, -1))
    return {
        name[len(JOB) :].rpartition("_")[0] for name in found if name.startswith(JOB)
    }
