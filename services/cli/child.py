"""A process of a running stack: begun, watched, ended."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from services.cli.forked import NotForked, Process, die_with_parent
from services.cli.preconditions import say
from services.cli.pulse import Pulse

RESTART_PAUSES_S = (0.0, 0.5, 1.0, 2.0, 5.0)


@dataclass(slots=True)
class Child:
    """A process that is to run: how to start it, and the process itself."""

    name: str
    begin: Callable[[], Process]
    process: Process | None = None
    started_at: float = 0.0
    deaths: int = 0
    restart_at: float = 0.0
    pulse: Pulse | None = None

    def start(self) -> None:
        """Start it; if that fails, it is to be tried again soon."""
        self.started_at = time.monotonic()
        try:
            self.process = self.begin()
        except NotForked:
            self.restart_at = time.monotonic() + RESTART_PAUSES_S[1]
            say(f"{self.name} did not start; trying again")

    def is_running(self) -> bool:
        """Tell whether it runs."""
        return self.process is not None and self.process.poll() is None

    def kill_if_hung(self) -> bool:
        """Kill a server that no longer answers; tell whether it was one."""
        if self.pulse is None or not self.pulse.is_lost or self.process is None:
            return False
        self.pulse.forget()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        return True


def await_end(child: Child, deadline: float) -> None:
    """Wait until it has ended; at a time of the clock, kill it."""
    if child.process is None:
        return
    try:
        child.process.wait(max(deadline - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired:
        say(f"{child.name} did not stop in time and was killed")
        os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()


def start_program(
    command: list[str], output: int | None = None
) -> "subprocess.Popen[bytes]":
    """Start another program, in a session of its own, as `Forked` starts ours."""
    return subprocess.Popen(  # noqa: S603
        command,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=output,
        preexec_fn=partial(die_with_parent, parent=os.getpid()),
    )
