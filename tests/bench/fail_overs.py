"""How long nothing can be written after a master is killed, and that nothing is lost.

Real servers, which are taken for dead after a second: with Sentinels, and in a cluster.
Each master has one replica, which has to hold what is acknowledged; what was killed is
started again once another is master. One writer appends all the time and repeats what
was not acknowledged; ``SEEDLOG_FAIL_OVERS`` says how often its master is killed.
"""

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Protocol

from services.eventlog import Head, LogUnavailable, RedisEventLog, VersionConflict
from tests.support.appending import NOTE, empty, moves, new_stream
from tests.support.cluster import running_cluster
from tests.support.measure import percentile, report
from tests.support.patience import wait_for
from tests.support.sentinels import watched_by_sentinels

FAIL_OVERS = int(os.environ.get("SEEDLOG_FAIL_OVERS", "10"))
AIM_MS = 5_000
REPEATED_AFTER_S = 0.02


class Group(Protocol):
    """Servers whose master can be killed."""

    @property
    def url(self) -> str:
        """How the log finds them."""

    def settle(self) -> None:
        """Return when all replicas keep up."""

    def revive(self, port: int) -> None:
        """Start a server again."""

    def kill(self, port: int) -> None:
        """Kill a server."""

    def master_of(self, stream: str) -> int:
        """Return the port of the master that holds a stream."""


class Writer:
    """Appends one event after the other to one stream, until it is told to stop."""

    def __init__(self, url: str) -> None:
        self._log = RedisEventLog(url, replicas=1)
        self.stream = new_stream()
        self.head: Head = empty(self.stream)
        self.longest_ms = 0.0
        self.refused = 0
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        acknowledged_at = time.monotonic()
        while not self._is_stopped.is_set():
            try:
                self._append()
            except LogUnavailable:
                self.refused += 1
                time.sleep(REPEATED_AFTER_S)
                continue
            now = time.monotonic()
            self.longest_ms = max(self.longest_ms, (now - acknowledged_at) * 1000)
            acknowledged_at = now

    def _append(self) -> None:
        """Append an event; or find out that it was recorded before it was refused."""
        event = moves(1, after=self.head.version)
        try:
            appended = self._log.append(self.stream, self.head, event, NOTE)
        except VersionConflict as conflict:
            assert self._log.read(self.stream, self.head.version, 1) == event
            assert conflict.actual is not None
            self.head = conflict.actual.head
        else:
            assert appended.head is not None
            self.head = appended.head


def pauses(group: Group) -> tuple[list[float], Writer]:
    """Kill the master of a stream again and again; return how long it paused, in ms."""
    writer, found = Writer(group.url), list[float]()
    stream = writer.stream
    for _ in range(FAIL_OVERS):
        before = writer.head.version
        writer.longest_ms = 0
        killed = group.master_of(stream)
        group.kill(killed)
        wait_for("another", lambda killed=killed: group.master_of(stream) != killed)
        group.revive(killed)
        while writer.longest_ms < 100 or writer.head.version < before + 100:
            time.sleep(0.05)
        found.append(writer.longest_ms)
        group.settle()
    writer.stop()
    return found, writer


def tell(name: str, group: Group) -> None:
    """Measure, and print what came of it."""
    found, writer = pauses(group)
    kept = RedisEventLog(group.url).read(writer.stream)
    there = {event.version for event in kept}
    lost = {*range(1, writer.head.version + 1)} - there
    report(
        f"fail-overs, {name}: {len(found)}",
        [
            ("no write for, p50", f"{percentile(found, 0.5):.0f} ms"),
            ("no write for, longest", f"{max(found):.0f} ms (aim: {AIM_MS} ms)"),
            ("acknowledged", f"{writer.head.version}"),
            ("of these lost", f"{len(lost)}"),
            ("refused and repeated", f"{writer.refused}"),
        ],
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with watched_by_sentinels(Path(folder) / "sentinels", replicas=1) as group:
            tell("Sentinel", group)
        with running_cluster(Path(folder) / "cluster") as cluster:
            tell("Cluster", cluster)
