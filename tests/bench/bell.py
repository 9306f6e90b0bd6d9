"""What it costs that followers hear of appends: by bells, and by waiting for 64 feeds.

One Redis, one writer, and as many followers as a small stack has, each a process of its
own: two that read all, two members of groups. Both ways in turns, in the same run.
"""

import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from services.cli import redis_server
from services.eventlog import Head, RedisEventLog, chain
from services.eventlog.connection import Argument
from services.eventlog.reading import Reading
from tests.support.appending import NOTE, empty, moves, new_stream
from tests.support.measure import cpu_s, report, spread
from tests.support.servers import start_redis

ROUNDS = 5
APPENDS = 1500
PAUSES_MS = (2.0, 0.0)
FOLLOWERS = ("reader", "reader", "group-a", "group-b")


class Unrung(Reading):
    """Waits for the feeds themselves."""

    ring = ""

    def read(
        self, command: Sequence[Argument], cursors: Sequence[str], wait_s: float
    ) -> list[Any]:
        """Return what is new, by one command that waits for all feeds."""
        return self.read_deaf(command, cursors, wait_s)


def open_log(url: str, *, has_bell: bool) -> RedisEventLog:
    log = RedisEventLog(url)
    if not has_bell:
        log._reading = Unrung(log._redis)
        log._ring = Unrung.ring
    return log


def follow(url: str, name: str, has_bell: bool, is_ready: Event) -> None:
    """Follow until killed, as a process of a stack does."""
    log = open_log(url, has_bell=has_bell)
    cursors = log.feed_ends()
    if name == "reader":
        is_ready.set()
        while True:
            for entry in log.follow(cursors, wait_s=5):
                cursors[entry.partition] = entry.cursor
    group = log.join(name)
    if not has_bell:
        group._reading = Unrung(log._redis)
    is_ready.set()
    while True:
        if entries := group.take("member", wait_s=5):
            group.release(entries)


@contextmanager
def following(url: str, has_bell: bool) -> Iterator[list[int]]:
    """Run the followers; yield their process ids."""
    spawn = multiprocessing.get_context("spawn")
    followers = []
    for name in FOLLOWERS:
        is_ready = spawn.Event()
        follower = spawn.Process(
            target=follow, args=(url, name, has_bell, is_ready), daemon=True
        )
        follower.start()
        is_ready.wait(timeout=60)
        followers.append(follower)
    time.sleep(1.0)  # what is there already is read
    try:
        yield [follower.pid or 0 for follower in followers]
    finally:
        for follower in followers:
            follower.kill()
            follower.join()


def write(log: RedisEventLog, pause_ms: float) -> None:
    """Append one event after another to streams of fifty, with pauses."""
    for number in range(APPENDS):
        if number % 50 == 0:
            stream = new_stream()
            head = empty(stream)
        [event] = moves(1, after=head.version)
        log.append(stream, head, [event], NOTE)
        head = Head(event.version, chain(head.hash, event.text))
        if pause_ms:
            time.sleep(pause_ms / 1000)


def measure(url: str, redis: int, pause_ms: float) -> None:
    costs: dict[tuple[bool, str], list[float]] = {}
    for _ in range(ROUNDS):
        for has_bell in (False, True):
            log = open_log(url, has_bell=has_bell)
            with following(url, has_bell) as pids:
                before = cpu_s(redis), sum(map(cpu_s, pids))
                write(log, pause_ms)
                time.sleep(0.5)  # the last ones are read, too
                after = cpu_s(redis), sum(map(cpu_s, pids))
            for name, begun, ended in zip(
                ("Redis", "followers"), before, after, strict=True
            ):
                used = (ended - begun) / APPENDS * 1e6
                costs.setdefault((has_bell, name), []).append(used)
    rows = []
    for name in ("Redis", "followers"):
        without, rung = costs[False, name], costs[True, name]
        ratios = [b / a for a, b in zip(without, rung, strict=True)]
        rows += [
            (f"CPU of {name}, us an append, waiting for feeds", spread(without)),
            (f"CPU of {name}, us an append, by bells", spread(rung)),
            ("ratio", spread(ratios, 2)),
        ]
    title = f"{len(FOLLOWERS)} followers, an append each {pause_ms:g} ms and more"
    report(f"{title} ({ROUNDS} rounds of {APPENDS})", rows)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url, server = start_redis(Path(folder), redis_server.DURABLE)
        try:
            for pause_ms in PAUSES_MS:
                measure(url, server.pid, pause_ms)
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
