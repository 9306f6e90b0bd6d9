"""A queue that is away costs a worker one line of the log, and is waited for."""

import threading
import time

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse
from redis.exceptions import TimeoutError as RedisTimeoutError

from services.cli.redis_server import free_port
from services.eventlog import LogUnavailable
from services.logs import Absence
from tests.support.patience import wait_for
from tests.workers.stack import Stack, own_signals, settings
from workers import beside, dispatcher, log_there, worker
from workers.dispatcher import Dispatcher
from workers.queues import connect_queues, job_queue
from workers.worker import AiWorker, signed_on

BEFORE_THE_JOB = ("register_birth", "check_for_suspension", "heartbeat", "set_state")
WITH_THE_JOB = ("prepare_execution", "prepare_job_execution", "handle_job_success")


def stop_when_empty(stack: Stack, served: AiWorker) -> None:
    while stack.queue.count:
        time.sleep(0.01)
    served._shutdown()


@pytest.mark.parametrize(
    "error", [RedisConnectionError, RedisTimeoutError, InvalidResponse]
)
@pytest.mark.parametrize("place", BEFORE_THE_JOB + WITH_THE_JOB)
def test_wherever_the_queue_goes_away_one_line_says_so_and_work_goes_on(
    stack: Stack,
    real_redis: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    error: type[Exception],
) -> None:
    """The sweep finds a turn that was lost on its way; that is tried elsewhere."""
    settings(monkeypatch, real_redis)
    monkeypatch.setattr(worker, "LOOK_AGAIN_S", 0.01)
    monkeypatch.setattr(AiWorker, "max_connection_wait_time", 0.01)
    monkeypatch.setattr(worker, "ABSENCE", Absence("worker waits for the queue", "on"))
    work, failures = getattr(AiWorker, place), []

    def fail_once(*given: object, **named: object) -> object:
        if not failures:
            failures.append(error("gone"))
            raise failures[0]
        return work(*given, **named)

    monkeypatch.setattr(AiWorker, place, fail_once)
    match = stack.open()
    stack.dispatcher.run_once()
    served = AiWorker([stack.queue], connection=stack.redis, serializer="json")
    threading.Thread(target=stop_when_empty, args=(stack, served)).start()
    with own_signals():
        served.serve(stack.log.check)

    said = "".join(capsys.readouterr())
    assert failures
    assert said.count("worker waits for the queue") == 1
    assert "Traceback" not in said
    if place in BEFORE_THE_JOB:
        assert stack.matches.load(match.id).ply == 1


def test_a_queue_that_is_away_at_the_start_is_waited_for(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """RQ asks it for its version, and other things, while a worker is made."""
    monkeypatch.setattr(worker, "LOOK_AGAIN_S", 0.01)
    monkeypatch.setattr(worker, "ABSENCE", Absence("worker waits for the queue", "on"))
    nobody = f"redis://127.0.0.1:{free_port()}/0"
    queues = iter([nobody, nobody, ""])

    def make() -> AiWorker:
        away = next(queues)
        connection = connect_queues(away) if away else stack.redis
        queue = job_queue(connection)
        return AiWorker([queue], connection=connection, serializer="json")

    assert signed_on(make).connection is stack.redis
    assert "".join(capsys.readouterr()).count("worker waits for the queue") == 1


def test_who_cannot_reach_the_log_leaves_the_turns_to_others(
    stack: Stack,
    real_redis: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A worker with a wrong password of the log took one after the other from them."""
    settings(monkeypatch, real_redis)
    monkeypatch.setattr(worker, "LOOK_AGAIN_S", 0.01)
    monkeypatch.setattr(log_there, "ABSENCE", Absence("worker waits for the log", "on"))
    log_there.doubt()
    stack.open()
    stack.dispatcher.run_once()
    left: list[int] = []

    def check() -> None:
        left.append(stack.queue.count)
        if len(left) <= 3:
            raise LogUnavailable("invalid password")

    served = AiWorker([stack.queue], connection=stack.redis, serializer="json")
    threading.Thread(target=stop_when_empty, args=(stack, served)).start()
    with own_signals():
        served.serve(check)

    assert left == [1, 1, 1, 1]
    said = "".join(capsys.readouterr())
    assert said.count("worker waits for the log") == said.count("invalid password") == 1


@pytest.mark.parametrize("error", [LogUnavailable, RedisConnectionError])
def test_dispatchers_say_once_a_minute_that_something_is_away(
    stack: Stack,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: type[Exception],
) -> None:
    monkeypatch.setattr(beside, "ABSENT_S", 0.001)
    monkeypatch.setattr(dispatcher, "ABSENT_S", 0.001)
    monkeypatch.setattr(dispatcher, "FEED_WAIT_S", 0.0)
    tried: list[str] = []

    def away(*_: object, **__: object) -> int:
        tried.append("once more")
        raise error("gone")

    monkeypatch.setattr(Dispatcher, "sweep", away)
    stack.dispatcher.run(lambda: len(tried) >= 5)
    beside.go_on("webhooks", away, lambda: len(tried) >= 10)

    said = "".join(capsys.readouterr())
    assert said.count("dispatcher waits") == said.count("dispatcher ready") == 1
    assert said.count("webhooks wait") == 1
    assert said.count("away=log" if error is LogUnavailable else "away=queue") == 2


def test_a_queue_that_came_back_empty_hears_again_who_works_for_it(
    stack: Stack, real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(monkeypatch, real_redis)
    monkeypatch.setattr(worker, "SIGN_ON_EVERY_S", 0.0)
    served = AiWorker([stack.queue], connection=stack.redis, serializer="json")
    heard = []

    def forget_and_stop() -> None:
        try:
            wait_for("the worker", lambda: stack.redis.scard("rq:workers"))
            stack.redis.delete("rq:workers")
            heard.append(wait_for("it", lambda: stack.redis.scard("rq:workers")))
        finally:
            served._shutdown()

    thread = threading.Thread(target=forget_and_stop)
    thread.start()
    with own_signals():
        served.serve(stack.log.check)
    thread.join()

    assert heard == [1]
    assert not stack.redis.scard("rq:workers")  # it has signed off
