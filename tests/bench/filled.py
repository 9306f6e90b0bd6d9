"""What a move takes where many matches are open, and where very many are over.

One stack as it is shipped, which fills up: nothing, open matches, then finished ones in
the archive and in the list of matches. Each time the same moves are played, and the
first page of the list is read.
"""

import os
import random
import time
from typing import Any

from services.bootstrap import connect
from services.eventlog.library import connect_redis
from services.settings import Settings
from tests.bench.moves import Connection, play
from tests.load.many import fill, seedlog
from tests.support.measure import cpu_s, percentile, report
from tests.support.stack import Stack, shipped_stack

OPEN = 10_000
FINISHED = tuple(
    map(int, os.environ.get("SEEDLOG_FINISHED", "10000,30000,100000").split(","))
)
MOVES, PAGES = 2_000, 200
HUMAN = {"kind": "human"}


class Timed(Connection):
    """A connection that notes how long each answer took, in ms."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.ms: list[float] = []

    def post(self, *asked: Any) -> Any:
        began = time.perf_counter()
        answer = super().post(*asked)
        self.ms.append((time.perf_counter() - began) * 1e3)
        return answer


def measure(stack: Stack, filled: str) -> None:
    """Play and read, and print what that took."""
    [api] = stack.pids("gunicorn")
    connection, pages_ms = Timed(stack.url), list[float]()
    play(Connection(stack.url), stack.api_key, 200, random.Random(2))
    before = cpu_s(api)
    play(connection, stack.api_key, MOVES, random.Random(1))
    used = (cpu_s(api) - before) / MOVES * 1e6
    for _ in range(PAGES):
        began = time.perf_counter()
        stack.client.request("GET", "/v1/matches", query={"limit": 20})
        pages_ms.append((time.perf_counter() - began) * 1e3)
    memory = connect_redis(stack.facts["redis_url"]).info("memory")["used_memory"]
    report(
        filled,
        [
            ("CPU of the API, us a move", f"{used:.0f}"),
            ("time of a move, ms: p50, p99", quantiles(connection.ms)),
            ("first page of the list, ms: p50, p99", quantiles(pages_ms)),
            ("memory of Redis, MB", f"{memory / 1e6:.0f}"),
        ],
    )


def quantiles(values: list[float]) -> str:
    return ", ".join(f"{percentile(values, share):.2f}" for share in (0.5, 0.99))


def main() -> None:
    with shipped_stack(SEEDLOG_ARCHIVE_AFTER_HOURS="1000") as stack:
        settings = Settings(
            redis_url=stack.facts["redis_url"],
            data=stack.data,
            secret=(stack.data / "secret").read_text().strip(),
        )
        measure(stack, "nothing else")
        for _ in range(OPEN):
            stack.client.open_match("oware", {"south": HUMAN, "north": HUMAN})
        time.sleep(5)  # the projector has taken them in
        measure(stack, f"{OPEN:,} open matches")
        begun = 0
        for finished in FINISHED:
            fill(connect(settings), finished, begun)
            seedlog(settings, "rebuild", "matches")
            begun = finished
            measure(stack, f"{OPEN:,} open matches, {finished:,} that are over")
