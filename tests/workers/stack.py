"""A log, a queue and a dispatcher, with a clock that the test moves."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job

from services.eventlog import EventLog, RedisEventLog
from services.match import Match, MatchService, OpenMatch, Player
from workers import play_turn
from workers.dispatcher import Dispatcher
from workers.queues import connect_queues, job_queue

AI = Player(kind="ai", level=2)
HUMAN = Player(kind="human", player="ply_a")


class Clock:
    """A clock that the test moves."""

    now = 1_000_000

    def __call__(self) -> int:
        return self.now


class Stack:
    """A log, a queue and a dispatcher, with a clock of their own."""

    def __init__(self, url: str, log: EventLog | None = None) -> None:
        self.redis: Redis = connect_queues(url)
        self.redis.flushall()
        self.clock = Clock()
        self.log: EventLog = log or RedisEventLog(url)
        self.matches = MatchService(self.log, self.clock)
        self.queue: Queue = job_queue(self.redis)
        self.dispatcher = Dispatcher(
            self.log, self.matches, self.queue, "one", self.clock
        )

    def open(
        self,
        south: Player = AI,
        north: Player = HUMAN,
        match_id: str = "mat_1",
        game: str = "kalah",
    ) -> Match:
        command = OpenMatch(
            game=game, tenant="ten_a", seats={"south": south, "north": north}
        )
        return self.matches.handle(match_id, command, by="key:k").match

    def jobs(self) -> list[Job]:
        return list(self.queue.jobs)

    def sweep_at(self, after_ms: int) -> int:
        self.clock.now += after_ms
        self.redis.delete("lease:sweep")
        return self.dispatcher.sweep()

    @staticmethod
    def queue_at(url: str) -> Queue:
        """Return the queue as another process sees it."""
        return job_queue(connect_queues(url))


def settings(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Let the jobs of this process find log and queue."""
    monkeypatch.setenv("REDIS_URL", url)
    monkeypatch.setenv("QUEUE_URL", url)
    monkeypatch.setenv("SEEDLOG_SECRET", "s" * 32)
    play_turn._services.cache_clear()


@contextmanager
def own_signals() -> Iterator[None]:
    """Give this process its signals back when a worker is through."""
    kept = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
