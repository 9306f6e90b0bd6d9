"""An erased name leaves the disk too: the file of Redis is written anew."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.exceptions import ResponseError

from services.cli import redis_server
from services.eventlog import LogDamaged, library
from services.eventlog.library import connect_redis
from services.players import ON_DISK, REWRITE_EVERY_MS, Erasures, Players
from tests.support.require import skip_without
from tests.support.samples import SAMPLES

NAME = "Amara Nwosu of the unusual name"


class World:
    """A durable Redis with names in it, and what watches over erasures."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.url = folder, f"redis://127.0.0.1:{port}/0"
        self.redis = connect_redis(self.url)
        self.players, self.erasures = Players(self.url), Erasures(self.url)
        self.now = 1_700_000_000_000

    def erase(self, reference: str) -> None:
        self.players.register(reference, "ten_a", f"{NAME} {reference}")
        self.players.erase(reference, "ten_a", self.now)

    def settle(self, looks: int = 200) -> bool:
        """Look as often as a rewrite may need; tell whether it came to its end."""
        return any(self.look() for _ in range(looks))

    def look(self) -> bool:
        done = self.erasures.run_once(self.now)
        if not done:
            time.sleep(0.02)
        return done

    def on_disk(self, reference: str = "") -> bool:
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        text = f"{NAME} {reference}".encode()
        return any(text in path.read_bytes() for path in files)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    folder, port = tmp_path / "log", redis_server.free_port()
    process = redis_server.start(folder, port, redis_server.DURABLE)
    try:
        yield World(folder, port)
    finally:
        process.terminate()
        process.wait()


def test_an_erased_name_leaves_the_disk(world: World) -> None:
    world.erase("ply_a")
    assert world.on_disk("ply_a")

    assert world.settle()

    assert not world.on_disk()
    assert world.erasures.trouble() == ""


def test_many_erasures_are_one_rewrite(world: World) -> None:
    """At most one in five minutes, and what comes meanwhile is in the next one."""
    world.erase("ply_a")
    assert world.settle()
    for number in range(20):
        world.erase(f"ply_{number}")
        assert not world.look()
    assert world.on_disk("ply_7")
    assert world.redis.hmget(ON_DISK, "asked", "begun") == ["21", "1"]

    world.now += REWRITE_EVERY_MS
    assert world.settle()

    assert not world.on_disk()
    assert world.erasures.run_once(world.now)


def test_what_is_erased_during_a_rewrite_is_in_the_next_one(world: World) -> None:
    world.erase("ply_a")
    world.look()
    world.erase("ply_b")

    assert not world.settle(25)
    world.now += REWRITE_EVERY_MS
    assert world.settle()

    assert not world.on_disk()


def test_a_rewrite_that_a_crash_has_ended_is_begun_again(world: World) -> None:
    """A server that has just started says that its last rewrite was well."""
    world.erase("ply_a")
    world.look()
    world.redis.hset(ON_DISK, "server", "another run")

    assert not world.settle(25)
    world.now += REWRITE_EVERY_MS
    assert world.settle()


def refuse(_: object) -> None:
    """Do as a Redis does in which this is for its operator alone."""
    raise ResponseError("NOPERM this user has no permissions")


def test_where_rewriting_is_not_allowed_it_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a Redis that somebody else runs; and it is tried again."""
    world.erase("ply_a")
    with monkeypatch.context() as patch:
        patch.setattr(library._Client, "bgrewriteaof", refuse)
        assert not world.look()
    assert "refuses BGREWRITEAOF: NOPERM" in world.erasures.trouble()

    world.now += REWRITE_EVERY_MS
    assert world.settle()
    assert world.erasures.trouble() == ""


def test_a_refusal_after_a_restart_is_not_taken_for_an_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new run says that all is well, for it has rewritten nothing yet."""
    world.erase("ply_a")
    world.redis.hset(ON_DISK, mapping={"begun": 1, "server": "another run"})
    monkeypatch.setattr(library._Client, "bgrewriteaof", refuse)

    assert not any(world.look() for _ in range(3))
    assert world.on_disk("ply_a")


def test_without_a_file_there_is_nothing_to_do(fake_redis: str) -> None:
    """An imitation keeps nothing on the disk."""
    connect_redis(fake_redis).flushall()
    players, erasures = Players(fake_redis), Erasures(fake_redis)
    players.register("ply_a", "ten_a", NAME)
    players.erase("ply_a", "ten_a", 1)

    assert erasures.run_once(1)
    assert erasures.trouble() == ""


@pytest.mark.parametrize("name", ["erasures-0.json", "erasures-1.json"])
def test_erasures_on_record_go_on(world: World, name: str) -> None:
    """Those of before 0.2 say no format; what they count is on the disk as well."""
    world.players.register("ply_a", "ten_a", f"{NAME} ply_a")
    world.redis.hdel("player:ply_a", "name")
    known = json.loads((SAMPLES / name).read_text())
    world.redis.hset(ON_DISK, mapping=known)
    world.now = int(known["at_ms"])
    assert world.on_disk()

    assert not world.look()
    world.now += REWRITE_EVERY_MS
    assert world.settle()

    assert not world.on_disk()
    assert world.redis.hmget(ON_DISK, "format", "gone") == ["1", "5"]


def test_erasures_of_a_later_version_are_left_alone(redis_url: str) -> None:
    connect_redis(redis_url).flushall()
    connect_redis(redis_url).hset(ON_DISK, mapping={"format": "2", "asked": "many"})

    with pytest.raises(LogDamaged, match="format 2; this version reads 1"):
        Erasures(redis_url).run_once(1)
