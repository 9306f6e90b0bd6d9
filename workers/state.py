"""What stands in log and queue, as figures: told once, by whoever can look at both.

Each is read when somebody asks. Nothing names a match or a tenant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from rq.registry import FailedJobRegistry, StartedJobRegistry

from services.bootstrap import now_ms
from services.eventlog import PARTITIONS, LogUnavailable, RedisEventLog, Room
from services.eventlog.keys import key_of
from services.eventlog.library import connect_redis
from services.eventlog.room import held_by
from services.presence import Presence
from services.settings import ACTING, Settings
from services.views import MatchList, Ratings, TenantFeed
from services.webhooks import Webhooks
from workers.dispatcher import GROUP
from workers.queues import (
    AI_BATCH,
    AI_GAMES,
    AI_LIVE,
    WEBHOOKS,
    connect_queues,
    job_queue,
)

TIMEOUT_S = 2.0
COUNTED_ENTRIES = 1_000
"""Of each partition: who is further behind than that is told to be that far."""
COUNTED_TURNS = 10_000

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """Something that is looked up: its name, its meaning, the names of its labels."""

    name: str
    meaning: str
    labels: Labels = ()


LOG_UP = Reading("seedlog_log_up", "1 while the event log answers.")
QUEUE_UP = Reading("seedlog_queue_up", "1 while the job queue answers.")
PROCESSES = Reading("seedlog_processes", "Processes that live.", ("process",))
BEHIND_ENTRIES = Reading(
    "seedlog_follower_behind_entries",
    "Entries of the feed that a follower has not taken in.",
    ("follower",),
)
BEHIND_SECONDS = Reading(
    "seedlog_follower_behind_seconds",
    "Age of the oldest entry of the feed that a follower has not taken in.",
    ("follower",),
)
STOPPED = Reading(
    "seedlog_view_stopped", "1 while a view stands still, at a poison event.", ("view",)
)
MATCHES = Reading("seedlog_matches", "Matches in the log, or the archive.", ("where",))
TURNS_WAITING = Reading("seedlog_turns_waiting", "Turns of AIs that are not played.")
TURNS_OVERDUE = Reading("seedlog_turns_overdue", "Those that should be played by now.")
LOG_BYTES = Reading("seedlog_log_bytes", "Memory that the event log takes.")
LOG_LIMIT = Reading("seedlog_log_limit_bytes", "Memory that it may take; 0: any.")
QUEUE_BYTES = Reading("seedlog_queue_bytes", "Memory that the job queue takes.")
QUEUE_LIMIT = Reading("seedlog_queue_limit_bytes", "Memory that it may take; 0: any.")
REPLICAS_WANTED = Reading(
    "seedlog_replicas_wanted", "Replicas that must hold an event (SEEDLOG_REPLICAS)."
)
REPLICAS = Reading("seedlog_replicas", "Replicas that keep up, where any is wanted.")
WEBHOOKS_BEHIND = Reading(
    "seedlog_webhooks_behind_seconds",
    "How old what is not planned may be, and how long what is due was not sent.",
    ("step",),
)
JOBS_WAITING = Reading("seedlog_jobs_waiting", "Jobs that wait.", ("queue",))
JOBS_RUNNING = Reading("seedlog_jobs_running", "Jobs that are carried out.", ("queue",))
JOBS_FAILED = Reading(
    "seedlog_jobs_failed", "Jobs that failed in the last five minutes.", ("queue",)
)

READINGS = (
    *(LOG_UP, QUEUE_UP, PROCESSES, BEHIND_ENTRIES, BEHIND_SECONDS, STOPPED),
    *(MATCHES, TURNS_WAITING, TURNS_OVERDUE),
    *(LOG_BYTES, LOG_LIMIT, QUEUE_BYTES, QUEUE_LIMIT, REPLICAS_WANTED, REPLICAS),
    *(WEBHOOKS_BEHIND, JOBS_WAITING, JOBS_RUNNING, JOBS_FAILED),
)
QUEUES = (AI_LIVE, AI_GAMES, AI_BATCH, WEBHOOKS)

Value = tuple[Reading, Labels, float]


class State:
    """Looks at log and queue, and gives what it finds to Prometheus."""

    def __init__(self, settings: Settings) -> None:
        """Look at the Redis servers of the settings; nothing is contacted yet.

        Where they do not say where the queue is, nothing is told of it.
        """
        url = settings.redis_url
        self._log = RedisEventLog(url, replicas=settings.replicas)
        self._redis = connect_redis(url)
        self._room = Room(url)
        self._presence = Presence(url)
        self._views = (MatchList(url), TenantFeed(url), Ratings(url))
        self._webhooks = Webhooks(url, self._log, settings.secret)
        self._queue: Redis | None = None
        if settings.queue_url:
            self._queue = connect_queues(settings.queue_url, TIMEOUT_S)

    def describe(self) -> list[Any]:
        """Return nothing: what there is depends on who answers."""
        return []

    def collect(self) -> Iterator[Any]:
        """Yield what stands in log and queue, in the form of the library."""
        from prometheus_client.core import GaugeMetricFamily

        families = {
            known: GaugeMetricFamily(known.name, known.meaning, labels=known.labels)
            for known in READINGS
        }
        for known, labels, value in self.look():
            families[known].add_metric(labels, value)
        yield from (family for family in families.values() if family.samples)

    def look(self) -> list[Value]:
        """Return what there is to tell; of what does not answer, only that."""
        found: list[Value] = []
        try:
            found += [*self._of_log(), (LOG_UP, (), 1)]
        except LogUnavailable:
            found = [(LOG_UP, (), 0)]
        if self._queue is None:
            return found
        try:
            found += [*self._of_queue(self._queue), (QUEUE_UP, (), 1)]
        except RedisError:
            found.append((QUEUE_UP, (), 0))
        return found

    # -- the log

    def _of_log(self) -> list[Value]:
        return [
            *self._followers(),
            *self._matches(),
            *(
                (PROCESSES, (kind,), count)
                for kind, count in self._presence.count(ACTING).items()
            ),
            *((STOPPED, (v.name,), bool(v.stopped())) for v in self._views),
            *_told((LOG_BYTES, LOG_LIMIT), self._room.held()),
            *self._replicas(),
            *(
                (WEBHOOKS_BEHIND, (step,), behind_ms / 1000)
                for step, behind_ms in zip(
                    ("planning", "sending"),
                    self._webhooks.behind_ms(now_ms()),
                    strict=True,
                )
            ),
        ]

    def _followers(self) -> list[Value]:
        cursors = {
            f"view:{view.name}": known
            for view in self._views
            if (known := view.cursors())
        }
        if self._log.has_group(GROUP):
            cursors["dispatcher"] = self._log.join(GROUP).cursors()
        cursors["webhooks"] = self._webhooks.deliveries.cursors()
        found: list[Value] = []
        for follower, read in cursors.items():
            if not read:  # it has never run
                continue
            entries, seconds = self._behind(read)
            found.append((BEHIND_ENTRIES, (follower,), entries))
            found.append((BEHIND_SECONDS, (follower,), seconds))
        return found

    def _behind(self, cursors: Mapping[int, str]) -> tuple[int, float]:
        """Return how many entries come after cursors, and how old the oldest is."""
        unread = self._log.follow(cursors, COUNTED_ENTRIES)
        if not unread:
            return 0, 0.0
        oldest_ms = min(int(entry.cursor.partition("-")[0]) for entry in unread)
        return len(unread), max(now_ms() - oldest_ms, 0) / 1000

    def _matches(self) -> list[Value]:
        with self._redis.pipeline(transaction=False) as pipe:
            for partition in range(PARTITIONS):
                pipe.zcard(key_of("streams", partition))
                pipe.hlen(key_of("archive", partition))
            counts = pipe.execute()
        return [
            (MATCHES, ("log",), sum(counts[::2])),
            (MATCHES, ("archive",), sum(counts[1::2])),
            (TURNS_WAITING, (), self._log.deadlines()),
            (TURNS_OVERDUE, (), len(self._log.overdue(now_ms(), COUNTED_TURNS))),
        ]

    def _replicas(self) -> list[Value]:
        found = self._log.replication()
        return _told((REPLICAS_WANTED, REPLICAS), (found.wanted, found.found))

    # -- the queue

    def _of_queue(self, redis: Redis) -> list[Value]:
        found = _told((QUEUE_BYTES, QUEUE_LIMIT), held_by(redis))
        for name in QUEUES:
            queue = job_queue(redis, name)
            running = StartedJobRegistry(queue=queue).get_job_count(cleanup=False)
            failed = FailedJobRegistry(queue=queue).get_job_count(cleanup=False)
            found.append((JOBS_WAITING, (name,), queue.count))
            found.append((JOBS_RUNNING, (name,), running))
            found.append((JOBS_FAILED, (name,), failed))
        return found


def _told(readings: Sequence[Reading], values: Sequence[float]) -> list[Value]:
    return [(known, (), value) for known, value in zip(readings, values, strict=True)]
