"""Pieces of work that are killed with SIGKILL, wherever they are.

One process imports what is needed and forks a victim for each piece of work: that costs
milliseconds instead of a start of Python. A victim is killed from outside after a time,
or by itself before it runs the n-th line of the code under test, which reaches moments
that chance would hardly find.
"""

import importlib
import mmap
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import orjson

ROOT = Path(__file__).parents[2]


class Victims:
    """Does one piece of work, ``module:function``, as often as asked, or half of it."""

    def __init__(self, work: str, *arguments: str, traced: str = "") -> None:
        """Begin the process; *traced* tells by its path which code is counted."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, work, traced, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._lines, self._lasts_s = 0, 0.0
        self._hear()

    def __enter__(self) -> "Victims":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=20)

    def run(self) -> None:
        """Let the work be done to its end."""
        began = time.monotonic()
        self._begin()
        assert not self._was_killed()
        self._lasts_s = time.monotonic() - began

    def count_lines(self) -> int:
        """Let the work be done to its end; return how many lines were run."""
        self._begin(lines=0)
        assert not self._was_killed()
        return self._lines

    def kill_at_random(self) -> bool:
        """Kill the work at a moment of the time it takes; tell whether it was hit.

        That is the time of the run before, which a busy machine may have stretched:
        work that ended unhurt was shorter.
        """
        seconds = random.random() * self._lasts_s
        victim = self._begin()
        time.sleep(seconds)
        os.kill(victim, signal.SIGKILL)  # a zombie until the line below: nobody else's
        was_hit = self._was_killed()
        if not was_hit:
            self._lasts_s = seconds
        return was_hit

    def kill_at_line(self, number: int) -> bool:
        """Kill the work before its n-th line; tell whether there was one."""
        self._begin(lines=number)
        return self._was_killed()

    def _begin(self, **order: int) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(orjson.dumps(order) + b"\n")
        self._process.stdin.flush()
        return int(self._hear()["begun"])

    def _was_killed(self) -> bool:
        """Let the victim be buried, and tell how it died."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        end = self._hear()
        status, self._lines = int(end["status"]), int(end["lines"])
        assert status in (0, -signal.SIGKILL), f"the work failed: {status}"
        return status != 0

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        return orjson.loads(self._process.stdout.readline())


def _serve(work: str, traced: str, arguments: Sequence[str]) -> None:
    """Fork a victim for each order; bury it when told that nobody will kill it now."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the work says is not for us
    module, _, name = work.partition(":")
    function = getattr(importlib.import_module(module), name)
    counted = mmap.mmap(-1, 8)  # shared with the victims

    def tell(**facts: int) -> None:
        channel.write(orjson.dumps(facts) + b"\n")
        channel.flush()

    tell()
    for order in sys.stdin.buffer:
        lines = orjson.loads(order).get("lines")
        victim = os.fork()
        if not victim:
            code = 1
            try:
                if lines is None:
                    function(*arguments)
                else:
                    _count(counted, lambda: function(*arguments), traced, lines)
                code = 0
            except Exception:  # noqa: BLE001
                traceback.print_exc()
            finally:
                os._exit(code)
        tell(begun=victim)
        sys.stdin.buffer.readline()
        status = os.waitstatus_to_exitcode(os.waitpid(victim, 0)[1])
        tell(status=status, lines=int.from_bytes(counted[:]))


def _count(
    counted: mmap.mmap, work: Callable[[], object], traced: str, limit: int
) -> None:
    """Count the lines of some code that are run; die before the *limit*, if any."""
    count = 0

    def on_line(_: FrameType, event: str, __: object) -> Any:
        nonlocal count
        if event == "line":
            count += 1
            if count >= limit > 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return on_line

    def on_call(frame: FrameType, _: str, __: object) -> Any:
        return on_line if re.search(traced, frame.f_code.co_filename) else None

    threading.settrace(on_call)
    sys.settrace(on_call)
    work()
    sys.settrace(None)
    counted[:] = count.to_bytes(8)


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], sys.argv[3:])
