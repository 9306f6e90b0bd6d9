"""Processes beside those that a stack has started, as a second machine runs them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from tests.support.network import HERE, Host
from tests.support.stack import Stack

SIGNED = {"SEEDLOG_SECRET": "chaos" * 8}
"""Who works beside a stack has to have been given its secret."""

SHARED = ("projector", "dispatcher", "dispatcher")
"""What a stack gets besides: two projectors and three dispatchers are at work then."""


class Beside:
    """A process of some kind, on a host of its own or here; it is started again."""

    def __init__(
        self, stack: Stack, kind: str, settings: dict[str, str], host: Host = HERE
    ) -> None:
        """Work for a stack, with the same settings."""
        self.kind = kind
        self._command = [*host.within, sys.executable, "-m", "services.cli", kind]
        self._environment = {
            **os.environ,
            **settings,
            "REDIS_URL": stack.facts["redis_url"],
            "QUEUE_URL": stack.facts["queue_url"],
            "SEEDLOG_DATA": str(stack.data),
        }
        self._output = stack.data / "beside.txt"
        self._start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def mend(self) -> None:
        """Start it again if it has died."""
        if self._process.poll() is not None:
            self._start()

    def close(self) -> None:
        """Let it die."""
        self._process.kill()
        self._process.wait()

    def _start(self) -> None:
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdout=output, stderr=output
            )


@contextmanager
def shared(stack: Stack, settings: dict[str, str]) -> Iterator[list[Beside]]:
    """Let a projector and two dispatchers more work for a stack."""
    with ExitStack() as around:
        yield [
            around.enter_context(closing(Beside(stack, kind, settings)))
            for kind in SHARED
        ]
