"""The archive: read as if nothing had moved, safe at every point of the move."""

import errno
import gzip
import hashlib
import itertools
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result

from rules_core import GAMES
from services.archive import (
    Archive,
    BrokenSegment,
    ColdStream,
    InvalidBackup,
    backup,
    pack_stream,
    unpack_stream,
)
from services.archive.restore import RESTORING
from services.archive.segment import check_stream, read_index
from services.eventlog import EventLogError, Head, partition_of
from services.eventlog.connection import Connections
from services.local_files import BeingWritten
from services.match import PlayMove, Resign, refusals
from services.players import Players
from services.tenants import Tenants
from tests.support.archived import (
    HOUR,
    World,
    back_up,
    fill,
    none_damaged,
    restore,
)
from tests.support.commands import seedlog
from tests.support.patience import WITHIN_S, wait_for


@pytest.fixture
def world(real_redis: str, tmp_path: Path) -> World:
    Connections(real_redis).call("FLUSHALL")
    return World(real_redis, str(tmp_path / "archive"))


def live(world: World) -> list[str]:
    return [s for p in range(64) for s in world.log.streams(p, live=True)]


def test_reading_an_archived_match_is_the_same_to_everybody(world: World) -> None:
    names = [world.play(number) for number in range(len(GAMES))]
    before = {n: (world.matches.load(n), world.log.read(n)) for n in names}
    heads = {name: world.log.load(name) for name in names}
    world.now += HOUR

    assert world.archiver().run_once() == len(names)

    assert live(world) == []
    other = world.fresh()
    for name, (match, events) in before.items():
        assert other.matches.load(name) == match
        assert other.log.read(name) == events
        assert other.log.read(name, 2, 3) == events[2:5]
        assert other.matches.load_at(name, 3).version == 3
        state, head = other.log.load(name), heads[name]
        assert state is not None
        assert head is not None
        assert (state.head, state.tenant) == (head.head, head.tenant)
    listed = [s for p in range(64) for s in other.log.streams(p)]
    assert sorted(listed) == sorted(names)


def test_an_archived_match_is_over_for_whoever_tries(world: World) -> None:
    name = world.play(0)
    world.now += HOUR
    world.archiver().run_once()

    with pytest.raises(refusals.MatchOver):
        world.fresh().act(name, PlayMove(seat="south", move="A"))


def test_only_what_is_over_and_old_enough_moves(world: World) -> None:
    running = world.play(0, ends=False)
    over = world.play(1)
    assert world.archiver().run_once() == 0
    world.now += HOUR - 1
    assert world.archiver().run_once() == 0
    world.now += 1

    assert world.archiver().run_once() == 1

    assert live(world) == [running]
    assert world.archive.find(over) is not None


def test_what_was_abandoned_is_ended_by_the_server_and_later_archived(
    world: World,
) -> None:
    begun, not_begun = world.play(0, ends=False), world.play(1, moves=0, ends=False)
    world.now += 10 * HOUR
    world.archiver().run_once()

    ended = world.matches.load(begun)
    assert ended.outcome is not None
    assert (ended.outcome.winner, ended.outcome.reason) == (None, "abandoned")
    assert world.log.read(begun)[-1].by == "server"
    assert world.matches.load(not_begun).status == "aborted"
    world.now += HOUR
    assert world.archiver().run_once() == 2


def test_a_match_that_changes_while_it_is_archived_stays(world: World) -> None:
    name = world.play(0, ends=False)
    state = world.log.load(name)
    assert state is not None
    stale = ColdStream(name, "ten_a", state.head, world.log.read(name))
    world.act(name, Resign(seat="south"))

    assert world.archive.put([stale]) == 0

    assert live(world) == [name]
    assert world.matches.load(name).status == "finished"


