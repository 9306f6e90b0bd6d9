"""What stands in Redis: an earlier installation, read by the code of today."""

import json
from collections.abc import Iterator

import pytest
from redis import Redis

from services.api import create_app
from services.archive.segment import Place
from services.eventlog import (
    IdempotencyKey,
    LogGone,
    RedisEventLog,
    State,
    chain_all,
    genesis,
    partition_of,
)
from services.eventlog.keys import keys_of
from services.match import Match, MatchService, snapshot
from services.match.phrases import PHRASES
from services.match.replay import replay
from services.views import Projector
from tests.formats.dump import load_dump
from tests.formats.installation import Installation
from tests.formats.record import APP_KEY, NOW_MS
from tests.support.app import Client
from tests.support.archived import none_damaged
from tests.support.samples import sample
from workers import play_turn
from workers.queues import connect_queues, find_turn, job_queue


def live_streams(installation: Installation) -> Iterator[str]:
    for key in installation.redis:
        if key.endswith(":ev"):
            yield key.split(":")[2]


def state_of(installation: Installation, match_id: str) -> State:
    state = installation.services.event_log.load(match_id)
    assert state is not None
    return state


def test_the_layout_is_one_that_is_known(installation: Installation) -> None:
    installation.services.event_log.check()


def test_a_log_is_known_by_its_identity(real_redis: str) -> None:
    key, text = "seedlog:log", sample("log-1.json")
    with Redis.from_url(real_redis) as redis:
        redis.flushall()
        load_dump(redis, text)
        log = RedisEventLog(real_redis)
        log.check()
        assert redis.hget(key, "id") == b"c2f6a8be60cc3eb9"
        redis.hset(key, "id", "aaaaaaaaaaaaaaaa")
        with pytest.raises(LogGone):
            log.check()


def test_the_partition_of_a_match_is_as_ever(installation: Installation) -> None:
    """A match that is looked for elsewhere is lost."""
    for key in installation.redis:
        if key.startswith("m:{"):
            _, tag, match_id, *_ = key.split(":")
            assert tag == f"{{{partition_of(match_id)}}}"
    names = {name for match in live_streams(installation) for name in keys_of(match)}
    assert names >= {key for key in installation.redis if key.endswith((":ev", ":st"))}
    # CRC-32 modulo 64, also of names that the installation does not have
    assert [partition_of(f"mat_{n}") for n in range(6)] == [60, 42, 16, 6, 37, 51]


def test_packed_events_are_those_of_the_head(installation: Installation) -> None:
    streams = [*live_streams(installation)]
    for match_id in streams:
        events = installation.services.event_log.read(match_id)
        assert chain_all(genesis(match_id), events) == (
            state_of(installation, match_id).head.hash
        )
    assert len(streams) == 9


def test_the_state_of_a_match_holds_its_snapshot(installation: Installation) -> None:
    for match_id in live_streams(installation):
        state = state_of(installation, match_id)
        read = snapshot.from_text(
            match_id, state.head.version, state.tenant, state.snapshot
        )
        events = installation.services.event_log.read(match_id)
        assert read == replay(Match(match_id), events)


def test_every_entry_of_the_feed_is_understood(installation: Installation) -> None:
    entries = installation.services.event_log.follow({}, limit=1000)

    told = sorted((e.stream, e.first, e.last, e.tenant, e.awaits) for e in entries)
    recorded = sorted(
        (stream, int(first), int(last), tenant, awaits)
        for key, value in installation.redis.items()
        if key.startswith("feed:")
        for _, _, stream, _, first, _, last, _, tenant, _, awaits in value["stream"]
    )
    assert told == recorded
    assert [(e.stream, e.last) for e in entries if e.awaits] == [
        (installation.answers["match"], 4)
    ]


def test_a_place_in_the_feed_is_kept(installation: Installation) -> None:
    """Cursors of views and groups: nothing is followed anew, nothing passed over."""
    log, views = installation.services.event_log, installation.services.views

    assert log.has_group("dispatcher")
    assert log.join("dispatcher").take("another") == []
    assert set(log.followers()) == {"view:matches", "view:tenant-feed"}
    for view in views:
        projector = Projector(log, view)
        projector.begin()
        assert projector.run_once() == 0


