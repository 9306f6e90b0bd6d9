"""What so many open matches need, by what one move costs: counted, then simulated.

The count takes the processes that are as busy as `BUSY`; the simulation lets moves come
by chance, through the API and then the master that has their match, and tells how long
they wait. Where the two disagree, the count is wrong.
"""

import heapq
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.measure import percentile

BUSY = 0.6
MASTER_BYTES = 16 * 1024**3
"""What one master may hold: half of a host of 32 GB, for a rewrite copies it."""

EVENTS = 40
"""What an open match has on average, between its beginning and its end."""

PASSING_S = 3_600
SIMULATED = 40_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What was measured; CPU in us of one move, memory in bytes."""

    api: float
    redis: float
    projector: float
    dispatcher: float
    match: float
    event: float
    passing: float
    """What an append takes besides, for `PASSING_S`: its key of idempotency, mostly."""

    file: float


@dataclass(frozen=True, slots=True)
class Need:
    """How many processes of each kind, and what of Redis."""

    moves: float
    apis: int
    masters: int
    dispatchers: int
    projector: float
    """How busy it is, of one core: each view is kept by one process at a time."""

    memory: float
    file_a_day: float
    limit: str
    """What would have to be more first."""


def needs(open_matches: int, moves_an_hour: float, prices: Prices) -> Need:
    """Return what it takes that each open match has so many moves an hour."""
    moves = open_matches * moves_an_hour / 3600
    memory = open_matches * (prices.match + EVENTS * prices.event)
    memory += moves * PASSING_S * prices.passing
    wanted = {
        "API": _busy(moves, prices.api),
        "CPU of Redis": _busy(moves, prices.redis),
        "memory of Redis": memory / MASTER_BYTES,
        "projector": _busy(moves, prices.projector),
    }
    masters = max(wanted["CPU of Redis"], wanted["memory of Redis"])
    return Need(
        moves,
        max(1, math.ceil(wanted["API"])),
        max(1, math.ceil(masters)),
        max(1, math.ceil(_busy(moves, prices.dispatcher))),
        moves * prices.projector / 1e6,
        memory,
        moves * 86_400 * prices.file,
        max(wanted, key=lambda name: wanted[name]),
    )


def _busy(moves: float, price_us: float) -> float:
    return moves * price_us / 1e6 / BUSY


def wait_ms(need: Need, prices: Prices, seed: int = 1) -> float:
    """Return the 99th percentile of what a move takes, simulated, in ms."""
    chance = random.Random(seed)  # no secret
    now, arrivals = 0.0, []
    for _ in range(SIMULATED):
        now += chance.expovariate(need.moves)
        arrivals.append(now)
    answered = served(arrivals, prices.api, need.apis)
    shares: list[list[int]] = [[] for _ in range(need.masters)]
    for number in sorted(range(SIMULATED), key=answered.__getitem__):
        shares[chance.randrange(need.masters)].append(number)
    times = []
    for share in shares:  # a match stands on one master
        done = served([answered[n] for n in share], prices.redis, 1)
        times += [1000 * (at - arrivals[n]) for n, at in zip(share, done, strict=True)]
    return percentile(times, 0.99)


def served(arrivals: Sequence[float], price_us: float, processes: int) -> list[float]:
    """Return when each is done: who is free first takes the next, one at a time."""
    free_at = [0.0] * processes
    done = []
    for at in arrivals:
        done.append(max(at, heapq.heappop(free_at)) + price_us / 1e6)
        heapq.heappush(free_at, done[-1])
    return done
