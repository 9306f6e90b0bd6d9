"""What is damaged, or away, is named; and nothing else is held up by it."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from rules_core import RulesError
from services.archive import BrokenSegment, Place, archiver, backup
from services.archive.archive import READERS
from services.archive.restore import RESTORING
from services.cli.failing import DAMAGED
from services.eventlog import LogFull, LogUnavailable, partition_of
from services.eventlog.connection import Connections
from services.eventlog.keys import keys_of
from services.languages import Message
from services.match import OpenMatch, Resign
from services.match import service as match_service
from tests.support.archived import (
    HOUR,
    HUMAN,
    World,
    back_up,
    none_damaged,
    restore,
    silent,
)
from tests.support.commands import seedlog
from tests.support.harming import put_another_kind, rewrite, with_field
from tests.support.patience import wait_for

NO_HEAD = "0" * 64


@pytest.fixture
def world(real_redis: str, tmp_path: Path) -> World:
    Connections(real_redis).call("FLUSHALL")
    return World(real_redis, str(tmp_path / "archive"))


class Told(dict[str, str]):
    """What was told of damage, by name."""

    def tell(self, name: str, reason: str) -> None:
        self[name] = reason


def live(world: World) -> set[str]:
    return {s for p in range(64) for s in world.log.streams(p, live=True)}


def everywhere(world: World) -> set[str]:
    return {s for p in range(64) for s in world.log.streams(p)}


def lose_an_event(world: World, name: str) -> None:
    key = keys_of(name).events
    [[last, _]] = world.redis.call("XREVRANGE", key, "+", "-", "COUNT", 1)
    world.redis.call("XDEL", key, last)


def archived(world: World, numbers: range) -> list[str]:
    names = [world.play(number) for number in numbers]
    world.now += HOUR
    world.archiver().run_once()
    return names


def spoil_block(world: World, name: str) -> Path:
    """Change a byte of an archived match on the disk; return the file."""
    place = Place.of(world.redis.call("HGET", keys_of(name).archive, name))
    file = Path(world.where) / f"{place.segment}.segment"
    data = bytearray(file.read_bytes())
    data[place.offset + 20] ^= 0xFF
    file.write_bytes(data)
    return file


# -- backup and restore


def test_a_backup_holds_what_is_damaged_and_a_restore_leaves_it_out(
    world: World, tmp_path: Path
) -> None:
    names = [world.play(number, moves=3) for number in range(12)]
    lose_an_event(world, names[3])
    world.redis.call("HSET", "player:ply_x", "name", "Amara", "tenant", "ten_a")
    told, path = Told(), tmp_path / "backup.gz"

    assert back_up(world, path, silent, told.tell) == 12

    said = {names[3]: "the events do not give the head hash"}
    assert told == said
    world.redis.call("FLUSHALL")
    fresh, told = world.fresh(), Told()
    assert restore(fresh, path, silent, told.tell) == 12
    assert told == said
    assert live(fresh) == {*names} - {names[3]}
    assert fresh.redis.call("HGET", "player:ply_x", "name") == "Amara"
    assert str(fresh.redis.call("GET", RESTORING)).endswith(" done")


def test_what_cannot_be_read_is_not_in_a_backup_and_all_else_is(
    world: World, tmp_path: Path
) -> None:
    bad, *others = archived(world, range(6))
    spoil_block(world, bad)
    fresh, told = world.fresh(), Told()

    assert back_up(fresh, tmp_path / "backup.gz", silent, told.tell) == len(others)

    [(name, reason)] = told.items()
    assert name == bad
    assert reason.startswith(f"it is not in the backup: {bad} in segment ")
    fresh.redis.call("FLUSHALL")
    restore(world.fresh(), tmp_path / "backup.gz")
    assert everywhere(world.fresh()) == set(others)


def test_the_command_names_what_is_damaged_and_has_a_code_for_it(
    world: World, tmp_path: Path
) -> None:
    names = [world.play(number, moves=3) for number in range(4)]
    lose_an_event(world, names[1])
    path, data = tmp_path / "backup.gz", tmp_path / "data"
    own = {"REDIS_URL": world.url, "SEEDLOG_DATA": str(data)}
    own |= {"SEEDLOG_ARCHIVE": world.where, "SEEDLOG_SECRET": "s" * 32}

    written = seedlog("backup", path, **own)
    world.redis.call("FLUSHALL")
    put_back = seedlog("restore", path, **own)

    reason = f"{names[1]}: the events do not give the head hash"
    for ran in (written, put_back):
        assert ran.exit_code == DAMAGED
        assert reason in ran.stderr.splitlines()
        assert "4 matches" in ran.stdout
        assert "1 of these matches" in ran.stderr
    assert live(world.fresh()) == {*names} - {names[1]}


def test_a_match_whose_rules_are_missing_comes_when_they_are_there(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [world.play(number, moves=3) for number in range(5)]
    path = tmp_path / "backup.gz"
    back_up(world, path)
    world.redis.call("FLUSHALL")
    replay = match_service.replay

    def without_one(match: object, events: object) -> object:
        if getattr(match, "id", "") == names[2]:
            raise RulesError(Message("these rules are not installed"))
        return replay(match, events)

    fresh, told = world.fresh(), Told()
    with monkeypatch.context() as patch:
        patch.setattr(match_service, "replay", without_one)
        restore(fresh, path, silent, told.tell)
    assert told == {names[2]: "these rules are not installed"}
    assert live(fresh) == {*names} - {names[2]}

    assert restore(fresh, path) == 5
    assert live(fresh) == set(names)


def test_a_name_that_goes_while_it_is_backed_up_spoils_no_restore(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.play(0)
    for number in range(3):
        world.redis.call("HSET", f"player:ply_{number}", "name", "Amara")
    path, read = tmp_path / "backup.gz", backup._side_records

    def with_one_gone(redis: object) -> list[tuple[str, dict[str, str]]]:
        return [*read(redis), ("player:ply_gone", {})]

    monkeypatch.setattr(backup, "_side_records", with_one_gone)
    back_up(world, path)
    world.redis.call("FLUSHALL")

    restore(world.fresh(), path)

    assert len(world.redis.call("KEYS", "player:*")) == 3


def test_a_log_that_is_larger_than_memory_is_restored_bit_by_bit(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full, the archiver makes room, and the restore goes on behind what it moved."""
    names = archived(world, range(30))
    path, room = tmp_path / "backup.gz", 12
    back_up(world, path)
    world.redis.call("FLUSHALL")
    fresh = World(world.url, str(tmp_path / "archive of the new one"))
    fresh.now = world.now
    append = fresh.log.append

    def append_if_room(*given: object) -> object:
        if len(live(fresh)) >= room:
            raise LogFull(Message("the event log is full"))
        return append(*given)

    monkeypatch.setattr(fresh.log, "append", append_if_room)

    for _ in range(3):
        with suppress(LogFull):
            restore(fresh, path)
        fresh.archiver().run_once()

    assert everywhere(fresh) == set(names)
    assert fresh.archive.count() == len(names)
    assert not live(fresh)


