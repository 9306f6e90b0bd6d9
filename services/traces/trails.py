"""Trails: in which trace an event was recorded, beside the log and for a while.

So the log's format knows no traces, and who follows an event finds its trace.

Keys::

    trail:<match>:<version>  hash: ``traceparent`` and ``tracestate`` of W3C, and
                             ``by_job`` if a job recorded the event
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis
from services.logs import Seldom
from services.names import redis_key

KEPT_S = 600
"""So long a reply or a webhook may come late and be found in the trace."""

BY_JOB = "by_job"

_absence = Seldom(60)


@dataclass(frozen=True, slots=True)
class Trail:
    """Where a trace had come to when an event was recorded, and whether by a job."""

    carried: Mapping[str, str]
    by_job: bool


class Trails:
    """Leaves trails and finds them; where that fails, a trace is cut off, no more."""

    def __init__(self, redis_url: str) -> None:
        """Use the Redis of the log; nothing is contacted yet."""
        self._redis = connect_redis(redis_url)

    def leave(
        self,
        match_id: str,
        versions: Sequence[int],
        carried: Mapping[str, str],
        *,
        by_job: bool,
    ) -> None:
        """Note in which trace these versions of a match are recorded."""
        fields = {**carried, **({BY_JOB: "1"} if by_job else {})}
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                for version in versions:
                    key = redis_key("trail", match_id, str(version))
                    pipe.delete(key)
                    pipe.hset(key, mapping=fields)
                    pipe.expire(key, KEPT_S)
                pipe.execute()
        except LogUnavailable as error:
            _absence.warn("trail", "a trace is cut off", reason=str(error))

    def find(self, match_id: str, version: int) -> Trail | None:
        """Return the trail of an event, if it was recorded in a trace of late."""
        try:
            fields = self._redis.hgetall(redis_key("trail", match_id, str(version)))
        except LogUnavailable as error:
            _absence.warn("trail", "a trace is cut off", reason=str(error))
            return None
        by_job = bool(fields.pop(BY_JOB, ""))
        return Trail(fields, by_job) if fields else None
