"""A server that hangs is as bad as one that died, and is started again like one."""

import sys
from functools import partial
from pathlib import Path

import pytest

from services.cli import pulse
from services.cli.child import Child, start_program
from services.cli.pulse import Pulse
from services.cli.redis_server import free_port
from services.cli.supervisor import Supervisor
from services.settings import Settings
from tests.support.patience import wait_for

# Answers as long as there is no such file; then it goes on listening, and hangs.
SERVER = """
import http.server, os, sys, time
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if os.path.exists(sys.argv[2]):
            time.sleep(1000)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


def test_a_server_that_hangs_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "WITHIN_S", 0.5)
    port, hangs = free_port(), tmp_path / "hangs"
    command = [sys.executable, "-c", SERVER, str(port), str(hangs)]
    watched = Pulse(f"http://127.0.0.1:{port}/", every_s=0.05)
    child = Child("server", partial(start_program, command), pulse=watched)
    supervisor = Supervisor(Settings(data=tmp_path), [child])
    child.start()
    assert child.process is not None
    first = child.process.pid

    def is_another() -> bool:
        supervisor._revive()
        return child.process is not None and child.process.pid != first

    try:
        wait_for("an answer", lambda: watched._has_answered)
        hangs.touch()
        wait_for("another server", is_another)
        hangs.unlink()

        assert child.deaths == 1
        wait_for("its answer", lambda: watched._has_answered)
        supervisor._revive()
        assert child.deaths == 1
    finally:
        watched.end()
        supervisor._stop()