def test_a_backup_is_known_again_by_a_match_that_stays(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of sandboxes vanish."""
    monkeypatch.setattr("services.archive.backup.MARK_EVERY", 1)
    first, *others = sorted((f"mat_{n:06d}" for n in range(9)), key=partition_of)
    world.play(int(first[4:]))
    for name in others:
        seats = {"south": HUMAN, "north": HUMAN}
        opening = OpenMatch(game="kalah", tenant="ten_sandbox_a", seats=seats)
        world.matches.handle(name, opening, by="key:k")
    path, seen = tmp_path / "backup.gz", list[int]()

    def stop_late() -> None:
        seen.append(1)
        if len(seen) == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(world, path, stop_late)
    for name in others:
        world.log.vanish(name, "ten_sandbox_a")

    assert back_up(world, path, goes_on=True) >= 1


# -- the archive


def test_a_damaged_block_is_named_with_its_match(world: World) -> None:
    bad, good = archived(world, range(2))
    file = spoil_block(world, bad)
    fresh = world.fresh()

    with pytest.raises(BrokenSegment, match=f"{bad} in segment {file.stem}: a block"):
        fresh.log.load(bad)

    assert fresh.log.load(good) is not None


def test_an_index_is_found_again_but_for_the_segments_that_are_damaged(
    world: World,
) -> None:
    lost, kept = archived(world, range(3)), archived(world, range(3, 6))
    file = spoil_block(world, lost[0])
    file.write_bytes(file.read_bytes()[:-3])
    world.redis.call("DEL", *world.redis.call("KEYS", "archive:*"))
    told = Told()

    assert world.archive.reindex(told.tell) == len(kept)

    assert [*told] == [file.stem]
    assert everywhere(world.fresh()) == set(kept)


def test_an_index_that_is_right_stays_and_of_two_matches_the_later_one_counts(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restored log may end a match otherwise than the one that was lost had."""
    name, path = world.play(0, ends=False), tmp_path / "backup.gz"
    back_up(world, path)
    heads = []
    for winner, segment in (("north", "f" * 16), ("south", "0" * 16)):
        monkeypatch.setattr("secrets.token_hex", lambda _, s=segment: s)
        world.redis.call("FLUSHALL")
        world = world.fresh()
        restore(world, path)
        world.act(name, Resign(seat=winner))
        world.now += 2 * HOUR
        world.archiver().run_once()
        state = world.log.load(name)
        assert state is not None
        heads.append(state.head)

    assert world.archive.reindex(none_damaged) == 0
    assert world.fresh().log.load(name).head == heads[1]
    world.redis.call("DEL", *world.redis.call("KEYS", "archive:*"))
    assert world.archive.reindex(none_damaged) == 1
    assert world.fresh().log.load(name).head == heads[1]


def test_a_segment_that_could_not_be_written_leaves_the_disk_as_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.play(0)
    world.now += HOUR

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(LogUnavailable):
        world.archiver().run_once()

    assert [*Path(world.where).iterdir()] == []


def test_where_files_hang_only_so_many_wait_for_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or all threads of an API came to wait, and nobody could play."""
    names = archived(world, range(READERS + 1))
    fresh, goes_on = world.fresh(), threading.Event()
    monkeypatch.setattr("services.archive.archive.WAITS_S", 0.01)
    read: Callable[..., bytes] = fresh.archive._files.cat_file

    def hang(*given: object, **more: object) -> bytes:
        goes_on.wait(20)
        return read(*given, **more)

    monkeypatch.setattr(fresh.archive._files, "cat_file", hang)
    waiting = [threading.Thread(target=fresh.log.load, args=(n,)) for n in names[1:]]
    for thread in waiting:
        thread.start()
    wait_for("readers that hang", lambda: not fresh.archive._readers._value)
    try:
        with pytest.raises(LogUnavailable, match="others have waited"):
            fresh.log.load(names[0])
    finally:
        goes_on.set()
        for thread in waiting:
            thread.join()
    assert fresh.log.load(names[0]) is not None


# -- the archiver


def test_a_damaged_match_is_left_and_all_others_are_archived(world: World) -> None:
    names = [world.play(number) for number in range(8)]
    idle = world.play(8, ends=False)
    world.redis.call("HSET", keys_of(names[3]).state, "h", NO_HEAD)
    lose_an_event(world, idle)
    rewrite(world.redis, names[5], with_field(1, 3, "no time"))
    world.now += 20 * HOUR

    for _ in range(2):
        world.archiver().run_once()

    left = {names[3], names[5], idle}
    assert live(world) == left
    assert world.archive.count() == len(names) - 2
    assert len(world.archive.segments()) == 1


Harm = Callable[[World, str], object]


def say_no_tenant(world: World, name: str) -> None:
    world.redis.call("HDEL", keys_of(name).state, "t")


def events_of_another_kind(world: World, name: str) -> None:
    put_another_kind(world.redis, keys_of(name).events)


def state_of_another_kind(world: World, name: str) -> None:
    put_another_kind(world.redis, keys_of(name).state)


def add_an_event(world: World, name: str) -> None:
    world.redis.call("XADD", keys_of(name).events, "9999-7", "d", "x")


@pytest.mark.parametrize(
    "harm",
    [
        lose_an_event,
        say_no_tenant,
        events_of_another_kind,
        state_of_another_kind,
        add_an_event,
    ],
)
def test_the_command_names_the_matches_that_it_leaves(
    world: World, tmp_path: Path, harm: Harm
) -> None:
    names = [world.play(number) for number in range(4)]
    harm(world, names[1])
    settings = {
        "REDIS_URL": world.url,
        "SEEDLOG_ARCHIVE": world.where,
        "SEEDLOG_DATA": str(tmp_path / "data"),
        "SEEDLOG_ARCHIVE_AFTER_HOURS": "0",
    }

    ran = seedlog("archive", **settings)

    assert ran.exit_code == DAMAGED, ran.stderr
    assert f"\n{names[1]}: " in f"\n{ran.stderr}"
    assert "3 matches archived, 3 in the archive" in ran.stdout
    assert "1 of the matches cannot be read" in ran.stderr
    assert live(world) == {names[1]}


def test_a_match_is_left_whatever_error_it_is_read_by(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, *others = [world.play(number) for number in range(4)]
    load = world.matches.load

    def load_or_fail(name: str) -> object:
        if name == bad:
            raise TypeError("an event that nobody has written")
        return load(name)

    monkeypatch.setattr(world.matches, "load", load_or_fail)
    world.now += HOUR

    assert world.archiver().run_once() == len(others)
    assert live(world) == {bad}


def test_a_store_that_is_away_keeps_nobody_from_being_ended(world: World) -> None:
    world.play(0)
    idle = world.play(1, ends=False)
    world.now += 20 * HOUR
    Path(world.where).write_text("in the way")

    with pytest.raises(LogUnavailable):
        world.archiver().run_once()

    assert world.matches.load(idle).is_over


def test_a_server_that_is_away_keeps_no_match_of_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [world.play(number) for number in range(20)]
    there, away = world.log.load, partition_of(names[0])

    def load(name: str) -> object:
        if partition_of(name) == away:
            raise LogUnavailable(Message("Redis cannot be reached"))
        return there(name)

    monkeypatch.setattr(world.log, "load", load)
    world.now += HOUR
    with pytest.raises(LogUnavailable):
        world.archiver().run_once()

    assert live(world) == {n for n in names if partition_of(n) == away}


def test_a_segment_has_only_so_many_events(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is all in memory while it is written."""
    names = [world.play(number, moves=12) for number in range(6)]
    versions = [world.matches.load(name).version for name in names]
    monkeypatch.setattr(archiver, "SEGMENT_EVENTS", max(versions))
    world.now += HOUR

    world.archiver().run_once()

    assert world.archive.count() == 6
    assert 3 <= len(world.archive.segments()) <= 6
