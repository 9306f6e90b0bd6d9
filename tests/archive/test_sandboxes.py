"""Matches of sandboxes vanish with all that belongs to them, and nobody else's do."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from services.api import create_app
from services.archive import Archiver, Vanishing
from services.bootstrap import Services, connect
from services.match import Folds
from services.settings import Settings
from services.views import Projector
from services.webhooks.follower import Follower
from tests.support.app import Client
from tests.support.tables import PRIVATE

DAY_MS = 24 * 3_600_000
NAMED = {"kind": "human", "name": "Amara"}
SEATS = {"south": NAMED, "north": {"kind": "human", "name": "Bo"}}
ENDPOINT = {"url": "https://93.184.215.14/", "events": ["*"]}


class World:
    """An installation whose clock a test moves, and everything that follows its log."""

    def __init__(self, url: str, folder: Path) -> None:
        Redis.from_url(url).flushall()
        self.url = url
        given = {"secret": "test secret", "signing_key": PRIVATE, "data": folder}
        self.services: Services = connect(Settings(redis_url=url, **given))
        self.late_ms = 0
        flask = create_app(self.services).test_client()
        tenants = self.services.tenants
        self.real = Client(flask, tenants.create_key("Acme")[0])
        self.sandbox = Client(flask, tenants.create_key("Acme", sandbox=True)[0])
        log = self.services.event_log
        views = self.services.views
        self.projectors = [Projector(log, view) for view in views]
        for projector in self.projectors:
            projector.begin()
        folds = Folds(log)
        self.follower = Follower(log, folds, self.services.webhooks, self.now_ms)

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self.late_ms

    def follow(self) -> None:
        for projector in self.projectors:
            while projector.run_once():
                pass
        while self.follower.run_once():
            pass

    def archiver(self, archive_after_ms: int = DAY_MS * 365) -> Archiver:
        services = self.services
        log, forget = services.event_log, services.forget_match
        return Archiver(
            log,
            services.matches,
            services.archive,
            self.now_ms,
            archive_after_ms=archive_after_ms,
            abandon_after_ms=DAY_MS * 365,
            vanishing=Vanishing(log, self.now_ms, DAY_MS, forget),
        )

    def play(self, client: Client) -> dict[str, Any]:
        """Let something of every kind be kept of a match."""
        match = client.post(
            "/v1/matches",
            {"game": "kalah", "seats": SEATS, "clock": {"days_per_move": 3}},
            Idempotency_Key=f"open{time.time_ns()}",
        ).get_json()
        path = f"/v1/matches/{match['id']}"
        move = {"move": "A", "seat": "south", "expected_version": match["version"]}
        assert client.post(f"{path}/moves", move).status_code == 201
        client.post(f"{path}/spectator-tokens", {})
        client.call("DELETE", f"{path}/spectator-tokens")
        return dict(match)

    def traces(self, match: dict[str, Any]) -> list[str]:
        """Return the keys that name a match, or a player in it."""
        redis: Any = Redis.from_url(self.url, decode_responses=True)
        names = [match["id"], *(who["reference"] for who in match["seats"].values())]
        readers = {
            "string": lambda key: [redis.get(key)],
            "hash": lambda key: [redis.hgetall(key)],
            "set": lambda key: [redis.smembers(key)],
            "list": lambda key: redis.lrange(key, 0, -1),
            "zset": lambda key: redis.zrange(key, 0, -1),
            "stream": lambda key: redis.xrange(key),
        }
        return sorted(
            key
            for key in redis.scan_iter(count=1000)
            if any(name in f"{key} {readers[redis.type(key)](key)}" for name in names)
        )


@pytest.fixture
def world(redis_url: str, tmp_path: Path) -> Iterator[World]:
    return World(redis_url, tmp_path)


@pytest.mark.parametrize("ends", [True, False])
def test_nothing_is_left_of_a_match_of_a_sandbox(world: World, *, ends: bool) -> None:
    """Feeds are trimmed by themselves, and what belongs to requests ends in an hour."""
    assert world.sandbox.post("/v1/webhook-endpoints", ENDPOINT).status_code == 201
    match, real = world.play(world.sandbox), world.play(world.real)
    if ends:
        path = f"/v1/matches/{match['id']}/resignation"
        world.sandbox.post(path, {"seat": "south"})
    world.follow()
    assert len(world.traces(match)) > 12
    before = world.traces(real)

    world.late_ms = DAY_MS - 60_000
    world.archiver().run_once()
    assert world.sandbox.get(f"/v1/matches/{match['id']}").status_code == 200
    world.late_ms = DAY_MS + 60_000
    world.archiver(archive_after_ms=0).run_once()
    world.follow()
    world.services.tenant_feed.trim(
        lambda name, _: world.services.event_log.load(name) is None
    )

    redis = Redis.from_url(world.url)
    for key in redis.scan_iter(
        "{view:matches}:opening:ten_sandbox_*"
    ):  # ten minutes are over
        assert 0 < redis.ttl(key) <= 600
        redis.delete(key)
    left = [k for k in world.traces(match) if not k.startswith("feed:{")]
    assert [key for key in left if not 0 < redis.ttl(key) <= 3600] == []
    answer = world.sandbox.get(f"/v1/matches/{match['id']}")
    assert answer.get_json()["type"] == "/problems/no-such-match"
    assert world.sandbox.get("/v1/matches").get_json()["data"] == []
    assert world.sandbox.get("/v1/events").get_json()["data"] == []
    [played] = [
        row
        for row in world.sandbox.get("/v1/statistics").get_json()["data"]
        if row["game"] == "kalah"
    ]
    assert (played["opened"], played["running"], played["finished"]) == (0, 0, 0)
    quota = world.sandbox.get("/v1/limits").get_json()["quotas"][0]
    assert quota["used"] == 0
    assert world.traces(real) == before


def test_real_matches_stay_whatever_their_age(world: World) -> None:
    match = world.play(world.real)
    world.late_ms = 300 * DAY_MS
    world.archiver().run_once()
    world.follow()
    assert world.real.get(f"/v1/matches/{match['id']}").status_code == 200
    tenant = world.services.matches.load(match["id"]).tenant
    assert not world.services.event_log.vanish(match["id"], "ten_sandbox_x")
    assert not world.services.event_log.vanish("mat_none", tenant)
    assert world.real.get(f"/v1/matches/{match['id']}").status_code == 200


def test_a_match_of_a_sandbox_is_never_archived(world: World) -> None:
    match = world.play(world.sandbox)
    path = f"/v1/matches/{match['id']}/resignation"
    world.sandbox.post(path, {"seat": "south"})
    world.late_ms = 60_000
    assert world.archiver(archive_after_ms=0).run_once() == 0
    assert world.services.archive.count() == 0


def test_what_was_begun_is_ended_by_the_next_who_looks(world: World) -> None:
    """Killed after the names were forgotten, and before the match was."""
    match = world.play(world.sandbox)
    world.follow()
    world.late_ms = DAY_MS + 60_000
    log = world.services.event_log

    def forget(match_id: str, tenant: str, players: Any) -> None:
        world.services.forget_match(match_id, tenant, players)
        raise KeyboardInterrupt

    begun = Vanishing(log, world.now_ms, DAY_MS, forget)
    tenant = world.services.matches.load(match["id"]).tenant
    with pytest.raises(KeyboardInterrupt):
        begun.look_at(match["id"], tenant, 0)
    assert log.load(match["id"]) is not None
    world.archiver().run_once()
    world.archiver().run_once()
    assert log.load(match["id"]) is None


def test_an_import_is_as_old_as_its_import(world: World) -> None:
    match = world.play(world.real)
    export = world.real.get(f"/v1/matches/{match['id']}/export").data
    other = World(world.url, world.services.settings.data)
    assert other.sandbox.upload("/v1/imports", export).status_code == 201
    tenant = other.services.matches.load(match["id"]).tenant
    other.late_ms = DAY_MS - 60_000
    vanishing = Vanishing(
        other.services.event_log, other.now_ms, DAY_MS, lambda *_: None
    )
    assert vanishing.look_at(match["id"], tenant, 0)
    assert other.services.event_log.load(match["id"]) is not None
    other.late_ms = DAY_MS + 60_000
    vanishing.look_at(match["id"], tenant, 0)
    assert other.services.event_log.load(match["id"]) is None


def test_players_go_with_the_last_of_their_matches(world: World) -> None:
    """Also those whom the app has named, who play in several; and none is rated."""
    ends = []
    for _ in range(2):
        seats = {
            "south": {"kind": "human", "player": "u-1", "name": "Amara"},
            "north": {"kind": "human", "player": "u-2"},
        }
        asked = {"game": "kalah", "seats": seats}
        ends.append(world.sandbox.post("/v1/matches", asked).get_json())
    world.follow()
    tenant = world.services.matches.load(ends[0]["id"]).tenant
    vanishing = Vanishing(
        world.services.event_log,
        lambda: world.now_ms() + 2 * DAY_MS,
        DAY_MS,
        world.services.forget_match,
    )

    assert vanishing.look_at(ends[0]["id"], tenant, 0)
    path = f"/v1/matches/{ends[1]['id']}"
    assert world.sandbox.get(path).get_json()["seats"]["south"]["name"] == "Amara"
    assert vanishing.look_at(ends[1]["id"], tenant, 0)  # the list has heard of nothing

    redis: Any = Redis.from_url(world.url, decode_responses=True)
    assert list(redis.scan_iter("player:*")) == []
    assert world.sandbox.get("/v1/players/u-1").status_code == 404


def test_a_rebuilt_list_is_like_the_one_that_lost_a_match(world: World) -> None:
    world.play(world.sandbox)
    kept = world.play(world.real)
    world.follow()
    world.late_ms = DAY_MS + 60_000
    world.archiver().run_once()
    world.follow()
    rows = world.services.match_list.dump()
    Projector(world.services.event_log, world.services.match_list).rebuild()
    assert world.services.match_list.dump() == rows
    assert list(rows) == [kept["id"]]


def test_a_request_from_before_opens_another_match(world: World) -> None:
    """By the same id: the events of it are told from the first one on."""
    body = {"game": "kalah", "seats": SEATS}
    match = world.sandbox.post("/v1/matches", body, Idempotency_Key="a").get_json()
    move = {"move": "A", "seat": "south", "expected_version": match["version"]}
    path = f"/v1/matches/{match['id']}"
    world.sandbox.post(f"{path}/moves", move)
    world.follow()
    world.late_ms = DAY_MS + 60_000
    world.archiver().run_once()
    for key in Redis.from_url(world.url).scan_iter("m:*:i:*"):
        Redis.from_url(world.url).delete(key)  # an hour is over
    again = world.sandbox.post("/v1/matches", body, Idempotency_Key="a")
    assert (again.status_code, again.get_json()["version"]) == (201, match["version"])
    world.follow()
    [row] = world.sandbox.get("/v1/matches").get_json()["data"]
    assert (row["version"], row["ply"]) == (match["version"], 0)
