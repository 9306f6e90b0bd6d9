"""How long nothing can be written after a master is killed, and that nothing is lost.

Real servers, which are taken for dead after a second or two: two replicas with
Sentinels, and a cluster in which each master has one. One replica has to hold what is
acknowledged; what was killed is started again once another is master. One writer
appends all the time and repeats what was not acknowledged; ``SEEDLOG_FAIL_OVERS`` says
how often its master is killed.
"""

import os
import tempfile
import time
from pathlib import Path

from tests.support.cluster import running_cluster
from tests.support.group import Group
from tests.support.measure import percentile, report
from tests.support.patience import wait_for
from tests.support.sentinels import watched_by_sentinels
from tests.support.writer import Writer

FAIL_OVERS = int(os.environ.get("SEEDLOG_FAIL_OVERS", "10"))
AIM_MS = 5_000


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
    lost = writer.lost(group.url)
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
        with watched_by_sentinels(Path(folder) / "sentinels") as group:
            tell("Sentinel", group)
        with running_cluster(Path(folder) / "cluster") as cluster:
            tell("Cluster", cluster)
