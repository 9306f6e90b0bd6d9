"""How late a flag is told: clocks that run out within a second, with and without kills.

The log dates a flag at the moment at which the time ran out. Its lag is how long after
that it stood in the feed, whose entries Redis dates. ``SEEDLOG_CLOCKS`` says how many
clocks there are.
"""

import os
import signal
import threading
import time
from dataclasses import replace
from typing import Any

from redis import Redis

from services.bootstrap import Services, connect
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS
from services.match import OpenMatch, Player
from services.settings import Settings
from tests.support.measure import percentile, report
from tests.support.stack import Stack, shipped_stack

CLOCKS = int(os.environ.get("SEEDLOG_CLOCKS", "1000"))
AHEAD_S = 12  # in which they are opened
AIM_MS, AIM_OF_RESTART_MS = 100, 1_000
HUMAN = Player(kind="human", player="ply_a")
VICTIMS = ("gunicorn", "dispatcher", "projector", "dispatcher")
BETWEEN_KILLS_S = 0.25


def services_of(stack: Stack) -> Services:
    """Return the services of a stack, for this process."""
    settings = replace(Settings(), data=stack.data, redis_url=stack.facts["redis_url"])
    return connect(settings)


def open_clocks(services: Services, count: int) -> dict[str, int]:
    """Open matches whose clocks run out within one second; return when, by match."""
    began, dues = time.time(), {}
    for number in range(count):
        # the later it is opened, the less time it has; the rest is spread by itself
        left_s = max(AHEAD_S - int(time.time() - began), 2)
        wanted = OpenMatch(
            game="kalah",
            tenant="ten_bench",
            seats={"south": HUMAN, "north": HUMAN},
            clock={"initial_s": left_s, "increment_s": 0},
        )
        name = f"mat_clock{number}x{int(began)}"
        match = services.matches.handle(name, wanted, by="key:bench").match
        assert match.due is not None
        dues[name] = match.due.at_ms
    return dues


def told_at(url: str, dues: dict[str, int]) -> dict[str, list[int]]:
    """Return when each match was said to be over, in ms: as often as it was."""
    redis: Any = Redis.from_url(url, decode_responses=True)
    told: dict[str, list[int]] = {name: [] for name in dues}
    for partition in range(PARTITIONS):
        for entry, said in redis.xrange(key_of("feed", partition)):
            if said["s"] in told and int(said["f"]) > 3:
                told[said["s"]].append(int(entry.split("-")[0]))
    return told


def kill_in_turn(stack: Stack, until: float) -> int:
    """Kill API, dispatcher and projector in turn until a time; return how often."""
    killed = 0
    while time.time() < until:
        for pid in stack.pids(VICTIMS[killed % len(VICTIMS)])[:1]:
            os.kill(pid, signal.SIGKILL)
        killed += 1
        time.sleep(BETWEEN_KILLS_S)
    return killed


def lags_of(stack: Stack, count: int, *, kills: bool) -> tuple[list[int], int]:
    """Let clocks run out; return how late each flag was told, and how many kills."""
    services = services_of(stack)
    dues = open_clocks(services, count)
    first, last = min(dues.values()) / 1000, max(dues.values()) / 1000
    killed: list[int] = [0]
    if kills:
        time.sleep(max(first - 0.1 - time.time(), 0))
        thread = threading.Thread(
            target=lambda: killed.append(kill_in_turn(stack, last))
        )
        thread.start()
        thread.join()
    time.sleep(max(last + 0.3 - time.time(), 0))
    redis_url = str(stack.facts["redis_url"])
    deadline = time.time() + 30
    while not all(told_at(redis_url, dues).values()) and time.time() < deadline:
        time.sleep(0.2)
    told = told_at(redis_url, dues)
    lags = []
    for name, due_ms in dues.items():
        [at_ms] = told[name]  # once
        ended = services.event_log.read(name)[-1]
        assert (ended.type, ended.at_ms) == ("match.ended", due_ms)
        lags.append(at_ms - due_ms)
    return lags, killed[-1]


def rows(name: str, lags: list[int], aim_ms: int) -> list[tuple[str, str]]:
    """Return what is printed of lags."""
    within = sum(lag <= aim_ms for lag in lags)
    return [
        (f"{name}: lag p50, p99, most (ms)",
         f"{percentile(lags, 0.5)}, {percentile(lags, 0.99)}, {max(lags)}"),
        (f"{name}: within {aim_ms} ms", f"{within} of {len(lags)}"),
    ]  # fmt: skip


def main() -> None:
    with shipped_stack() as stack:
        quiet, _ = lags_of(stack, CLOCKS, kills=False)
    with shipped_stack() as stack:
        shaken, killed = lags_of(stack, CLOCKS, kills=True)
    report(
        f"Flags of {CLOCKS} clocks that run out together",
        [
            *rows("undisturbed", quiet, AIM_MS),
            *rows(f"{killed} kills", shaken, AIM_MS),
            *rows(f"{killed} kills", shaken, AIM_OF_RESTART_MS)[1:],
        ],
    )


if __name__ == "__main__":
    main()
