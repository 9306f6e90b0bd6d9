"""How long two who fit wait beside each other: many look at once, half of them vanish.

From the moment at which the later of two began to look until each has the match. The
baseline is the same number of matches that are opened at once, without any lobby.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from services.client import Seedlog
from tests.support.measure import percentile, report
from tests.support.seekers import Seeker, seek_all
from tests.support.stack import Stack, shipped_stack

PLAYERS = 200
HUMAN = {"kind": "human"}


def opening_ms(stack: Stack, count: int) -> list[float]:
    """Open so many matches at once; return how long each took."""

    def open_one(number: int) -> float:
        with Seedlog(stack.url, stack.api_key) as client:
            began = time.perf_counter()
            seats = {"south": HUMAN | {"player": f"v-{number}"}, "north": HUMAN}
            client.open_match("kalah", seats=seats)
            return (time.perf_counter() - began) * 1000

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(open_one, range(count)))


def waits_ms(seekers: list[Seeker]) -> list[float]:
    """Return how long each waited beside the other, of two who both stayed."""
    pairs: dict[str, list[Seeker]] = {}
    for seeker in seekers:
        if not seeker.vanishes and seeker.told and seeker.told["match"]:
            pairs.setdefault(seeker.told["match"]["id"], []).append(seeker)
    return [
        (seeker.ended - max(other.began for other in two)) * 1000
        for two in pairs.values()
        if len(two) == 2
        for seeker in two
    ]


def main() -> None:
    """Print how long they waited, beside what opening a match takes."""
    with shipped_stack() as stack:
        opened = opening_ms(stack, PLAYERS // 2)
        seekers = asyncio.run(seek_all(stack, PLAYERS, within_s=2, wait_s=8))
    waited = waits_ms(seekers)
    rows = [
        (
            name,
            f"{percentile(waited, share):.0f} ms, {percentile(opened, share):.0f} ms",
        )
        for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
    ]
    ratio = percentile(waited, 0.99) / percentile(opened, 0.99)
    rows.append(("ratio of p99", f"{ratio:.1f}"))
    report(f"{PLAYERS} look at once, half vanish: waited beside another; opened", rows)
