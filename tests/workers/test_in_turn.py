"""Turns wait tenant by tenant, whoever has how many."""

import pytest
from rq import Queue

from workers import queues
from workers.queues import TURN, connect_queues, enqueue_turn, job_queue

SANDBOX = "ten_sandbox_s"


@pytest.fixture
def queue(real_redis: str) -> Queue:
    connection = connect_queues(real_redis)
    connection.flushall()
    return job_queue(connection)


def ask(queue: Queue, tenant: str, *names: str) -> None:
    for name in names:
        assert enqueue_turn(queue, name, 1, tenant=tenant)


def waiting(queue: Queue) -> list[str]:
    return [name.removeprefix(TURN).split("_")[0] for name in queue.job_ids]


def test_one_tenant_is_served_in_order(queue: Queue) -> None:
    ask(queue, "a", "a1", "a2", "a3")
    assert waiting(queue) == ["a1", "a2", "a3"]


def test_who_has_many_is_before_nobody_else(queue: Queue) -> None:
    ask(queue, "a", *(f"a{n}" for n in range(1, 7)))
    ask(queue, "b", "b1", "b2")
    ask(queue, "c", "c1")
    assert waiting(queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5", "a6"]


def test_rounds_go_on_as_jobs_are_taken(queue: Queue) -> None:
    ask(queue, "a", *(f"a{n}" for n in range(1, 6)))
    for _ in range(3):
        queue.connection.lpop(queue.key)
    ask(queue, "b", "b1", "b2")
    assert waiting(queue) == ["a4", "b1", "a5", "b2"]
    ask(queue, "a", "a6")
    ask(queue, "c", "c1")
    assert waiting(queue) == ["a4", "b1", "c1", "a5", "b2", "a6"]


def test_who_comes_back_waits_for_no_rounds_of_before(queue: Queue) -> None:
    ask(queue, "a", *(f"a{n}" for n in range(1, 4)))
    queue.connection.delete(queue.key)
    ask(queue, "b", "b1", "b2")
    ask(queue, "a", "a4")
    assert waiting(queue) == ["b1", "a4", "b2"]


def test_a_sandbox_is_the_first_in_its_turn(queue: Queue) -> None:
    ask(queue, "a", "a1", "a2")
    ask(queue, SANDBOX, "s1", "s2")
    ask(queue, "b", "b1")
    assert waiting(queue) == ["s1", "a1", "b1", "s2", "a2"]


def test_a_sandbox_that_goes_on_by_itself_is_before_nobody_twice(queue: Queue) -> None:
    """Matches between two AIs: each job that is done asks for the next one."""
    ask(queue, SANDBOX, "s1", "s2", "s3")
    ask(queue, "a", "a1")
    taken = []
    for number in range(4, 10):
        taken.append(waiting(queue)[0])
        queue.connection.lpop(queue.key)
        ask(queue, SANDBOX, f"s{number}")
    assert taken[:2] == ["s1", "a1"]


def test_who_comes_first_turns_back_no_round(queue: Queue) -> None:
    """A tenant that is new would be before all that have waited since long ago."""
    ask(queue, "a", *(f"a{n}" for n in range(1, 6)))
    for _ in range(3):
        queue.connection.lpop(queue.key)
    ask(queue, SANDBOX, "s1")
    ask(queue, "b", "b1", "b2")
    assert waiting(queue) == ["s1", "a4", "b1", "a5", "b2"]


def test_what_a_worker_has_taken_stays_taken(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken_before(given: Queue, job: str, tenant: str, *, is_first: bool) -> None:
        assert given.connection.lpop(given.key) == job.encode()
        put_in_turn(given, job, tenant, is_first=is_first)

    put_in_turn = queues.put_in_turn
    monkeypatch.setattr(queues, "put_in_turn", taken_before)
    ask(queue, "a", "a1")
    assert waiting(queue) == []


def test_what_is_kept_of_rounds_is_bounded(queue: Queue) -> None:
    for number in range(300):
        ask(queue, f"t{number % 7}", f"m{number}")
        if number >= 10:
            queue.connection.lpop(queue.key)
    assert queue.connection.zcard("ai-live:rounds") < 40
    assert queue.connection.ttl("ai-live:rounds") > 0
    assert queue.connection.ttl("ai-live:tenants") > 0
