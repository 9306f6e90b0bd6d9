"""A whole stack on a Redis Cluster: what is played, told, archived, moved and survives.

One cluster and one stack for all tests here. The queue has a Redis of its own: RQ
cannot be kept in a cluster.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from services.bootstrap import connect, now_ms
from services.cli.main import main
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
from tests.support.patience import wait_for
from tests.support.receiver import Receiver, receiving
from tests.support.stack import ALL_KINDS, Stack, running_stack

PROMISED_S = 5.0
SEATS = {
    "south": {"kind": "human", "name": "Amara", "player": "u-42"},
    "north": {"kind": "ai", "level": 1},
}


@pytest.fixture(scope="module")
def stack(
    redis_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    redis_cluster.flush()
    data = tmp_path_factory.mktemp("stack")
    settings = {
        "REDIS_URL": redis_cluster.url,
        "SEEDLOG_REPLICAS": "1",
        "SEEDLOG_WEBHOOK_PRIVATE": "1",
    }
    with running_stack(data, **ALL_KINDS, **settings) as stack:
        yield stack


def seedlog(url: str, data: Path, *arguments: object, **settings: str) -> Result:
    given = {"REDIS_URL": url, "SEEDLOG_DATA": str(data), **settings}
    ran = CliRunner(env=given).invoke(main, [str(argument) for argument in arguments])
    assert ran.exit_code == 0, ran.output
    return ran


def test_a_match_is_played_told_listed_analysed_and_archived(
    stack: Stack, redis_cluster: Cluster
) -> None:
    client = stack.client
    with receiving() as receiver:
        client.webhooks.create(receiver.url, ["*"])
        match_id = client.open_match("kalah", seats=SEATS)["id"]
        while (match := client.wait_for_turn(match_id, "south"))["legal_moves"]:
            move, version = match["legal_moves"][0], match["version"]
            client.play(match_id, move, seat="south", version=version)
        events = [event["version"] for event in client.events(match_id)]
        told = wait_for("all webhooks", lambda: told_whole(receiver, len(events)))

    assert events == [*range(1, match["version"] + 1)]
    assert {version for _, version in told} == {*events}
    assert client.audit(match_id)["ok"]
    [row] = wait_for("the list", lambda: [*client.matches(status="finished")])
    assert row["id"] == match_id
    assert client.players.read("u-42")["name"] == "Amara"
    asked = client.analyses.of_match(match_id, nodes=100)["id"]
    wait_for("the analysis", lambda: client.analyses.read(asked)["ended_at"])
    at_once = {"SEEDLOG_ARCHIVE_AFTER_HOURS": "0"}
    archived = seedlog(redis_cluster.url, stack.data, "archive", **at_once)
    assert "1 matches archived" in archived.output
    assert client.audit(match_id)["ok"]


def told_whole(receiver: Receiver, count: int) -> list[tuple[str, int]]:
    told = [message.said for message in receiver.messages]
    return told if len({*told}) == count else []


def test_a_page_of_followers_is_told_within_a_moment(stack: Stack) -> None:
    """By the bell of a feed: without it, it would be a second."""
    client = stack.client
    seats = {"south": {"kind": "human"}, "north": {"kind": "human"}}
    match = client.open_match("kalah", seats=seats)
    following = client.follow(match["id"], match["version"], within_s=20)
    waits = []
    for version in range(match["version"], match["version"] + 6):
        now = client.match(match["id"])
        began = time.monotonic()
        client.play(
            match["id"], now["legal_moves"][0], seat=now["to_move"], version=version
        )
        assert next(following)["version"] == version + 1
        waits.append(time.monotonic() - began)

    assert sorted(waits)[3] < 0.5, waits


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
    seedlog(real_redis, tmp_path, "backup", file)
    told = seedlog(redis_cluster.url, tmp_path / "new", "restore", file).output

    assert f"{len(matches)} matches restored" in told
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

    def are_written() -> bool:
        """Ask when it is due again: the stack may have begun with a few, just now."""
        return services.erasures.run_once(now_ms() + REWRITE_EVERY_MS)

    wait_for("the files", are_written)
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
    began = time.monotonic()
    for stream in struck[:3]:
        wait_for("a reply", lambda stream=stream: answers(log, stream))
    paused_s = time.monotonic() - began
    with pytest.raises(LogUnavailable, match="only 0 of 1 replicas"):
        append_one(log, struck[0])
    assert log.replication().found == 0
    redis_cluster.revive(killed)
    redis_cluster.settle()

    assert paused_s < PROMISED_S
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