def test_of_two_archivers_one_goes_through_the_matches(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one waits for its turn, and finds nothing left to do."""
    for name in ("PAUSE_S", "ASKED_EVERY_S"):
        monkeypatch.setattr(f"services.archive.archiver.{name}", 0.01)
    names = [world.play(number) for number in range(6)]
    world.now += HOUR
    writes, may_write = threading.Event(), threading.Event()
    write, rounds = Archive._write, Counter[str]()

    def write_slowly(self: Archive, name: str, data: bytes) -> None:
        writes.set()
        assert may_write.wait(WITHIN_S)
        write(self, name, data)

    def run(name: str) -> threading.Thread:
        def afterwards() -> None:
            rounds[name] += 1

        process = world.fresh()
        process.now = world.now
        arguments = (is_over.is_set, afterwards)
        thread = threading.Thread(target=process.archiver().run, args=arguments)
        thread.start()
        return thread

    monkeypatch.setattr(Archive, "_write", write_slowly)
    is_over = threading.Event()
    threads = [run("first")]
    assert writes.wait(WITHIN_S)
    threads.append(run("second"))
    time.sleep(0.2)
    assert not rounds
    may_write.set()
    wait_for("a turn of each", lambda: len(rounds) == 2)
    is_over.set()
    for thread in threads:
        thread.join()

    assert len(world.archive.segments()) == 1
    assert world.archive.count() == len(names)


def test_nothing_leaves_redis_before_its_segment_was_read_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = world.play(0)
    world.now += HOUR
    whole = Archive.read_segment
    for damage in (b"", b"x" * 40):
        monkeypatch.setattr(
            Archive,
            "read_segment",
            lambda self, n, d=damage: d or whole(self, n)[:-1],
        )
        with pytest.raises(BrokenSegment):
            world.archiver().run_once()
    monkeypatch.undo()

    assert live(world) == [name]
    assert world.archiver().run_once() == 1


def test_a_missing_segment_is_said_and_not_taken_for_a_missing_match(
    world: World,
) -> None:
    name = world.play(0)
    world.now += HOUR
    world.archiver().run_once()
    [segment] = Path(world.where).iterdir()
    segment.rename(segment.with_suffix(".gone"))

    with pytest.raises(EventLogError, match="cannot be used"):
        world.fresh().log.load(name)


def test_a_lost_index_is_written_anew_from_the_segments(world: World) -> None:
    name = world.play(0)
    match = world.matches.load(name)
    world.now += HOUR
    world.archiver().run_once()
    for key in world.redis.call("KEYS", "archive:*"):
        world.redis.call("DEL", key)
    assert world.fresh().log.load(name) is None

    assert world.archive.reindex(none_damaged) == 1

    assert world.fresh().matches.load(name) == match


def test_any_fsspec_url_will_do(real_redis: str) -> None:
    Connections(real_redis).call("FLUSHALL")
    world = World(real_redis, "memory://bucket/archive")
    name = world.play(0)
    match = world.matches.load(name)
    world.now += HOUR

    assert world.archiver().run_once() == 1

    assert world.fresh().matches.load(name) == match
    assert world.fresh().archive.segments() == world.archive.segments()


def test_a_block_is_unpacked_to_the_letter(world: World) -> None:
    for number in range(len(GAMES)):
        name = world.play(number)
        state = world.log.load(name)
        assert state is not None
        stream = ColdStream(name, "ten_a", state.head, world.log.read(name))

        assert unpack_stream(pack_stream(stream)) == stream


def test_a_damaged_segment_is_noticed(world: World) -> None:
    world.play(0)
    world.now += HOUR
    world.archiver().run_once()
    [path] = Path(world.where).iterdir()
    data = path.read_bytes()

    assert len(read_index("x", data)) == 1
    for damaged in (b"", data[:-1], data[5:], b"x" + data[1:]):
        with pytest.raises(BrokenSegment):
            read_index("x", damaged)


ARCHIVE_FOR_EVER = """
import sys
from tests.support.archived import HOUR, World
world = World(sys.argv[1], sys.argv[2])
world.now += HOUR
print("ready", flush=True)
while True:
    world.archiver().run_once()
"""


def test_kill_9_anywhere_during_archive_loses_and_doubles_nothing(
    world: World,
) -> None:
    chance, heads = random.Random(1), {}
    for wave in range(8):
        names = [world.play(wave * 100 + number, moves=6) for number in range(12)]
        for name in names:
            heads[name] = world.log.load(name)
        process = subprocess.Popen(
            [sys.executable, "-c", ARCHIVE_FOR_EVER, world.url, world.where],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.random() * 0.08)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()

    other = world.fresh()
    for name, head in heads.items():
        state = other.log.load(name)
        assert state is not None
        assert head is not None
        assert state.head == head.head
        assert other.matches.replay(name, other.log.read(name)).is_over
    archived = [s for p in range(64) for s in world.archive.streams(p)]
    assert sorted([*archived, *live(world)]) == sorted(heads)
    world.now += HOUR
    world.archiver().run_once()
    assert world.archive.count() == len(heads)


# -- backup and restore


def test_a_backup_restores_everything_into_an_empty_log(
    world: World, tmp_path: Path
) -> None:
    before = fill(world)
    path = tmp_path / "backup.gz"
    assert back_up(world, path) == len(before)
    assert path.stat().st_mode & 0o777 == 0o600
    world.redis.call("FLUSHALL")
    empty = World(world.url, str(tmp_path / "other archive"))

    restored = restore(empty, path)

    assert restored == len(before)
    fresh = empty.fresh()
    assert {name: fresh.matches.load(name) for name in before} == before
    assert fresh.redis.call("HGET", "player:ply_x", "name") == "Amara"
    assert len(fresh.log.follow({}, 1000)) == len(before)


def test_an_interrupted_restore_is_run_again_and_goes_on(
    world: World, tmp_path: Path
) -> None:
    before = fill(world)
    path = tmp_path / "backup.gz"
    back_up(world, path)
    world.redis.call("FLUSHALL")
    empty = World(world.url, str(tmp_path / "other archive"))
    seen = itertools.count(1)

    def interrupt() -> None:
        if next(seen) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(empty, path, interrupt)
    restore(empty, path)

    fresh = empty.fresh()
    assert {name: fresh.matches.load(name) for name in before} == before


def test_a_restore_never_writes_over_another_match(
    world: World, tmp_path: Path
) -> None:
    world.play(0)
    path = tmp_path / "backup.gz"
    back_up(world, path)
    world.redis.call("FLUSHALL")
    other = World(world.url, world.where)
    other.play(0, moves=3)

    with pytest.raises(InvalidBackup, match="the log is not empty"):
        restore(other, path)
    other.redis.call("SET", RESTORING, hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(InvalidBackup, match="with other events"):
        restore(other, path)


def test_what_was_revoked_or_erased_since_stays_so(
    world: World, tmp_path: Path
) -> None:
    """Only an empty log is restored into, and what is newer in it stands."""
    world.play(0)
    tenants, players = Tenants(world.url), Players(world.url)
    secret, key = tenants.create_key("ten_a")
    players.register("ply_x", "ten_a", "Amara")
    path = tmp_path / "backup.gz"
    back_up(world, path)
    tenants.revoke_key(key.id)
    players.erase("ply_x", "ten_a", 1)

    with pytest.raises(InvalidBackup, match="the log is not empty"):
        restore(world, path)
    world.redis.call("SET", RESTORING, hashlib.sha256(path.read_bytes()).hexdigest())
    restore(world, path)

    assert Tenants(world.url).find_key(secret) is None
    assert Players(world.url).names(["ply_x"]) == {}
    assert world.redis.call("GET", RESTORING).endswith(" done")
    restore(world, path)  # it was: nothing is put back twice
    assert Tenants(world.url).find_key(secret) is None


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.98])
def test_a_backup_that_is_cut_off_is_refused(
    world: World, tmp_path: Path, keep: float
) -> None:
    """Before any of it is restored: half a log would be served as a whole one."""
    for number in range(9):
        world.play(number)
    path = tmp_path / "backup.gz"
    back_up(world, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    world.redis.call("FLUSHALL")

    with pytest.raises(InvalidBackup):
        restore(world, path)
    assert live(world) == []


def test_the_names_of_matches_that_are_opened_meanwhile_are_in_it(
    world: World, tmp_path: Path
) -> None:
    world.play(0)
    last = next(n for n in range(10_000) if partition_of(f"mat_{n:06d}") == 63)
    path = tmp_path / "backup.gz"

    def open_another() -> None:
        if world.log.load(f"mat_{last:06d}") is None:
            world.redis.call("HSET", "player:ply_new", "name", "Baran", "tenant", "t")
            world.play(last)

    assert back_up(world, path, open_another) == 2
    world.redis.call("FLUSHALL")
    assert restore(world.fresh(), path) == 2

    assert world.redis.call("HGET", "player:ply_new", "name") == "Baran"


def test_a_backup_is_on_the_disk_before_and_after_it_gets_its_name(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, rename = os.fsync, Path.replace

    def see_fsync(descriptor: int) -> None:
        done.append(f"fsync {os.readlink(f'/proc/self/fd/{descriptor}')}")
        fsync(descriptor)

    def see_rename(self: Path, target: Path) -> Path:
        done.append(f"rename {self}")
        return rename(self, target)

    monkeypatch.setattr(os, "fsync", see_fsync)
    monkeypatch.setattr(Path, "replace", see_rename)
    path = tmp_path / "backup.gz"
    back_up(world, path)

    draft = f"{path}.part"
    assert done == [f"fsync {draft}", f"rename {draft}", f"fsync {tmp_path}"]


def test_two_backups_to_one_path_are_not_mixed(world: World, tmp_path: Path) -> None:
    world.play(0)
    path = tmp_path / "backup.gz"

    def write_another() -> None:
        with pytest.raises(BeingWritten, match=r"backup\.gz\.part"):
            back_up(world, path)

    assert back_up(world, path, write_another) == 1

    assert back_up(world, path) == 1
    world.redis.call("FLUSHALL")
    assert restore(world.fresh(), path) == 1


def test_a_backup_that_cannot_be_written_leaves_nothing(
    world: World, tmp_path: Path
) -> None:
    world.play(0)

    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        back_up(world, tmp_path / "backup.gz", fail)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lost", [0, 1, 30])
def test_an_interrupted_backup_goes_on_behind_its_last_mark(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """Also where the disk has *lost* bytes of what was written last."""
    monkeypatch.setattr(backup, "MARK_EVERY", 5)
    for number in range(40):
        world.play(number, ends=False)
    before = {stream: world.log.read(stream) for stream in live(world)}
    path, told = tmp_path / "backup.gz", itertools.count(1)

    def stop_at_30() -> None:
        if next(told) == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(world, path, stop_at_30)
    [draft] = tmp_path.iterdir()
    with draft.open("r+b") as file:
        file.truncate(draft.stat().st_size - lost)
    read = []
    load = world.log.load
    monkeypatch.setattr(world.log, "load", lambda name: read.append(name) or load(name))

    assert back_up(world, path, goes_on=True) == 40

    assert len(read) < 40 - 10
    assert list(tmp_path.iterdir()) == [path]
    world.redis.call("FLUSHALL")
    assert restore(world.fresh(), path) == 40
    fresh = world.fresh()
    assert {stream: fresh.log.read(stream) for stream in before} == before


@contextmanager
def room_for(count: int) -> Iterator[None]:
    """Let no file become longer than so many bytes, as on a disk that is full then."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def backup_to(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return the command, which marks after five matches; its keys are made already."""
    monkeypatch.setattr(backup, "MARK_EVERY", 5)
    environment = {
        "REDIS_URL": world.url,
        "SEEDLOG_ARCHIVE": world.where,
        "SEEDLOG_DATA": str(tmp_path / "data"),
    }
    assert seedlog("backup", tmp_path / "empty.gz", **environment).exit_code == 0
    return partial(seedlog, "backup", **environment)


def test_a_backup_goes_on_when_a_full_disk_has_room_again(
    world: World, tmp_path: Path, backup_to: Callable[..., Result]
) -> None:
    """However often it was tried meanwhile; and it says so."""
    for number in range(40):
        world.play(number, ends=False)
    before = {stream: world.log.read(stream) for stream in live(world)}
    path, whole = tmp_path / "backup.gz", tmp_path / "whole.gz"
    assert backup_to(whole).exit_code == 0
    half = whole.stat().st_size // 2

    for how in ([], ["--continue"], ["--continue"]):
        with room_for(half):
            refused = backup_to(path, *how)
        assert refused.exit_code == 1
        said = refused.stderr.splitlines()[-1]
        assert f"{path} cannot be written: {os.strerror(errno.EFBIG)}. " in said
        assert f"{path}.part holds what was written, {half} bytes" in said
        assert "go on with --continue" in said
        assert not path.exists()
    done = backup_to(path, "--continue")

    assert "40 matches" in done.stdout, done.output
    assert not Path(f"{path}.part").exists()
    world.redis.call("FLUSHALL")
    assert restore(world.fresh(), path) == 40
    fresh = world.fresh()
    assert {stream: fresh.log.read(stream) for stream in before} == before


@pytest.mark.parametrize(
    ("laid", "how"),
    [
        (Path.mkdir, []),
        (Path.mkdir, ["--continue"]),
        (os.mkfifo, []),
        (lambda draft: draft.symlink_to("nowhere"), []),
    ],
    ids=["folder", "folder, to go on", "pipe", "link"],
)
def test_what_is_in_the_way_of_a_backup_is_named(
    tmp_path: Path,
    backup_to: Callable[..., Result],
    laid: Callable[[Path], None],
    how: list[str],
) -> None:
    path = tmp_path / "backup.gz"
    laid(Path(f"{path}.part"))

    refused = backup_to(path, *how)

    assert refused.exit_code == 1
    assert f"{path}.part is in the way: remove it" in refused.stderr


def test_of_what_a_full_disk_stopped_too_early_nothing_is_left(
    world: World, tmp_path: Path, backup_to: Callable[..., Result]
) -> None:
    for number in range(9):
        world.play(number, ends=False)
    path = tmp_path / "backup.gz"

    with room_for(100):
        refused = backup_to(path)

    assert refused.exit_code == 1
    assert "Nothing is left of it: begin anew" in refused.stderr
    assert not Path(f"{path}.part").exists()
    assert backup_to(path).exit_code == 0


def test_what_was_not_begun_does_not_go_on(world: World, tmp_path: Path) -> None:
    with pytest.raises(InvalidBackup, match=r"there is no .*backup\.gz\.part"):
        back_up(world, tmp_path / "backup.gz", goes_on=True)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "left",
    [b"", b"no gzip", gzip.compress(b'{"format":"seedlog-backup 1"}\n', mtime=0)],
)
def test_what_has_no_mark_is_not_gone_on_with(
    world: World, tmp_path: Path, left: bytes
) -> None:
    path = tmp_path / "backup.gz"
    world.play(0)
    Path(f"{path}.part").write_bytes(left)

    with pytest.raises(InvalidBackup, match="begin anew"):
        back_up(world, path, goes_on=True)

    assert back_up(world, path) == 1


