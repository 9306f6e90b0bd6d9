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

from services.eventlog.connection import Argument, Connections
from services.eventlog.event import format_time

SCRIPT = files("services.views").joinpath("lease.lua").read_text("utf-8")
LEASE_S = 30.0


class RebuildRuns(Exception):
    """The view is being rebuilt already; says by whom, and until when at least."""


class LeaseLost(Exception):
    """The rebuild was held up for longer than its lease; nothing was switched over."""


class Lease:
    """One rebuild of one view, from before its first write to its end."""

    def __init__(self, redis: Connections, keys: Sequence[str], first: str) -> None:
        """Take the lease, and the name of a new generation with it.

        :raises RebuildRuns: somebody else has it.
        """
        self._redis = redis
        self._keys = keys
        self._first = first
        self._token = secrets.token_hex(8)
        self._renewed_at = time.monotonic()
        is_ours, *facts = self._ask("take")
        if not is_ours:
            holder, left_ms = facts
            until = format_time(time.time_ns() // 1_000_000 + max(left_ms, 0))
            raise RebuildRuns(
                f"{holder} is rebuilding it, and has it until {until} at least"
            )
        self.generation: str = facts[0]

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
        is_ours, *_ = self._ask(what)
        if not is_ours:
            raise LeaseLost(
                f"the rebuild was held up for more than {LEASE_S:g} s, and what it had "
                "built may be removed by now; run it again"
            )

    def _ask(self, what: str) -> list[Any]:
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        life_ms = int(LEASE_S * 1000)
        command: list[Argument] = ["EVAL", SCRIPT, len(self._keys), *self._keys]
        command += [what, self._token, life_ms, holder, self._first]
        return list(self._redis.call(*command))
