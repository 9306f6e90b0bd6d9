"""The lease of a view: the right to rebuild it, which one process has at a time.

It is renewed while the rebuild gets on, and passes by itself when its holder is dead.
Only its holder can switch the view over, so a rebuild that was held up for longer than
the lease lasts (its generation may be removed by then) changes nothing.
"""

import os
import secrets
import socket
import time
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import orjson

from services.eventlog.event import format_time

SCRIPT = files("services.views").joinpath("lease.lua").read_text("utf-8")
LEASE_S = 30.0


class RebuildRuns(Exception):
    """The view is being rebuilt already; says by whom, and until when at least."""


class LeaseLost(Exception):
    """The rebuild was held up for longer than its lease; nothing was switched over."""


class Lease:
    """One rebuild of one view, from before its first write to its end."""

    def __init__(self, redis: Any, keys: Sequence[str], first: str) -> None:
        """Take the lease, and the name of a new generation with it.

        :raises RebuildRuns: somebody else has it.
        """
        self._script = redis.register_script(SCRIPT)
        self._keys = keys
        self._first = first
        self._token = secrets.token_hex(8)
        self._renewed_at = time.monotonic()
        facts = self._ask("take")
        if "generation" not in facts:
            until_ms = time.time_ns() // 1_000_000 + max(facts["left_ms"], 0)
            raise RebuildRuns(
                f"{facts['holder']} is rebuilding it, and has it until "
                f"{format_time(until_ms)} at least"
            )
        self.generation: str = facts["generation"]

    def keep(self) -> None:
        """Renew the lease when a third of it is over.

        :raises LeaseLost: it has passed.
        """
        if time.monotonic() - self._renewed_at > LEASE_S / 3:
            self._renewed_at = time.monotonic()
            self._insist("keep")

    def use(self) -> None:
        """Make the new generation the present one.

        :raises LeaseLost: it has passed.
        """
        self._insist("use")

    def give_back(self) -> None:
        """Let others rebuild the view; do so at the end, however it ends."""
        self._ask("give back")

    def _insist(self, what: str) -> None:
        if "generation" not in self._ask(what):
            raise LeaseLost(
                f"the rebuild was held up for more than {LEASE_S:g} s, and what it had "
                "built may be removed by now; run it again"
            )

    def _ask(self, what: str) -> dict[str, Any]:
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        arguments = [what, self._token, int(LEASE_S * 1000), holder, self._first]
        facts: dict[str, Any] = orjson.loads(self._script(self._keys, arguments))
        return facts
