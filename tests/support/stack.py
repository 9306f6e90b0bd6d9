"""A whole stack as an operator starts it: `seedlog up` on a data folder of its own."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from services.cli import redis_server
from services.cli.ready import read_ready
from services.client import Seedlog
from services.settings import Settings, variable_of
from tests.support.patience import wait_for
from tests.support.processes import children
from tests.support.require import skip_without

ALL_KINDS = dict.fromkeys(
    [f"SEEDLOG_{kind}_WORKERS" for kind in ("AI", "ANALYSIS", "WEBHOOK")], "1"
)
"""One worker of each kind, for tests that use them all."""

FEW = dict.fromkeys(ALL_KINDS, "0") | {"SEEDLOG_AI_WORKERS": "1"}
"""Only one, who plays: to start processes is most of what a test of a stack costs."""

UP = ("-m", "services.cli", "up")
HELPERS = ("forked from here", "resource_tracker", "forkserver")
"""What stands in the command lines of processes that serve the others alone."""


@dataclass
class Stack:
    """A running stack: where it is, and the processes it is made of."""

    process: "subprocess.Popen[bytes]"
    data: Path
    facts: dict[str, Any]

    @property
    def url(self) -> str:
        return str(self.facts["url"])

    @property
    def api_key(self) -> str:
        return str(self.facts["api_key"])

    @cached_property
    def client(self) -> Seedlog:
        """Return a client with the key of the stack; it goes with the stack."""
        return Seedlog(self.url, self.api_key)

    def pids(self, word: str) -> list[int]:
        """Return the processes of the stack whose command line has a word.

        But neither what these start nor what they are forked from.
        """
        started = children([self.process.pid])
        pids = []
        for pid in [*started, *children(started)]:
            try:
                command = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if word in command and not any(helper in command for helper in HELPERS):
                pids.append(pid)
        return pids

    def stop(self, number: int = signal.SIGINT) -> int:
        """Stop it as Ctrl-C does, and return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=40)


def start_stack(
    data: Path,
    *,
    python: str = sys.executable,
    checkout: Path | None = None,
    asked: Sequence[str] = (),
    **settings: str,
) -> Stack:
    """Start a stack, by any Python that has it, and wait until it is ready.

    It is that of another *checkout*, by its own Python, if one is given. *asked* are
    options of the command.
    """
    environment = {
        **os.environ,
        **FEW,
        "SEEDLOG_DATA": str(data),
        "SEEDLOG_PORT": str(redis_server.free_port()),
        "SEEDLOG_STREAM_PORT": str(redis_server.free_port()),
        **settings,
    }
    data.mkdir(parents=True, exist_ok=True)
    with (data / "output.txt").open("ab") as output:
        process = subprocess.Popen(
            [checkout / ".venv/bin/python" if checkout else python, *UP, *asked],
            env=environment,
            cwd=checkout,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        facts = wait_for("the stack", lambda: read_ready(data), process)
    except AssertionError as why:
        process.terminate()
        process.wait()
        said = (data / "output.txt").read_text()
        raise AssertionError(f"{why}\n{said}") from None
    return Stack(process, data, facts)


@contextmanager
def running_stack(
    data: Path,
    *,
    python: str = sys.executable,
    checkout: Path | None = None,
    **settings: str,
) -> Iterator[Stack]:
    """Run a stack on a real Redis for as long as the block lasts."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    stack = start_stack(data, python=python, checkout=checkout, **settings)
    try:
        yield stack
    finally:
        stack.client.close()
        stack.stop()


@contextmanager
def shipped_stack(checkout: Path | None = None, **settings: str) -> Iterator[Stack]:
    """Run a stack with all processes that it has by default, on a folder of its own."""
    shipped = {
        variable_of(given): str(given.default)
        for given in fields(Settings)
        if variable_of(given) in FEW
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Path(folder), checkout=checkout, **shipped, **settings) as stack,
    ):
        yield stack
