"""A log whose master the Sentinels name: what goes on when it is another one.

One group of servers for all tests here; each leaves them whole.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.api import create_app
from services.bootstrap import Services, connect
from services.cli import redis_server
from services.eventlog import LogUnavailable, RedisEventLog, pools
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.support.appending import append_one, new_stream
from tests.support.patience import wait_for
from tests.support.require import skip_without
from tests.support.sentinels import Sentinels, watched_by_sentinels
from workers.queues import connect_queues, enqueue_turn, job_queue, waiting_turns

PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sentinels]:
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    with watched_by_sentinels(tmp_path_factory.mktemp("sentinels")) as group:
        yield group


def services_of(group: Sentinels, folder: Path, replicas: int = 1) -> Services:
    return connect(
        Settings(redis_url=group.url, secret="s", data=folder, replicas=replicas)
    )


def acknowledged(log: RedisEventLog, stream: str) -> bool:
    """Append once, and tell whether it was acknowledged."""
    try:
        append_one(log, stream)
    except LogUnavailable:
        return False
    return True


def test_writes_go_on_at_the_next_master_with_all_that_was_acknowledged(
    group: Sentinels, tmp_path: Path
) -> None:
    services, follower = (services_of(group, tmp_path) for _ in range(2))
    log, stream = services.event_log, new_stream()
    assert isinstance(log, RedisEventLog)
    key, _ = services.tenants.create_key("Acme")
    queue = job_queue(connect_queues(group.url, 2.0))
    enqueue_turn(queue, "mat_a", 1)
    append_one(log, stream)
    seen = {e.partition: e.cursor for e in follower.event_log.follow({}, wait_s=1)}
    killed = group.master

    group.kill(killed)
    wait_for("a write", lambda: acknowledged(log, stream))
    [entry] = wait_for("news", lambda: news(follower, seen))

    state = log.load(stream)
    assert state is not None
    assert state.head.version >= 2  # one more if a refused one was recorded
    assert (entry.stream, entry.first) == (stream, 2)
    assert services.tenants.is_known(key)
    assert wait_for("the queue", lambda: waiting_turns(queue)) == {"mat_a": 0}
    group.revive(killed)
    group.settle()


def test_every_sentinel_names_the_next_master_as_soon_as_any(
    group: Sentinels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that leads a fail-over, too, while replicas are still told of it."""
    monkeypatch.setattr(pools, "SENTINEL_TIMEOUT_S", PATIENCE_S)
    killed = group.master
    group.kill(killed)
    group.revive(killed)

    for sentinel in group.sentinels:
        log = RedisEventLog(group.url_by(sentinel), timeout_s=PATIENCE_S)
        assert log.load("mat_none") is None

    group.settle()


def test_what_is_no_sentinel_is_passed_over(group: Sentinels) -> None:
    log = RedisEventLog(group.url_by(group.master, *group.sentinels))

    assert log.load("mat_none") is None


def test_where_all_replicas_have_to_hold_an_event_writing_goes_on_when_they_do(
    group: Sentinels, tmp_path: Path
) -> None:
    """The one that died is one of them soon."""
    log, stream = services_of(group, tmp_path, replicas=2).event_log, new_stream()
    assert isinstance(log, RedisEventLog)
    append_one(log, stream)
    killed = group.master

    group.kill(killed)
    assert not acknowledged(log, stream)
    group.revive(killed)
    wait_for("a write", lambda: acknowledged(log, stream))

    group.settle()


def news(services: Services, seen: dict[int, str]) -> list[object]:
    try:
        return list(services.event_log.follow(seen, limit=1, wait_s=0.2))
    except LogUnavailable:
        return []


def test_a_server_that_is_no_master_any_more_is_not_asked(group: Sentinels) -> None:
    """Sentinels learn of it late; it would tell what was there before."""
    log, stream = RedisEventLog(group.url), new_stream()
    append_one(log, stream)
    demoted = group.master
    other = group.replicas()[0]
    group.ask(demoted, "REPLICAOF", "127.0.0.1", other)

    log._redis.close()
    with pytest.raises(LogUnavailable, match="is no master now"):
        log.load(stream)

    group.ask(demoted, "REPLICAOF", "NO", "ONE")
    group.settle()
    assert log.load(stream) is not None


def test_a_server_that_is_demoted_before_it_has_waited_has_not_acknowledged(
    group: Sentinels,
) -> None:
    """The append was done, and what is to hold it cannot be asked for any more."""
    replica = Connections(f"redis://{group.address(group.replicas()[0])}")
    with pytest.raises(LogUnavailable, match="cannot serve now"):
        replica.call("WAIT", 1, 100)


def health(services: Services) -> dict[str, Any]:
    answer = create_app(services).test_client().get("/health/ready")
    told: dict[str, Any] = answer.get_json()
    return told


def test_without_enough_replicas_nothing_is_acknowledged_and_health_says_so(
    group: Sentinels, tmp_path: Path
) -> None:
    services, stream = services_of(group, tmp_path, replicas=2), new_stream()
    log = services.event_log
    append_one(log, stream)
    lost = group.replicas()[0]
    group.kill(lost)

    with pytest.raises(LogUnavailable, match="only 1 of 2 replicas"):
        append_one(log, stream)
    short = {"wanted": 2, "found": 1}
    wait_for("health", lambda: health(services).get("too_few_replicas") == short)

    group.revive(lost)
    group.settle()
    wait_for("all replicas", lambda: "too_few_replicas" not in health(services))
    append_one(log, stream)
