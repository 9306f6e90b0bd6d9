"""The queue of webhooks: one job sends what is due to one endpoint."""

import secrets

from redis import Redis
from rq import Queue
from rq.utils import as_text

WEBHOOKS = "webhooks"
JOB = "hook_"
JOB_TIMEOUT_S = 120
JOB_TTL_S = 600
"""A job that is older is forgotten; what is due is asked for again."""

LEASE_S = 10.0
"""So long nobody else sends to an endpoint whose worker was killed."""


def webhook_queue(connection: Redis) -> Queue:
    """Return the queue of webhooks. Jobs hold ids, as JSON."""
    return Queue(
        WEBHOOKS,
        connection=connection,
        serializer="json",
        default_timeout=JOB_TIMEOUT_S,
    )


def ask_for(queue: Queue, endpoint_id: str) -> None:
    """Ask that what is due is sent to an endpoint."""
    queue.enqueue_call(
        "workers.send_webhooks.run",
        args=(endpoint_id,),
        job_id=f"{JOB}{endpoint_id}_{secrets.token_hex(4)}",
        result_ttl=0,
        failure_ttl=JOB_TTL_S,
        ttl=JOB_TTL_S,
    )


def waiting_endpoints(queue: Queue) -> set[str]:
    """Return the endpoints that have a job in the list.

    The list itself is asked: a job says of itself that it is queued when it is not.
    """
    found = map(as_text, queue.connection.lrange(queue.key, 0, -1))
    return {
        name[len(JOB) :].rpartition("_")[0] for name in found if name.startswith(JOB)
    }


def lease_key(endpoint_id: str) -> str:
    """Return the key of the lease that a worker has while it sends."""
    return f"lease:webhooks:{endpoint_id}"
