"""A log at its limit of memory: it is read, says what is full, and can be emptied."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from services.api import create_app
from services.bootstrap import Services, connect
from services.cli import redis_server
from services.cli.archive_commands import trim_feeds
from services.eventlog import IdempotencyKey, LogDamaged, LogFull, Room, refused
from services.logs import Seldom
from services.match import OpenMatch
from services.settings import Settings
from services.views import Projector
from tests.support.archived import HOUR, World
from tests.support.harming import garble
from tests.support.require import skip_without

MATCHES = 60


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Yield a log of many finished matches that takes nothing more."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    port = redis_server.free_port()
    process = redis_server.start(tmp_path / "log", port, redis_server.DURABLE)
    try:
        world = World(f"redis://127.0.0.1:{port}/0", str(tmp_path / "archive"))
        world.log.check()
        world.room = Room(world.url)
        for number in range(MATCHES):
            world.play(number, moves=40)
        yield world
    finally:
        process.terminate()
        process.wait()


def fill(world: World, beyond_kib: int = 128) -> None:
    """Let the log be at its limit, by moving that; connections take room as well."""
    world.archive.count()
    world.room.lack()
    facts = dict(
        line.split(":", 1)
        for line in world.redis.call("INFO", "memory").splitlines()
        if ":" in line
    )
    limit = int(facts["used_memory"]) - beyond_kib * 1024
    world.redis.call("CONFIG", "SET", "maxmemory", limit)


def served(world: World) -> Services:
    """Return the services of another process on that log."""
    settings = Settings(redis_url=world.url, secret="s" * 32, archive=world.where)
    return connect(settings)


def test_a_full_log_is_read_and_says_what_is_full(world: World) -> None:
    """Nothing but writing is refused; readiness is for readers too."""
    running = world.play(MATCHES, ends=False)
    services = served(world)
    fill(world)
    client = create_app(services).test_client()
    token = services.seat_tokens.issue(running, "south", 1)

    ready = client.get("/health/ready")
    read = client.get(
        f"/v1/matches/{running}", headers={"Authorization": f"Bearer {token}"}
    )
    resigned = client.post(
        f"/v1/matches/{running}/resignation",
        headers={"Authorization": f"Bearer {token}"},
    )

    assert ready.status_code == 200
    assert "(maxmemory)" in ready.get_json()["full"]
    assert read.status_code == 200
    assert resigned.status_code == 503
    assert "the event log is full" in resigned.get_json()["detail"]
    assert world.fresh().matches.load(running).version == read.get_json()["version"]


def test_a_full_log_is_emptied_into_the_archive(world: World) -> None:
    """Also where an abandoned match waits for the event that ends it."""
    idle = world.play(MATCHES, ends=False)
    world.now += 20 * HOUR
    fill(world, 48)
    with pytest.raises(LogFull):
        world.play(MATCHES + 1)

    assert world.archiver().run_once() == MATCHES

    assert world.room.lack() == ""
    world.play(MATCHES + 1)
    world.archiver().run_once()
    assert world.matches.load(idle).is_over


def test_whatever_can_be_read_is_read_in_a_full_log(world: World) -> None:
    """By a process that is asked for the first time, too."""
    secret = "sk_" + "a" * 43
    served(world).tenants.register_key(secret, "ten_1", "made before")
    fill(world, 48)
    with pytest.raises(LogFull):
        world.play(MATCHES + 1)
    app = create_app(served(world)).test_client()

    for path in ("/limits", "/matches", "/keys", "/events", "/statistics"):
        answer = app.get(f"/v1{path}", headers={"Authorization": f"Bearer {secret}"})

        assert answer.status_code == 200, answer.text


def test_the_feeds_of_a_full_log_are_trimmed(world: World) -> None:
    """Events of matches were recorded long ago, by the clock of the world.

    One that cannot be read is as old as it may be.
    """
    services = served(world)
    Projector(services.event_log, services.tenant_feed).begin()
    [last] = services.tenant_feed.last_numbers(["ten_a"])
    [first] = services.tenant_feed.page("ten_a", 0, 1)
    garble(world.redis, first.match_id)
    fill(world)

    assert trim_feeds(services) == last

    assert services.tenant_feed.page("ten_a", 0, 10) == []
    assert services.tenant_feed.trimmed("ten_a") == last


def test_refusals_are_told_now_and_then(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand in a second are one line, and the next line counts them."""
    monkeypatch.setattr(refused, "_refusals", Seldom(0.2))
    fill(world)
    with capture_logs() as lines:
        for number in range(30):
            with pytest.raises(LogFull):
                world.play(MATCHES + number)

    told = [line for line in lines if line["event"] == "Redis refuses commands"]
    assert 1 <= len(told) < 15


def test_a_key_of_another_kind_stops_archiving_before_anything_is_gone(
    world: World,
) -> None:
    """The stream goes before its place is noted, so nothing may fail in between."""
    name = "mat_000000"
    for partition in range(64):
        world.redis.call("SET", f"archive:{{{partition}}}", "not a hash")
    before = world.log.read(name)
    world.now += HOUR

    with pytest.raises(LogDamaged, match="a value of another kind"):
        world.archiver().run_once()

    assert world.log.read(name) == before


def test_an_idempotency_key_takes_no_more_than_is_promised(world: World) -> None:
    """300 bytes for an hour, as the README says; it is never trimmed before."""
    key = IdempotencyKey("k" * 32, "d" * 32)
    opening = OpenMatch(game="kalah", tenant="ten_a")
    world.matches.handle("mat_0123456789ABCDEFGHJK", opening, by="key:k", key=key)
    [record] = world.redis.call("KEYS", "m:*:i:*")

    assert world.redis.call("MEMORY", "USAGE", record) <= 300
    assert 3500 < world.redis.call("TTL", record) <= 3600