def test_what_another_log_has_left_is_not_gone_on_with(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be a backup of two halves, and look like a whole one."""
    monkeypatch.setattr(backup, "MARK_EVERY", 1)
    path = tmp_path / "backup.gz"
    for number in range(6):
        world.play(number, ends=False)
    back_up(world, path)
    path.rename(f"{path}.part")
    world.redis.call("FLUSHALL")
    other = world.fresh()
    for number in range(6, 12):
        other.play(number, ends=False)

    with pytest.raises(InvalidBackup, match="of another log"):
        back_up(other, path, goes_on=True)


def test_drafts_of_segments_that_were_killed_go_with_the_next(world: World) -> None:
    """But not those that somebody may be writing now."""
    folder = Path(world.where)
    folder.mkdir()
    old, new = folder / "old.part", folder / "new.part"
    for draft in (old, new):
        draft.write_bytes(b"half")
    os.utime(old, (1, 1))
    world.play(0)
    world.now += HOUR

    assert world.archiver().run_once() == 1

    assert not old.exists()
    assert new.exists()


def test_a_match_of_60_moves_is_archived_in_800_bytes(world: World) -> None:
    """By columns it takes little more than what cannot be compressed in it."""
    sizes = []
    for number in range(0, 30 * len(GAMES), len(GAMES)):  # the first of the games
        name = world.play(number, 60)
        events, state = world.log.read(name), world.log.load(name)
        assert state is not None
        stream = ColdStream(name, "ten_local", state.head, events)
        if len(events) > 60:
            sizes.append(len(pack_stream(stream)))

    assert sizes
    assert max(sizes) <= 820


def test_what_is_too_odd_for_columns_is_kept_by_rows(world: World) -> None:
    """Times that run backwards, or moves of another form, are read as they were."""
    name = world.play(0)
    events, state = world.log.read(name), world.log.load(name)
    assert state is not None
    before = replace(events[-1], at_ms=0)
    strange = replace(events[4], data_text='{"digest":"00","move":"A","seat":"south"}')
    for odd in ([*events[:-1], before], [*events[:4], strange, *events[5:]], []):
        head = Head(len(odd), state.head.hash)
        stream = ColdStream(name, "ten_a", head, odd)

        assert unpack_stream(pack_stream(stream)) == stream


def test_a_damaged_block_is_noticed(world: World) -> None:
    """Each byte of it: whatever is read then, the hash of the head is not reached."""
    name = world.play(0)
    state = world.log.load(name)
    assert state is not None
    block = pack_stream(ColdStream(name, "ten_a", state.head, world.log.read(name)))
    chance = random.Random(0)
    for at in range(len(block)):
        other = (block[at] + chance.randrange(1, 256)) % 256
        with pytest.raises((BrokenSegment, ValueError, OverflowError)):
            check_stream(unpack_stream(block[:at] + bytes([other]) + block[at + 1 :]))
    for end in range(len(block)):
        with pytest.raises(BrokenSegment):
            unpack_stream(block[:end])
