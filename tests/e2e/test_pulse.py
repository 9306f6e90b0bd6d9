"""A server that hangs is as bad as one that died, and is started again like one."""

import sys
import time
from functools import partial
from pathlib import Path

import pytest

from services.cli import pulse
from services.cli.pulse import Pulse
from services.cli.redis_server import free_port
from services.cli.supervisor import Child, Supervisor, start_program
from services.settings import Settings

# Answers with its process number, for a second; then it goes on listening, and hangs.
SERVER = """
import http.server, os, sys, threading, time
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if time.monotonic() - began > 1 and not os.path.exists(sys.argv[2]):
            time.sleep(1000)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
began = time.monotonic()
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


def test_a_server_that_hangs_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulse, "WITHIN_S", 0.2)
    port, healed = free_port(), tmp_path / "healed"
    command = [sys.executable, "-c", SERVER, str(port), str(healed)]
    watched = Pulse(f"http://127.0.0.1:{port}/", every_s=0.05)
    child = Child("server", partial(start_program, command), pulse=watched)
    supervisor = Supervisor(Settings(data=tmp_path), [child])
    child.start()
    assert child.process is not None
    first, until = child.process.pid, time.monotonic() + 30
    try:
        while time.monotonic() < until:
            supervisor._revive()
            if child.process is not None and child.process.pid != first:
                healed.touch()
                break
            time.sleep(0.05)

        assert child.process.pid != first
        assert child.deaths == 1
        for _ in range(200):
            if pulse.answers(f"http://127.0.0.1:{port}/", 1):
                break
            time.sleep(0.05)
        supervisor._revive()
        assert child.deaths == 1
    finally:
        watched.end()
        supervisor._stop()
