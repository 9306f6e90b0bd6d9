"""The processes of `seedlog up`, forked from one that has imported all they need.

To import takes each of them most of a second of CPU, and half of its memory. So one
process does it, `multiprocessing`'s fork server, and the others begin as copies of it:
they start, and start again after a death, in some milliseconds, and what is imported
stands in memory once. It does nothing else, in no thread, so a copy is always whole.
"""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from multiprocessing import forkserver
from typing import Protocol

from setproctitle import setproctitle

CONTEXT = multiprocessing.get_context("forkserver")
PR_SET_PDEATHSIG = 1
START_WITHIN_S = 30.0
"""So long a start may take: it may have to wait until everything is imported."""


class Process(Protocol):
    """A process as its supervisor knows it: what `subprocess.Popen` has, too."""

    @property
    def pid(self) -> int: ...  # noqa: D102
    @property
    def returncode(self) -> int: ...  # noqa: D102
    def poll(self) -> int | None: ...  # noqa: D102
    def terminate(self) -> None: ...  # noqa: D102
    def wait(self, timeout: float | None = None) -> int: ...  # noqa: D102


class NotForked(Exception):
    """A process was not started; the next try may be."""


class Forked:
    """A process that carries out a command of ours."""

    def __init__(self, role: str, environment: Mapping[str, str]) -> None:
        """Start it, in a session of its own: Ctrl-C is for the supervisor alone.

        :raises NotForked: what it is forked from has ended just now.
        """
        self._process = CONTEXT.Process(
            target=self.carry_out, args=(role, {**os.environ, **environment}), name=role
        )
        try:
            with _within(START_WITHIN_S):
                self._process.start()
        except (EOFError, OSError) as error:
            raise NotForked(role) from error
        assert self._process.pid is not None, "it was started"  # noqa: S101
        self._pid = self._process.pid

    @staticmethod
    def carry_out(role: str, environment: Mapping[str, str]) -> None:
        """Do what it is started for; called in it."""
        os.setsid()
        die_with_parent()
        os.environ.clear()
        os.environ.update(environment)
        setproctitle(f"seedlog {role}")
        from services.cli.commands import main

        main([role], prog_name="seedlog")

    @property
    def pid(self) -> int:
        """Return its number."""
        return self._pid

    def poll(self) -> int | None:
        """Return its exit code, -n after signal n, or None while it runs."""
        return self._process.exitcode

    @property
    def returncode(self) -> int:
        """Return its exit code, which it has once it has ended."""
        return self.wait(0)

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code, once it has ended.

        :raises TimeoutExpired: it has not, within so many seconds.
        """
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0)
        return code


def begin_to_import() -> None:
    """Let the process begin from which others are forked; it goes on by itself.

    If it ends, all end with it, and the next start begins it again.
    """
    CONTEXT.set_forkserver_preload(["services.cli.preloaded"])
    forkserver.ensure_running()


def end_importing() -> None:
    """End the process from which others are forked, whatever it does."""
    if source := _source():
        with contextlib.suppress(ProcessLookupError):
            os.kill(source, signal.SIGKILL)


def die_with_parent(
    by: signal.Signals = signal.SIGTERM, parent: int | None = None
) -> None:
    """Ask Linux to end this process when its parent dies, however it dies.

    A *parent* that is named may have died before it was asked: then it ends at once.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)
        if parent is not None and os.getppid() != parent:
            os._exit(1)


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """End the process from which others are forked if it does not fork in time.

    To wait for it takes no time limit; a process that is ended is not waited for, and
    whatever it was to fork counts as ended with it.
    """
    watch = threading.Timer(seconds, end_importing)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _source() -> int | None:
    # The library has no public name for it.
    pid: int | None = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    return pid