def test_an_overdue_turn_is_found(installation: Installation) -> None:
    late = installation.services.event_log.overdue(2**45)

    assert late == [installation.answers["match"]]


def test_a_record_of_an_idempotency_key_is_found(installation: Installation) -> None:
    for key, value in installation.redis.items():
        if ":i:" not in key:
            continue
        match_id, name = key.split(":")[2], key.split(":")[4]
        digest = value["string"].split(" ")[2]
        appended = installation.services.event_log.find_key(
            match_id, IdempotencyKey(name, digest)
        )
        assert appended is not None
        assert f"{appended.first} {appended.last} {digest}" == value["string"]


def test_an_archived_match_is_read_from_its_segment(installation: Installation) -> None:
    archive, name = installation.services.archive, installation.answers["archived"]
    [[where]] = [
        value["hash"].values()
        for key, value in installation.redis.items()
        if key.startswith("archive:")
    ]

    assert str(Place.of(where)) == where
    cold = archive.find(name)
    assert cold is not None
    assert chain_all(genesis(name), cold.events) == cold.head.hash
    archive._redis.hdel(keys_of(name).archive, name)
    assert archive.reindex(none_damaged) == 1
    assert archive._redis.hget(keys_of(name).archive, name) == where


def test_keys_and_names_are_known(installation: Installation) -> None:
    services, erased = installation.services, installation.answers["erased"]
    key = services.tenants.find_key(APP_KEY)

    assert key is not None
    assert (key.tenant, key.revoked) == ("ten_a", False)
    assert services.players.erased([erased]) == {erased}
    named = [
        reference.removeprefix("player:")
        for reference, value in installation.redis.items()
        if reference.startswith("player:") and "name" in value["hash"]
    ]
    assert len(services.players.names(named)) == len(named) > 0


def test_rows_of_the_list_are_shown_as_they_were(installation: Installation) -> None:
    rows = {
        match: json.loads(row)
        for key, value in installation.redis.items()
        if key.endswith(":rows")
        for match, row in value["hash"].items()
    }

    assert installation.services.match_list.dump() == rows
    assert len(rows) == 10


def test_what_an_app_has_kept_goes_on_working(installation: Installation) -> None:
    """Cursors of the list and the feed, tokens of seats, requests sent again."""
    client = Client(create_app(installation.services).test_client(), APP_KEY)
    kept = installation.answers

    for page in kept["lists"]:
        rows = client.get(page["path"]).get_json()["data"]
        assert [row.get("seq", row.get("id")) for row in rows] == page["data"]
    match = f"/v1/matches/{kept['match']}"
    for token in kept["seat_tokens"].values():
        assert client.holding(token).get(match).status_code == 200
    for sent in kept["requests"]:
        again = client.call(
            sent["method"], sent["path"], sent["body"], **sent["headers"]
        )
        assert again.status_code == 200, again.text
        told = again.get_json(), sent["answer"]
        assert [_version(body) for body in told] == [_version(told[1])] * 2


def _version(body: dict[str, object]) -> object:
    match = body.get("match", body)
    assert isinstance(match, dict)
    return match["id"], match["version"], match["position"]


def test_a_job_that_waits_in_the_queue_is_carried_out(
    installation: Installation,
) -> None:
    queue = job_queue(connect_queues(installation.services.settings.queue_url))
    job = find_turn(queue, installation.answers["match"], 4, 1)

    assert job is not None
    assert queue.get_job_ids() == [job.id]
    assert (job.func_name, job.func) == ("workers.play_turn.run", play_turn.run)
    assert job.args == [installation.answers["match"], 4, 1]


def test_a_clock_that_runs_is_known_and_its_time_called(real_redis: str) -> None:
    with Redis.from_url(real_redis) as redis:
        redis.flushall()
        load_dump(redis, sample("clock-redis-1.json"))
    log = RedisEventLog(real_redis, phrases=PHRASES)
    flag_ms = NOW_MS + 30_000
    assert log.alarms(2**60) == {"mat_clock": flag_ms}

    assert MatchService(log, lambda: flag_ms).call_time("mat_clock")

    last = log.read("mat_clock")[-1]
    assert (last.at_ms, last.data["reason"]) == (flag_ms, "time")
    assert log.alarms(2**60) == {}
