"""No turn waits for ever, whatever becomes of its job; and no queue is multiplied."""

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from rq.exceptions import StopRequested
from rq.job import Job, JobStatus

from services.eventlog import LogUnavailable, MemoryEventLog, State, TooFewReplicas
from services.languages import Message
from services.match import Match
from services.match.notes import AI_DEADLINE_MS
from tests.support.killing import Victims
from tests.workers.stack import Stack, own_signals, settings
from workers import overdue, play_turn
from workers.overdue import BEGUN_GRACE_MS, QUARANTINE_MS
from workers.worker import AiWorker

SWEEP_MS = 500
BOUND_MS = AI_DEADLINE_MS + BEGUN_GRACE_MS + 2 * SWEEP_MS


def take(stack: Stack) -> Job:
    """Take a job from the list as Redis gives it to a worker; say nothing of it."""
    name = stack.redis.lpop(stack.queue.key)
    job = stack.queue.fetch_job(name.decode())
    assert job is not None
    return job


def is_asked_within(stack: Stack, bound_ms: int) -> bool:
    return any(stack.sweep_at(SWEEP_MS) for _ in range(bound_ms // SWEEP_MS))


@pytest.mark.parametrize("ahead_s", [-3600, 0, 3600])
@pytest.mark.parametrize("status", list(JobStatus))
def test_whatever_its_job_says_an_overdue_turn_is_asked_for_again(
    stack: Stack, status: JobStatus, ahead_s: int
) -> None:
    """Killed, stopped or cut off: what it last said stands there for ever.

    The clock of the machine that wrote it may be an hour off, too.
    """
    stack.open()
    stack.dispatcher.run_once()
    job = take(stack)
    job.started_at = datetime.fromtimestamp(stack.clock.now / 1000 + ahead_s, UTC)
    job.save()
    job.set_status(status)

    assert is_asked_within(stack, BOUND_MS)
    assert len(stack.jobs()) == 1


def test_a_turn_is_asked_for_as_often_as_its_jobs_are_lost(stack: Stack) -> None:
    """The jobs are new ones, and none of them counts as a failure of the AI."""
    stack.open()
    stack.dispatcher.run_once()
    ids = set()
    for _ in range(5):
        job = take(stack)
        ids.add(job.id)
        assert job.args[2] == 1
        assert is_asked_within(stack, BOUND_MS)

    assert len(ids) == 5


def test_a_job_that_dies_while_it_thinks_has_failed(stack: Stack) -> None:
    """So a position that no worker survives comes to the weakest level in the end."""
    stack.open()
    stack.dispatcher.run_once()
    attempts = []
    for _ in range(4):
        job = take(stack)
        attempts.append(job.args[2])
        job.started_at = datetime.fromtimestamp(stack.clock.now / 1000, UTC)
        job.save()
        job.set_status(JobStatus.STARTED)
        assert is_asked_within(stack, BOUND_MS)

    assert attempts == [1, 2, 3, 4]


def test_a_log_that_is_away_is_no_failure_of_the_ai(
    stack: Stack, real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(monkeypatch, real_redis)
    monkeypatch.setattr(play_turn, "WAIT_FOR_LOG_S", 0.0)

    def fail(*_: object) -> None:
        raise LogUnavailable("too few replicas")

    monkeypatch.setattr(play_turn, "play_turn", fail)
    stack.open()
    stack.dispatcher.run_once()
    work_off(stack)

    assert is_asked_within(stack, BOUND_MS)
    assert [job.args[2] for job in stack.jobs()] == [1]


MANY = 1_000


@pytest.fixture
def crowded(real_redis: str) -> Iterator[Stack]:
    """Yield a stack where many turns wait for few workers."""
    stack = Stack(real_redis, MemoryEventLog())
    for number in range(MANY):
        stack.open(match_id=f"mat_{number}")
    while stack.dispatcher.run_once():
        pass
    yield stack
    stack.redis.flushall()
    stack.redis.close()


def play(stack: Stack, job: Job) -> None:
    match_id, version, attempt = job.args
    play_turn.play_turn(
        stack.matches,
        match_id,
        version,
        attempt,
        7,
        lambda p, *_, **__: p.legal_moves[0],
    )
    job.delete()


def test_a_long_queue_is_not_multiplied(crowded: Stack) -> None:
    """Everything in it is overdue, most of it long since; each turn has one job."""
    for _ in range(60):
        assert crowded.sweep_at(SWEEP_MS) == 0

    assert crowded.queue.count == MANY


def test_a_job_lost_in_a_long_queue_is_found_while_that_is_worked_off(
    crowded: Stack,
) -> None:
    """One of a hundred is lost on its way: so many are asked for again, and no more."""
    taken = lost = again = 0
    while crowded.queue.count:
        for _ in range(50):  # far slower than the queue could go
            if crowded.queue.count:
                job = take(crowded)
                taken += 1
                if taken % 100 == 0 and taken <= MANY:
                    lost += 1
                else:
                    play(crowded, job)
        again += crowded.sweep_at(SWEEP_MS)
    for _ in range(BOUND_MS // SWEEP_MS):
        again += crowded.sweep_at(SWEEP_MS)
        while crowded.queue.count:
            play(crowded, take(crowded))

    assert lost == again == MANY // 100
    assert crowded.log.overdue(2**53) == []


def work_off(stack: Stack) -> None:
    """Carry out what is in the queue; leave the signals of this process alone."""
    with own_signals():
        worker = AiWorker([stack.queue], connection=stack.redis, serializer="json")
        worker.work(burst=True, logging_level="ERROR")


def is_played(stack: Stack, match: Match) -> bool:
    return stack.matches.load(match.id).ply == 1


def test_a_worker_told_to_stop_as_it_takes_a_job_carries_that_out(
    stack: Stack, real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And takes no other: what it has not taken waits in the list for the next one."""
    settings(monkeypatch, real_redis)
    first, second = stack.open(), stack.open(match_id="mat_2")
    while stack.dispatcher.run_once():
        pass
    given = AiWorker.queue_class.dequeue_any

    def give_and_stop(*arguments: object, **named: object) -> object:
        taken = given(*arguments, **named)
        os.kill(os.getpid(), signal.SIGTERM)
        return taken

    monkeypatch.setattr(AiWorker.queue_class, "dequeue_any", give_and_stop)
    work_off(stack)

    assert is_played(stack, first) + is_played(stack, second) == 1
    assert len(stack.jobs()) == 1


def test_an_idle_worker_told_to_stop_stops(stack: Stack) -> None:
    worker = AiWorker([stack.queue], connection=stack.redis, serializer="json")
    worker._shutdown()

    with pytest.raises(StopRequested):
        worker.dequeue_job_and_maintain_ttl(1)


PLACES = 20


def work_one(url: str) -> None:
    """Carry out one job; this is what is killed."""
    stack_queue = Stack.queue_at(url)
    worker = AiWorker(
        [stack_queue], connection=stack_queue.connection, serializer="json"
    )
    worker.work(burst=True, max_jobs=1, logging_level="ERROR")


def test_wherever_a_worker_is_killed_its_turn_is_played(
    stack: Stack, real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its start to its end, between any two lines of RQ, redis-py and ours."""
    settings(monkeypatch, real_redis)
    work = "tests.workers.test_overdue:work_one"
    with Victims(work, real_redis, traced=r"/rq/|/workers/|redis/client") as victims:
        stack.open(match_id="mat_counted", game="oware")
        stack.dispatcher.run_once()
        lines = victims.count_lines()
        for number in range(1, lines, lines // PLACES):
            match = stack.open(match_id=f"mat_{number}", game="oware")
            stack.dispatcher.run_once()
            victims.kill_at_line(number)
            if is_played(stack, match):  # it was nearly through
                continue
            if not stack.queue.count:
                assert is_asked_within(stack, BOUND_MS), f"lost at line {number}"
            victims.run()
            assert is_played(stack, match), f"lost at line {number}"


class Held(MemoryEventLog):
    """One match of it stands on a server that has lost its replicas."""

    held = ""

    def load(self, stream: str) -> State | None:
        if stream == self.held:
            raise TooFewReplicas(Message("it has none"))
        return super().load(stream)


def test_a_turn_that_waits_for_replicas_holds_up_no_other(redis_url: str) -> None:
    """One master of a cluster without its replica silenced the AIs of all."""
    log = Held()
    stack = Stack(redis_url, log)
    stack.open(match_id="mat_held")
    stack.open(match_id="mat_lost")
    stack.dispatcher.run_once()
    stack.queue.empty()
    log.held = "mat_held"

    assert stack.sweep_at(AI_DEADLINE_MS) == 1
    stack.open(match_id="mat_new")
    assert stack.dispatcher.run_once() == 1

    assert {job.args[0] for job in stack.jobs()} == {"mat_lost", "mat_new"}
    assert log.deadlines() == 3, "it is looked at again"


class Damaged(MemoryEventLog):
    """What one match of it holds is read by an error that nobody has foreseen."""

    damaged = ""

    def load(self, stream: str) -> State | None:
        if stream == self.damaged:
            raise TypeError("unhashable type: 'list'")
        return super().load(stream)


def test_a_turn_that_cannot_be_read_is_left_and_holds_up_no_other(
    redis_url: str,
) -> None:
    """It ended the dispatcher, whenever one was started."""
    log = Damaged()
    stack = Stack(redis_url, log)
    stack.open(match_id="mat_damaged")
    stack.open(match_id="mat_lost")
    stack.dispatcher.run_once()
    stack.queue.empty()
    log.damaged = "mat_damaged"

    assert stack.sweep_at(AI_DEADLINE_MS) == 1

    assert [job.args[0] for job in stack.jobs()] == ["mat_lost"]
    assert log.overdue(stack.clock.now + QUARANTINE_MS - 1) == ["mat_lost"]
    assert "mat_damaged" in log.overdue(stack.clock.now + QUARANTINE_MS)


def test_no_turn_is_left_because_the_queue_is_away(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked for as soon as the queue is back, and not an hour later."""
    stack = Stack(redis_url, MemoryEventLog())
    stack.open()

    def fail(*_: object, **__: object) -> None:
        raise RedisConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(overdue, "enqueue_turn", fail)
        with pytest.raises(RedisConnectionError):
            stack.sweep_at(AI_DEADLINE_MS)

    assert is_asked_within(stack, BOUND_MS)
