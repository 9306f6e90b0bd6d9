"""An import leaves no memory behind, whether it was refused or taken over."""

import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.cli import redis_server
from services.eventlog.connection import Connections
from services.tenants import Tenants
from tests.audit.hostile import HOSTILE, exported, filled, table_of
from tests.support.patience import wait_for
from tests.support.require import skip_without
from tests.support.tables import PRIVATE

IMPORTS = int(os.environ.get("SEEDLOG_IMPORTS", "24"))
AT_ONCE = 16
GROWTH_MB = 60
"""What may stay: code that was not needed before, and the heaps that threads share."""


@contextmanager
def serving(redis: str, data: Path) -> Iterator[tuple[str, int]]:
    """Serve the API as `seedlog api` does; yield its URL and the process of the app."""
    port = redis_server.free_port()
    environment = {
        **os.environ,
        "REDIS_URL": redis,
        "SEEDLOG_DATA": str(data),
        "SEEDLOG_PORT": str(port),
        "SEEDLOG_SIGNING_KEY": PRIVATE,
    }
    command = [sys.executable, "-m", "services.cli", "api"]
    with (data / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, env=environment, stderr=output)
    url = f"http://127.0.0.1:{port}"
    try:
        yield url, _worker_of(process, f"{url}/health/live")
    finally:
        process.terminate()
        process.wait(timeout=30)


def _worker_of(process: "subprocess.Popen[bytes]", live: str) -> int:
    """Wait until the API answers, and return its one worker process."""

    def is_alive() -> bool:
        urllib.request.urlopen(live, timeout=5).close()
        return True

    wait_for("the API", is_alive, process)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return int(children.split()[0])


def resident_mb(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6


def upload(url: str, token: str, data: bytes) -> int:
    request = urllib.request.Request(
        f"{url}/v1/imports",
        data,
        {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"},
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def refused() -> list[bytes]:
    kinds = ("wrong signatures", "events again and again", "garbage", "beginnings")
    return [filled(HOSTILE[kind]()) for kind in kinds]


def taken_over() -> list[bytes]:
    return [table_of(60, f"mat_taken{n}").export() for n in range(IMPORTS)]


@pytest.mark.parametrize(("make", "status"), [(refused, 422), (taken_over, 201)])
def test_memory_returns_to_where_it_was(
    real_redis: str, tmp_path: Path, make: Callable[[], list[bytes]], status: int
) -> None:
    if not Path("/proc/self/statm").exists():
        skip_without("proc", "there is no /proc to read the memory of a process from")
    Connections(real_redis).call("FLUSHALL")
    token, _ = Tenants(real_redis).create_key("ten_a")
    files = make()
    with serving(real_redis, tmp_path) as (url, pid):
        assert upload(url, token, b"".join(exported())) == 201
        assert upload(url, token, b"x\n") == 422
        before = resident_mb(pid)
        sent = [files[number % len(files)] for number in range(IMPORTS)]
        with ThreadPoolExecutor(AT_ONCE) as threads:
            told = set(threads.map(lambda data: upload(url, token, data), sent))
        after = resident_mb(pid)

    assert told == {status}
    assert after - before < GROWTH_MB, f"{before:.0f} MB, then {after:.0f} MB"
