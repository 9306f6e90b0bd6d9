"""The observer tells what stands in log and queue, whoever has stopped working."""

from pathlib import Path

import pytest

from services.eventlog.connection import Connections
from services.presence import Presence
from services.settings import Settings
from tests.workers.stack import Stack
from workers import state
from workers.state import State


def looked(url: str, queue_url: str = "") -> dict[tuple[str, ...], float]:
    settings = Settings(redis_url=url, queue_url=queue_url or url)
    found = State(settings).look()
    return {(known.name, *labels): value for known, labels, value in found}


def test_a_follower_is_behind_until_it_is_done(stack: Stack, real_redis: str) -> None:
    """The entry that it has taken, and not yet released, too."""
    dispatcher = ("seedlog_follower_behind_entries", "dispatcher")
    assert dispatcher not in looked(real_redis)
    stack.dispatcher.run_once()
    stack.open(match_id="mat_1")
    stack.open(match_id="mat_2")
    assert looked(real_redis)[dispatcher] == 2

    group = stack.log.join("dispatcher")
    entries = group.take("another", limit=100)
    assert looked(real_redis)[dispatcher] == 2
    group.release(entries[:1])
    assert looked(real_redis)[dispatcher] == 1
    group.release(entries[1:])

    found = looked(real_redis)
    assert found[dispatcher] == 0
    assert found["seedlog_follower_behind_seconds", "dispatcher"] == 0


def test_what_waits_is_counted(stack: Stack, real_redis: str) -> None:
    stack.dispatcher.run_once()
    stack.open()
    stack.dispatcher.run_once()

    found = looked(real_redis)

    assert found["seedlog_jobs_waiting", "ai-live"] == 1
    assert found["seedlog_jobs_waiting", "webhooks"] == 0
    assert found["seedlog_turns_waiting",] == 1
    assert found["seedlog_turns_overdue",] == 1  # by the clock of this test, long ago
    assert found["seedlog_matches", "log"] == 1
    assert found["seedlog_log_bytes",] > 0


def test_processes_are_counted_while_they_say_that_they_live(
    stack: Stack, real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    presence = Presence(real_redis)
    presence.tell("dispatcher", "one")
    presence.tell("dispatcher", "two")
    presence.tell("dispatcher", "two")
    monkeypatch.setattr("services.presence.BELIEVED_S", -1)
    presence.tell("projector", "dead")

    found = looked(real_redis)

    assert found["seedlog_processes", "dispatcher"] == 2
    assert found["seedlog_processes", "projector"] == 0


def test_of_what_is_away_only_that_is_told(
    real_redis: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the other of the two is told of as before."""
    Connections(real_redis).call("FLUSHALL")
    nowhere = f"unix://{tmp_path}/nothing.sock"

    without_log = looked(nowhere, real_redis)
    without_queue = looked(real_redis, nowhere)

    assert without_log["seedlog_log_up",] == 0
    assert without_log["seedlog_queue_up",] == 1
    assert not [name for name, *_ in without_log if "turns" in name]
    assert without_queue["seedlog_log_up",] == 1
    assert without_queue["seedlog_queue_up",] == 0
    assert not [name for name, *_ in without_queue if "jobs" in name]


def test_prometheus_is_told_each_by_its_name_and_labels(real_redis: str) -> None:
    families = State(Settings(redis_url=real_redis, queue_url=real_redis)).collect()

    told = {family.name: family for family in families}

    assert set(told) <= {known.name for known in state.READINGS}
    waiting = told["seedlog_jobs_waiting"].samples
    assert {sample.labels["queue"] for sample in waiting} == set(state.QUEUES)
