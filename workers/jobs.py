"""Jobs that serve one thing each, by its id: an analysis, an endpoint of webhooks."""

import secrets
from dataclasses import dataclass

from rq import Queue
from rq.utils import as_text

from workers.queues import put_in_turn


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """What such jobs call, and how long one may take."""

    prefix: str
    function: str
    timeout_s: int
    ttl_s: int | None = None
    """A job that is older is forgotten; what is due is asked for again."""

    def ask_for(self, queue: Queue, served_id: str, tenant: str | None = None) -> None:
        """Ask for a job, whether or not there is one already.

        With a *tenant*, it waits in turn: between those of other tenants.
        """
        job = f"{self.prefix}{served_id}_{secrets.token_hex(4)}"
        queue.enqueue_call(
            self.function,
            args=(served_id,),
            job_id=job,
            timeout=self.timeout_s,
            result_ttl=0,
            failure_ttl=self.ttl_s or 0,
            ttl=self.ttl_s,
        )
        if tenant is not None:
            put_in_turn(queue, job, tenant)

    def waiting(self, queue: Queue) -> set[str]:
        """Return what has a job in the list.

        The list itself is asked: a job says of itself that it is queued when it is not.
        """
        found = map(as_text, queue.connection.lrange(queue.key, 0, -1))
        return {
            name.removeprefix(self.prefix).rpartition("_")[0]
            for name in found
            if name.startswith(self.prefix)
        }


THINKING = JobKind(
    prefix="think_",
    function="workers.analyse.run",
    timeout_s=900,  # longer than the longest analysis takes
)
SENDING = JobKind(
    prefix="hook_", function="workers.send_webhooks.run", timeout_s=120, ttl_s=600
)
