"""`python -m tests.load.filled`: a move where many matches are open, or very many over.

One stack as it is shipped, which fills up: nothing, open matches, then finished ones in
the archive and in the list of matches. Each time the same moves are played, and the
first page of the list is read.
"""

import argparse
import random
import time

from services.bootstrap import connect
from services.eventlog.library import connect_redis
from services.settings import Settings
from tests.load.many import fill, seedlog
from tests.support.measure import cpu_s, percentile, report
from tests.support.stack import Stack, shipped_stack

OPEN = 10_000
FINISHED = (10_000, 30_000, 100_000)
MOVES, PAGES, FIRST = 2_000, 200, 200
HUMAN = {"kind": "human"}
HUMANS = {"south": HUMAN, "north": HUMAN}


def play(stack: Stack, moves: int) -> list[float]:
    """Play so many moves of Kalah; return how long each took."""
    client, chance, took = stack.client, random.Random(1), list[float]()
    match = client.open_match("kalah", HUMANS)
    while len(took) < moves:
        if match["outcome"]:
            match = client.open_match("kalah", HUMANS)
        move = chance.choice(match["legal_moves"])
        began = time.perf_counter()
        acted = client.play(
            match["id"], move, version=match["version"], seat=match["to_move"]
        )
        took.append((time.perf_counter() - began) * 1e3)
        match = acted["match"]
    return took


def measure(stack: Stack, filled: str) -> None:
    """Play and read, and print what that took."""
    [api] = stack.pids("gunicorn")
    pages_ms = list[float]()
    play(stack, FIRST)
    before = cpu_s(api)
    moves_ms = play(stack, MOVES)
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
            ("time of a move, ms: p50, p99", quantiles(moves_ms)),
            ("first page of the list, ms: p50, p99", quantiles(pages_ms)),
            ("memory of Redis, MB", f"{memory / 1e6:.0f}"),
        ],
    )


def quantiles(values: list[float]) -> str:
    return ", ".join(f"{percentile(values, share):.2f}" for share in (0.5, 0.99))


def main() -> None:
    """Fill a stack step by step, and measure after each."""
    parser = argparse.ArgumentParser("python -m tests.load.filled", description=__doc__)
    parser.add_argument("--open", type=int, default=OPEN)
    parser.add_argument("--finished", type=int, nargs="*", default=FINISHED)
    asked = parser.parse_args()
    with shipped_stack(SEEDLOG_ARCHIVE_AFTER_HOURS="1000") as stack:
        settings = Settings(
            redis_url=stack.facts["redis_url"],
            data=stack.data,
            secret=(stack.data / "secret").read_text().strip(),
        )
        measure(stack, "nothing else")
        for _ in range(asked.open):
            stack.client.open_match("oware", HUMANS)
        time.sleep(5)  # the projector has taken them in
        measure(stack, f"{asked.open:,} open matches")
        begun = 0
        for finished in asked.finished:
            fill(connect(settings), finished, begun)
            seedlog(settings, "rebuild", "matches")
            begun = finished
            measure(stack, f"{asked.open:,} open matches, {finished:,} that are over")


if __name__ == "__main__":
    main()
