"""What a move, a match and a reply cost each process, and what many of them need.

Many clients play real matches on a stack as it is shipped; what they cost is measured,
and told by process. A simulation fed with the figures says how long a move then waits
for the process that is busiest, at more and more moves a second: where it bends is the
next bottleneck. `deploy/CAPACITY.md` has the figures of one machine.
"""

import heapq
import random
import time

from services.eventlog.library import connect_redis
from tests.support.crowd import Crowd, Orders
from tests.support.measure import cpu_s, percentile, report
from tests.support.stack import Stack, shipped_stack

CLIENTS = 16
SECONDS = 20.0
OPENED = 5_000
SIMULATED_MOVES = 40_000
ROLES = {
    "API": "gunicorn",
    "streams": "services.cli stream",
    "projector": "projector",
    "dispatcher": "dispatcher",
    "archiver": "archiver",
    "AI workers": "ai-worker",
    "Redis": "redis-server",
}
HUMAN = {"kind": "human"}


def costs_of(stack: Stack, share_of_ai: float) -> tuple[dict[str, float], float]:
    """Return CPU of each role in us a human move, and such moves a second."""
    orders = Orders(stack.url, stack.api_key, CLIENTS, share_of_ai)
    with Crowd(orders) as crowd:
        time.sleep(4)  # everybody has come
        before = {name: _used(stack, word) for name, word in ROLES.items()}
        began, events = time.monotonic(), _events(stack)
        time.sleep(SECONDS)
        lasted, after = time.monotonic() - began, _events(stack)
        used = {name: _used(stack, word) - before[name] for name, word in ROLES.items()}
    assert not crowd.ledger.wrong
    count = after - events
    return {name: s / count * 1e6 for name, s in used.items()}, count / lasted


def _used(stack: Stack, word: str) -> float:
    return sum(map(cpu_s, stack.pids(word)))


def _events(stack: Stack) -> int:
    """Return how many appends the log has had: each is one entry of the feed."""
    redis = connect_redis(stack.facts["redis_url"])
    with redis.pipeline(transaction=False) as pipe:
        for partition in range(64):
            pipe.xinfo_stream(f"feed:{{{partition}}}")
        return sum(int(told["entries-added"]) for told in pipe.execute())


def bytes_of_an_open_match(stack: Stack) -> float:
    """Return what Redis takes for a match that has just begun, views included."""
    redis = connect_redis(stack.facts["redis_url"])
    before = redis.info("memory")["used_memory"]
    for _ in range(OPENED):
        stack.client.open_match("oware", {"south": HUMAN, "north": HUMAN})
    time.sleep(3)  # the projector has taken them in
    return float(redis.info("memory")["used_memory"] - before) / OPENED


def simulate(cost_us: float, processes: int, rate: float, seed: int = 1) -> float:
    """Return the 99th percentile of a move's wait and service, in ms.

    Moves come by chance at a *rate* a second to so many processes, each of which does
    one at a time: who is free first takes the next.
    """
    chance = random.Random(seed)  # no secret
    free_at = [0.0] * processes
    now, times = 0.0, []
    for _ in range(SIMULATED_MOVES):
        now += chance.expovariate(rate)
        begun = max(now, heapq.heappop(free_at))
        done = begun + cost_us / 1e6
        heapq.heappush(free_at, done)
        times.append(1000 * (done - now))
    return percentile(times, 0.99)


def main() -> None:
    """Measure, simulate, print."""
    with shipped_stack() as stack:
        begun = bytes_of_an_open_match(stack)
        people, rate = costs_of(stack, 0.0)
    with shipped_stack() as stack:
        mixed, with_ai = costs_of(stack, 1.0)
    report(
        f"CPU of an append, us ({CLIENTS} clients; all matches between people, or AIs)",
        [(name, f"{people[name]:.0f}, {mixed[name]:.0f}") for name in ROLES]
        + [
            ("all", f"{sum(people.values()):.0f}, {sum(mixed.values()):.0f}"),
            ("appends a second here, clients included", f"{rate:.0f}, {with_ai:.0f}"),
            ("bytes of a match that has begun", f"{begun:.0f}"),
        ],
    )
    rows = []
    for share in (0.5, 0.7, 0.8, 0.9, 0.95):
        api, redis = (share * 1e6 / people[name] for name in ("API", "Redis"))
        waits = [
            simulate(people["API"], 1, api),
            simulate(people["API"], 4, 4 * api),
            simulate(people["Redis"], 1, redis),
        ]
        rates = f"{api:.0f}, {4 * api:.0f}, {redis:.0f}"
        rows.append((f"{share:.0%} busy: moves a second of each", rates))
        rows.append(("   p99 of one move, ms", ", ".join(f"{w:.1f}" for w in waits)))
    report("Simulated: one API process, four, the Redis of the log", rows)


if __name__ == "__main__":
    main()
