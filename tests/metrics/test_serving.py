"""What several processes count is told by one of them, whichever lives."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from services.cli.redis_server import free_port
from services.metrics.serving import gather_in
from tests.support.patience import wait_for

PROGRAM = """
import sys
from services import logs
from services.metrics.figures import APPENDS, STREAMS
from services.metrics.serving import begin
from services.settings import Settings

logs.configure("api")
begin(Settings(metrics_port=int(sys.argv[1])))
APPENDS.add("recorded", by=float(sys.argv[2]))
STREAMS.add("match", by=float(sys.argv[2]))
print("begun", flush=True)
sys.stdin.read()
"""


Process = subprocess.Popen[str]


@contextmanager
def counting(
    port: int, count: int, *, program: str = PROGRAM, **shared: str
) -> Iterator[Process]:
    """Run a process that has counted so many appends, and holds as many streams."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(port), str(count)],
        env={**os.environ, **shared},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def told(port: int) -> str:
    return str(urlopen(f"http://127.0.0.1:{port}/metrics").read().decode())


def test_one_tells_for_all_and_another_takes_its_place(tmp_path: Path) -> None:
    """What the dead have counted stays; what they held open does not."""
    port, shared = free_port(), gather_in(tmp_path / "metrics")
    appends = 'seedlog_appends_total{outcome="recorded"} '
    streams = 'seedlog_streams_open{kind="match"} '
    with counting(port, 3, **shared) as first, counting(port, 4, **shared):
        text = wait_for("the first", lambda: told(port))
        assert f"{appends}7.0" in text
        assert f"{streams}7.0" in text

        first.kill()
        first.wait()

        text = wait_for("the second", lambda: told(port))
        assert f"{appends}7.0" in text
        assert f"{streams}4.0" in text


def test_a_process_by_itself_also_tells_what_it_takes() -> None:
    port = free_port()
    with counting(port, 2):
        text = wait_for("it", lambda: told(port))

    assert 'seedlog_appends_total{outcome="recorded"} 2.0' in text
    assert "process_cpu_seconds_total" in text


def test_a_client_that_says_nothing_holds_no_thread() -> None:
    """It is hung up on, after some seconds; a moment here."""
    port = free_port()
    program = PROGRAM.replace(
        "logs.configure", "server.Handler.timeout = 0.3\nlogs.configure"
    ).replace("import sys", "import sys\nfrom services.metrics import server")
    with counting(port, 2, program=program):
        wait_for("it", lambda: told(port))
        with socket.create_connection(("127.0.0.1", port), timeout=5) as slow:
            slow.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
            assert slow.recv(1024) == b""


def test_a_new_beginning_forgets_what_was_counted(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    (folder / "counter_1.db").write_bytes(b"old")

    assert gather_in(folder) == {"PROMETHEUS_MULTIPROC_DIR": str(folder)}

    assert list(folder.iterdir()) == []
    assert folder.stat().st_mode & 0o77 == 0
