"""A Redis Cluster without a stack: what is moved into it, asked of it, and survives."""

import time
from pathlib import Path

import pytest

from services.bootstrap import connect, now_ms
from services.eventlog import LogUnavailable, RedisEventLog
from services.eventlog.connection import Connections
from services.eventlog.reading import LOOK_EVERY_S
from services.languages import Message
from services.limits.policies import Policy
from services.limits.refusals import RateExceeded
from services.players import REWRITE_EVERY_MS
from services.settings import Settings
from services.views import Projector
from tests.support.appending import append_one, new_stream
from tests.support.archived import World, fill
from tests.support.cluster import Cluster
from tests.support.commands import seedlog
from tests.support.patience import wait_for


def test_a_single_server_moves_into_a_cluster_by_backup_and_restore(
    real_redis: str, redis_cluster: Cluster, tmp_path: Path
) -> None:
    redis_cluster.flush()
    Connections(real_redis).call("FLUSHALL")
    world = World(real_redis, str(tmp_path / "archive"))
    matches = fill(world)
    old = connect(Settings(redis_url=real_redis, secret="s", data=tmp_path))
    key, _ = old.tenants.create_key("Acme")
    own = old.players.identify("ten_a", "u-42")
    old.webhooks.create("ten_a", "https://93.184.215.14/", ["*"], 1)

    file = tmp_path / "backup.gz"
    here, there = (
        {"REDIS_URL": url, "SEEDLOG_DATA": str(data)}
        for url, data in ((real_redis, tmp_path), (redis_cluster.url, tmp_path / "new"))
    )
    assert seedlog("backup", file, **here).exit_code == 0
    told = seedlog("restore", file, **there)

    assert f"{len(matches)} matches restored" in told.output
    new = connect(Settings(redis_url=redis_cluster.url, secret="s", data=tmp_path))
    for name, match in matches.items():
        assert new.matches.load(name) == match
    assert new.tenants.find_key(key)
    assert new.players.identify("ten_a", "u-42") == own
    assert len(new.webhooks.endpoints.of_tenant("ten_a")) == 1
    for view in new.views:
        Projector(new.event_log, view).begin()
    assert new.match_list.count() == len(matches)


def test_what_is_beside_the_log_asks_all_servers_or_one(
    redis_cluster: Cluster, tmp_path: Path
) -> None:
    """A script has its keys on one; memory, files and names are of all."""
    redis_cluster.flush()
    services = connect(Settings(redis_url=redis_cluster.url, secret="s", data=tmp_path))
    policy = Policy("guests", 2, 3600, Message("matches"))
    for _ in range(3):
        services.rates.take_at_once(policy, "somebody", once="one")
    services.rates.take_at_once(policy, "somebody", once="other")
    with pytest.raises(RateExceeded):
        services.rates.take_at_once(policy, "somebody")
    services.crowds.tell({"ten_a": 2})
    names = [f"ply_{number}" for number in range(12)]
    for name in names:
        services.players.register(name, "ten_a", "Amara")
        services.players.erase(name, "ten_a", 1)

    assert services.crowds.used("ten_a") == 2
    assert services.players.erased(names) == {*names}

    due = now_ms() + REWRITE_EVERY_MS
    wait_for("the files", lambda: services.erasures.run_once(due))
    rewritten = [written_anew(redis_cluster, p) for p in redis_cluster.masters()]
    assert all(rewritten)
    assert services.room.lack() == ""


def written_anew(cluster: Cluster, port: int) -> bool:
    """Tell whether a server has written its file anew since it began."""
    facts = str(cluster.ask(port, "INFO", "persistence"))
    return "aof_last_rewrite_time_sec:-1" not in facts


def test_a_killed_master_stops_writes_for_seconds_and_loses_nothing(
    redis_cluster: Cluster,
) -> None:
    redis_cluster.flush()
    log = RedisEventLog(redis_cluster.url, replicas=1)
    streams = [new_stream() for _ in range(24)]
    for stream in streams:
        append_one(log, stream)
    killed = redis_cluster.masters()[0]
    struck = [s for s in streams if redis_cluster.master_of(s) == killed]

    redis_cluster.kill(killed)
    for stream in struck[:3]:
        wait_for("a reply", lambda stream=stream: answers(log, stream))
    with pytest.raises(LogUnavailable, match="only 0 of 1 replicas"):
        append_one(log, struck[0])
    assert log.replication().found == 0
    redis_cluster.revive(killed)
    redis_cluster.settle()

    assert all(log.read(stream) for stream in streams)
    append_one(log, struck[0])
    assert log.replication().is_enough


def answers(log: RedisEventLog, stream: str) -> bool:
    try:
        return log.load(stream) is not None
    except LogUnavailable:
        return False


def test_what_has_moved_is_found_and_followed_where_it_is(
    redis_cluster: Cluster,
) -> None:
    """While it moves it can be read; a script waits, for not all its keys are there."""
    redis_cluster.flush()
    log, follower = (RedisEventLog(redis_cluster.url) for _ in range(2))
    stream = new_stream()
    append_one(log, stream)
    [first] = follower.follow({}, wait_s=1)
    seen = {first.partition: first.cursor}
    before = redis_cluster.master_of(stream)

    with redis_cluster.moving(stream):
        assert [event.version for event in log.read(stream)] == [1]
        with pytest.raises(LogUnavailable):
            append_one(log, stream)
    append_one(log, stream)
    [second] = follower.follow(seen, wait_s=2)
    seen[second.partition] = second.cursor
    follower.follow(seen, wait_s=0.01)
    append_one(log, stream)
    began = time.monotonic()
    [third] = follower.follow(seen, wait_s=5)

    assert time.monotonic() - began < LOOK_EVERY_S  # its bell has moved, too
    assert redis_cluster.master_of(stream) != before
    assert [entry.last for entry in (second, third)] == [2, 3]
