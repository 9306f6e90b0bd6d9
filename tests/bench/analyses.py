"""What replies of AIs lose to analyses that are thought about meanwhile.

The same matches are played in turns with no analysis under way and with as many as
there are processors, each on a worker of its own. And how soon an analysis goes on
whose worker was killed.
"""

import os
import random
import signal
import time

from services.analysis import Analyses
from services.bootstrap import now_ms
from services.client import Seedlog
from services.client.shapes import Match
from tests.support.measure import cpu_s, percentile, report
from tests.support.stack import Stack, shipped_stack

ROUNDS = 6
MOVES = 25
LEVEL = 7
KILLS = 6
AIM_MS, AIM_S = 100.0, 5.0
LONG_MS = 60_000
THINKS_S = 0.3
"""An idle worker uses as much in a minute."""


def replies_ms(client: Seedlog, seed: int) -> list[float]:
    """Play against an AI; return how long each of its replies took, from our move."""
    chance, replies = random.Random(seed), list[float]()
    seats = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": LEVEL}}
    match: Match = client.open_match("oware", seats)
    while match["legal_moves"] and len(replies) < MOVES:
        move, version = chance.choice(match["legal_moves"]), match["version"]
        asked = time.perf_counter()
        match = client.play(
            match["id"], move, version=version, seat="south", wait_for_reply_s=10
        )["match"]
        replies.append((time.perf_counter() - asked) * 1e3)
    return replies


def begin_analyses(client: Seedlog, count: int, seed: int) -> list[str]:
    """Let as many questions be thought about as there are workers."""
    asked = [
        client.analyses.of_position(
            "oware", options={"seeds": 4}, time_ms=LONG_MS - seed * count - number
        )["id"]
        for number in range(count)
    ]
    for analysis_id in asked:
        await_status(client, analysis_id, "running")
    return asked


def await_status(client: Seedlog, analysis_id: str, status: str) -> None:
    """Wait until an analysis has a status."""
    while client.analyses.read(analysis_id)["status"] != status:
        time.sleep(0.01)


def recoveries_s(stack: Stack) -> list[float]:
    """Kill the worker of an analysis; return how soon each is thought about again."""
    client, took = stack.client, list[float]()
    analyses = Analyses(str(stack.facts["redis_url"]), now_ms)
    for number in range(KILLS):
        time.sleep(1)  # what was canceled before is thought about no more by then
        [analysis_id] = begin_analyses(client, 1, 1000 + number)
        thinking = who_thinks(stack)
        killed = time.monotonic()
        os.kill(thinking, signal.SIGKILL)
        while (analysis := analyses.read(analysis_id)).attempts == 1:
            assert not analysis.has_ended, "another worker was killed"
            time.sleep(0.005)
        took.append(time.monotonic() - killed)
        client.analyses.cancel(analysis_id)
        await_status(client, analysis_id, "canceled")
    return took


def who_thinks(stack: Stack) -> int:
    """Return the analysis worker that uses a processor, once one has for a while."""
    before = {pid: cpu_s(pid) for pid in stack.pids("analysis-worker")}
    while True:
        time.sleep(0.2)
        used = {pid: cpu_s(pid) - spent for pid, spent in before.items()}
        if max(used.values()) > THINKS_S:
            return max(used, key=lambda pid: used[pid])


def main() -> None:
    cores = os.cpu_count() or 1
    alone, beside = list[float](), list[float]()
    with shipped_stack(SEEDLOG_ANALYSIS_WORKERS=str(cores)) as stack:
        client = stack.client
        for number in range(ROUNDS):
            alone += replies_ms(client, number)
            asked = begin_analyses(client, cores, number)
            beside += replies_ms(client, number)
            for analysis_id in asked:
                client.analyses.cancel(analysis_id)
        recoveries = recoveries_s(stack)
    rows = []
    for share in (0.5, 0.95, 0.99):
        lost = percentile(beside, share) - percentile(alone, share)
        verdict = "reached" if lost < AIM_MS else "missed"
        told = f"{percentile(alone, share):.0f}, {percentile(beside, share):.0f}"
        label = f"reply, p{share * 100:.0f} ms: alone, beside {cores} analyses"
        rows.append((f"{label} (aim +{AIM_MS:.0f}: {verdict})", told))
    worst = max(recoveries)
    verdict = "reached" if worst < AIM_S else "missed"
    rows.append(
        (f"worker killed, goes on, most s (aim {AIM_S:.0f}: {verdict})", f"{worst:.1f}")
    )
    report(f"Replies of AIs (level {LEVEL}) beside analyses", rows)


if __name__ == "__main__":
    main()
