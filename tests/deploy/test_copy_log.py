"""`deploy/copy-log`, which backups are made of: whole at every moment."""

import contextlib
import os
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from redis.exceptions import ResponseError

from services.cli import redis_server
from services.eventlog.connection import Connections
from tests.support.require import skip_without
from tests.support.untar import unpack

COPY = str(Path(__file__).parents[2] / "deploy" / "copy-log")
ROUNDS = 12


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of a redis-server, whose address is in `url`."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    folder, port = tmp_path / "log", redis_server.free_port()
    process = redis_server.start(folder, port, redis_server.DURABLE)
    try:
        if not (folder / "appendonlydir").exists():
            pytest.skip("needs a Redis 7: this one keeps its log in a single file")
        (tmp_path / "url").write_text(f"redis://127.0.0.1:{port}/0")
        yield folder
    finally:
        process.terminate()
        process.wait()


def copied(folder: Path) -> bytes:
    done = subprocess.run(["sh", COPY, str(folder)], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(tar: bytes, where: Path) -> int:
    """Let a server load a copy; return how many entries the stream has there."""
    where.mkdir()
    with tarfile.open(fileobj=BytesIO(tar)) as files:
        unpack(files, where)
    port = redis_server.free_port()
    process = redis_server.start(where, port, redis_server.DURABLE)
    try:
        return int(Connections(f"redis://127.0.0.1:{port}/0").call("XLEN", "s"))
    finally:
        process.terminate()
        process.wait()


def test_a_copy_holds_all_that_was_acknowledged_before(
    folder: Path, tmp_path: Path
) -> None:
    """While events come and the files are rewritten as fast as Redis can.

    Copies overlap, some are killed. No setting is touched, and nothing is left behind.
    """
    redis = Connections((tmp_path / "url").read_text())
    setting = ("CONFIG", "GET", "auto-aof-rewrite-percentage")
    before = redis.call(*setting)
    stop, written = threading.Event(), [0]

    def write() -> None:
        while not stop.is_set():
            redis.call("XADD", "s", "*", "f", "x" * 500)
            written[0] += 1

    def rewrite() -> None:
        while not stop.is_set():
            with contextlib.suppress(ResponseError):  # one is in progress
                redis.call("BGREWRITEAOF")
            time.sleep(0.005)

    threads = [threading.Thread(target=work) for work in (write, rewrite)]
    for thread in threads:
        thread.start()
    copies = []
    try:
        for number in range(ROUNDS):
            killed = subprocess.Popen(["sh", COPY, str(folder)], stdout=subprocess.PIPE)
            known = written[0]
            copies.append((known, copied(folder)))
            if number % 2:
                killed.terminate()
            killed.communicate()
    finally:
        stop.set()
        for thread in threads:
            thread.join()

    for number, (known, tar) in enumerate(copies):
        assert loaded(tar, tmp_path / f"copy-{number}") >= known
    assert redis.call(*setting) == before
    assert list(folder.glob("copy.*")) == []


def test_what_a_killed_copy_has_left_is_removed_a_day_later(folder: Path) -> None:
    old, new = folder / "copy.old", folder / "copy.new"
    for left in (old, new):
        left.mkdir()
        (left / "file").touch()
    yesterday = time.time() - 25 * 3600
    os.utime(old, (yesterday, yesterday))

    copied(folder)

    assert not old.exists()
    assert new.exists()


def test_a_folder_without_a_log_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "appendonlydir").mkdir()

    done = subprocess.run(["sh", COPY, str(tmp_path)], capture_output=True, text=True)

    assert done.returncode == 1
    assert "it has no manifest" in done.stderr
    assert not list(tmp_path.glob("copy.*"))
