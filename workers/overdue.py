"""Overdue turns: what is due in the log decides who is asked again.

A queue cannot say which of its jobs are lost. A worker that is killed, stopped or cut
off in the moment in which it takes a job leaves it behind as *queued*, in no list, for
ever. So the status of a job is believed only where it can be checked, or for a bounded
time: a turn whose job stands in the list waits honestly, one whose job has begun is
spared once, and every other turn is asked for again. A reply too many is not played.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import structlog
from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job, JobStatus
from rq.utils import as_text

from services.eventlog import Deadlines, LogUnavailable
from services.match import Match, MatchService
from services.match.notes import AI_DEADLINE_MS
from services.match.refusals import Refused
from services.metrics.figures import OVERDUE
from workers.queues import enqueue_turn, find_turn, waiting_turns

AT_ONCE = 2_000
QUARANTINE_MS = 3_600_000
ASKED_TTL_S = 3600
LOST_JOB_TTL_S = 3600
BEGUN_GRACE_MS = 3_000  # the search ends after 2 s
LOOK_AGAIN_MS = 500
HELD_UP_S = 0.5
"""So long one look lets itself be held up: each turn that waits for replicas in vain
takes a second, and new turns come before those that were lost."""

SOONEST_MS_PER_JOB = 1  # no set of workers known to us is through with one sooner

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of the jobs of one turn, beside the jobs: they come and go."""

    number: int = 1  # of the latest job
    failed: int = 0  # how many of them failed, or died while they thought
    spared: int = 0  # the job that was left alone because it had begun


class OverdueTurns:
    """Finds turns that nobody plays, and asks for them again."""

    def __init__(
        self,
        deadlines: Deadlines,
        matches: MatchService,
        queue: Queue,
        now_ms: Callable[[], int],
    ) -> None:
        """Look at what is due in a log, and ask in a queue."""
        self._log = deadlines
        self._matches = matches
        self._queue = queue
        self._now_ms = now_ms

    def ask_again(self) -> int:
        """Ask again for every overdue turn that nobody plays; return how many.

        The list is read after the deadlines: a turn that is overdue and not in the list
        was taken from it, or never stood there. One that waits is looked at again after
        a time that grows with the jobs before it, so a long queue costs little, and its
        jobs do not multiply.
        """
        now_ms = self._now_ms()
        overdue = self._log.overdue(now_ms, AT_ONCE)
        if not overdue:
            return 0
        places = waiting_turns(self._queue)
        self._log.postpone(
            {
                match_id: now_ms + LOOK_AGAIN_MS + places[match_id] * SOONEST_MS_PER_JOB
                for match_id in overdue
                if match_id in places
            }
        )
        asked, until = 0, time.monotonic() + HELD_UP_S
        for match_id in (m for m in overdue if m not in places):
            try:
                asked += self._retry(match_id)
            except LogUnavailable as error:  # its server; those of others may be well
                log.warning("overdue turn waits", match=match_id, reason=str(error))
                self._log.postpone({match_id: self._now_ms() + AI_DEADLINE_MS})
                if time.monotonic() > until:
                    break
            except RedisError:  # the queue is away, and the match none the worse
                raise
            except Exception:  # whatever it is: the turns of others go on
                log.exception("overdue turn left", match=match_id)
                self._log.postpone({match_id: self._now_ms() + QUARANTINE_MS})
        return asked

    def _retry(self, match_id: str) -> bool:
        """Ask for a turn whose job is not in the list, unless that has just begun."""
        now_ms = self._now_ms()
        try:
            match = self._matches.load(match_id)
        except Refused as refusal:
            log.warning("overdue turn left", match=match_id, reason=str(refusal))
            self._log.postpone({match_id: now_ms + QUARANTINE_MS})
            return False
        if match.ai_to_move is None:  # it was played since
            self._log.postpone({match_id: now_ms + AI_DEADLINE_MS})
            return False
        asked = self._asked(match)
        job = find_turn(self._queue, match.id, match.version, asked.number)
        grace_ms = self._grace_ms(asked, job)
        if grace_ms:
            self._note(match, Asked(asked.number, asked.failed, spared=asked.number))
            self._log.postpone({match_id: now_ms + grace_ms})
            return False
        following = self._after(asked, job)
        pause_ms = min(following.number * LOOK_AGAIN_MS, AI_DEADLINE_MS)
        self._log.postpone({match_id: now_ms + pause_ms})
        log.warning(
            "turn overdue",
            match=match_id,
            version=match.version,
            job=following.number,
            was="gone" if job is None else str(job.get_status(refresh=False)),
        )
        OVERDUE.add()
        attempt = following.failed + 1
        is_new = enqueue_turn(
            self._queue,
            match_id,
            match.version,
            attempt,
            following.number,
            tenant=match.tenant,
        )
        self._note(match, following)
        return is_new

    def _grace_ms(self, asked: Asked, job: Job | None) -> int:
        """Return for how long a job that has begun is left alone: once, then 0.

        Clocks of workers may differ from ours; a job is spared no longer for that.
        """
        if job is None or asked.spared == asked.number or job.started_at is None:
            return 0
        if job.get_status(refresh=False) != JobStatus.STARTED:
            return 0
        begun_ms = int(job.started_at.timestamp() * 1000)
        remaining_ms = begun_ms + BEGUN_GRACE_MS - self._now_ms()
        return min(max(remaining_ms, 0), BEGUN_GRACE_MS)

    def _after(self, asked: Asked, job: Job | None) -> Asked:
        """Return what to ask next. A job that was lost on its way has not failed."""
        if job is None:  # never asked for, gone with its queue, or ended without a move
            return asked
        has_failed = job.get_status(refresh=False) in (
            JobStatus.STARTED,
            JobStatus.FAILED,
        )
        if not has_failed:  # RQ removes what has begun by itself, and this never
            self._queue.connection.expire(job.key, LOST_JOB_TTL_S)
        return Asked(asked.number + 1, asked.failed + has_failed)

    def _asked(self, match: Match) -> Asked:
        facts = self._queue.connection.hgetall(_key(match))
        return Asked(**{as_text(name): int(value) for name, value in facts.items()})

    def _note(self, match: Match, asked: Asked) -> None:
        facts: dict[Any, Any] = asdict(asked)
        with self._queue.connection.pipeline() as pipeline:
            pipeline.hset(_key(match), mapping=facts)
            pipeline.expire(_key(match), ASKED_TTL_S)
            pipeline.execute()


def _key(match: Match) -> str:
    return f"asked:{match.id}:{match.version}"
