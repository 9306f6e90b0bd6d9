"""The server of the API logs in the form of everything else."""

import os
import signal
from pathlib import Path
from tempfile import TemporaryFile

from tests.support.serving import get, serving

WORKER = "services.http.wire.worker.Worker"
LOGGER = "--logger-class=services.http.server_log.ServerLog"


def test_what_the_server_says_is_one_line_with_fields() -> None:
    """Of a worker that was killed, and of what was no request."""
    with TemporaryFile() as output, serving(output, LOGGER, worker=WORKER) as server:
        with server.connect() as client:
            assert client.ask(b"nonsense\r\n\r\n").status == 400
        master = server.process.pid
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        with server.connect() as client:
            assert client.ask(get()).status == 200
        lines = server.log().splitlines()

    assert all(line.startswith("timestamp=") for line in lines)
    refused, killed = (line for line in lines if "process=api" in line)
    assert 'level=warning process=api event="refused a request' in refused
    assert 'level=error process=api event="Worker (pid:' in killed
