"""kill -9 during backup and restore: never a half, and the next one goes on."""

import gzip
import random
from pathlib import Path
from typing import Any

import orjson
import pytest

from services.eventlog.connection import Connections
from services.views import MatchList, Projector, TenantFeed
from tests.support.archived import World, back_up, fill, restore
from tests.support.killing import Victims

BACKUP_CODE = "services/(archive/(backup|restore)|local_files)"


@pytest.fixture
def world(real_redis: str, tmp_path: Path) -> World:
    Connections(real_redis).call("FLUSHALL")
    (tmp_path / "backups").mkdir()
    return World(real_redis, str(tmp_path / "archive"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "backups" / "backup.gz"


def write(url: str, where: str, path: str) -> None:
    """Do what the victims of a backup do."""
    back_up(World(url, where), Path(path))


def put_back(url: str, where: str, path: str) -> None:
    """Do what the victims of a restore do."""
    restore(World(url, where), Path(path))


def victims(work: str, world: World, path: Path) -> Victims:
    name = f"tests.archive.test_kills:{work}"
    return Victims(name, world.url, world.where, str(path), traced=BACKUP_CODE)


def streams_in(path: Path) -> dict[str, str]:
    """Return the heads of a backup by stream, which must be a whole one."""
    with gzip.open(path) as file:
        lines = [orjson.loads(line) for line in file]
    heads = {line["stream"]: line["head"] for line in lines if "stream" in line}
    assert lines[-1] == {"streams": len(heads)}
    return heads


def heads_of(world: World) -> dict[str, str]:
    streams = [s for p in range(64) for s in world.fresh().log.streams(p)]
    states = {stream: world.fresh().log.load(stream) for stream in streams}
    return {name: state.head.hash for name, state in states.items() if state}


def everything(world: World) -> dict[str, Any]:
    """Return all that Redis holds, as it holds it."""
    ways = {
        "string": ("GET",),
        "hash": ("HGETALL",),
        "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
        "stream": ("XRANGE", "-", "+"),
    }
    found = {}
    for key in world.redis.call("KEYS", "*"):
        command, *rest = ways[world.redis.call("TYPE", key)]
        found[key] = world.redis.call(command, key, *rest)
    return found


def test_kill_9_during_a_backup_leaves_the_former_one_or_the_new_one(
    world: World, path: Path
) -> None:
    fill(world)
    back_up(world, path)
    former = heads_of(world)
    world.play(50, ends=False)
    now, held = heads_of(world), everything(world)
    kept = path.read_bytes()

    with victims("write", world, path) as killed:
        lines = killed.count_lines()
        early = random.sample(range(1, lines - 25), 20)
        hits_before, seen = 0, []
        for number in [*early, *range(lines - 25, lines)]:
            path.write_bytes(kept)
            assert killed.kill_at_line(number)
            seen.append(streams_in(path))
            assert seen[-1] in (former, now)
            hits_before += seen[-1] == former
            assert {p.name for p in path.parent.iterdir()} <= {
                path.name,
                f"{path.name}.part",
            }

        assert hits_before >= 20
        assert seen[-1] == now
        killed.run()

    assert streams_in(path) == now
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert everything(world) == held


def test_kill_9_at_any_moment_of_a_backup(world: World, path: Path) -> None:
    fill(world)
    heads, hits = heads_of(world), 0

    with victims("write", world, path) as killed:
        killed.run()
        for _ in range(15):
            hits += killed.kill_at_random()
            assert streams_in(path) == heads
        killed.run()

    assert hits >= 4
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    world.redis.call("FLUSHALL")
    restore(world.fresh(), path)
    assert heads_of(world) == heads


def test_kill_9_during_a_restore_which_then_goes_on(world: World, path: Path) -> None:
    """However often it is killed before it comes to its end."""
    matches = fill(world)
    world.redis.call("HSET", "tenants:keys", "digest", "key")
    before, heads = told(world), heads_of(world)
    # The feed did not reach back to what was archived; after a restore nothing is yet.
    events = sorted((n, event.version) for n in heads for event in world.log.read(n))
    assert len(before["feed"]) < len(events)
    back_up(world, path)

    with victims("put_back", world, path) as killed:
        world.redis.call("FLUSHALL")
        lines = killed.count_lines()
        half_done = 0
        for _ in range(6):
            world.redis.call("FLUSHALL")
            # The file is read first, which is half of the lines. Who goes on has a
            # little less to do: what is there is left.
            reads = range(1, lines // 2)
            puts_back = range(lines * 6 // 10, lines * 9 // 10)
            for number in random.sample(reads, 1) + sorted(random.sample(puts_back, 2)):
                assert killed.kill_at_line(number)
                half_done += 0 < len(heads_of(world)) < len(heads)
            killed.run()

            assert heads_of(world) == heads
            assert told(world) == before | {"feed": events}
            fresh = world.fresh()
            assert {name: fresh.matches.load(name) for name in matches} == matches
            assert len(fresh.log.follow({}, 1000)) == len(heads)
    assert half_done >= 6


def told(world: World) -> dict[str, Any]:
    """Return what players, tenants and views tell."""
    views = MatchList(world.url), TenantFeed(world.url)
    for view in views:
        projector = Projector(world.fresh().log, view)
        projector.begin()
        while projector.run_once():
            pass
    match_list, feed = views
    places = feed.page("ten_a", 0, 100_000)
    return {
        "rows": match_list.dump(),
        "feed": sorted((place.match_id, place.version) for place in places),
        "counts": match_list.statistics("ten_a", "kalah"),
        "name": world.redis.call("HGETALL", "player:ply_x"),
        "keys": world.redis.call("HGETALL", "tenants:keys"),
    }
