"""What a move, a match, a follower and a webhook cost, and what many of them need.

Many clients play real matches on a stack as it is shipped; what they cost is measured,
and told by process. What 1,000 to 10,000,000 open matches need is counted from that,
and simulated. `deploy/CAPACITY.md` has the figures of one machine.
"""

import itertools
import time
from pathlib import Path
from random import Random

from services.eventlog.library import connect_redis
from services.eventlog.reading import FEEDS
from tests.bench.moves import Connection
from tests.bench.streams import Table, crowd_of
from tests.bench.webhooks import endpoint_for
from tests.support.crowd import Crowd, Orders
from tests.support.measure import cpu_s, report
from tests.support.patience import wait_for
from tests.support.receiver import receiving
from tests.support.simulated import BUSY, Need, Prices, needs, wait_ms
from tests.support.stack import Stack, shipped_stack

CLIENTS = 16
SECONDS = 20.0
OPENED = 5_000
SAMPLED, LONG = 10_000, 20
FOLLOWERS = 1_000
FOLLOWED_MOVES = 20
HOOKED_MOVES = 500
SIZES = (1_000, 100_000, 10_000_000)
PACES = {"a move every 20 s": 180.0, "a move a day": 1 / 24}
ROLES = {
    "API": "gunicorn",
    "streams": "seedlog stream",
    "projector": "projector",
    "dispatcher": "dispatcher",
    "archiver": "archiver",
    "AI workers": "ai-worker",
    "Redis": "redis-server",
}
HUMAN = {"kind": "human"}


class Playing:
    """What a stack used while many played: CPU by role, memory and file, appends."""

    def __init__(self, stack: Stack, share_of_ai: float) -> None:
        orders = Orders(stack.url, stack.api_key, CLIENTS, share_of_ai)
        let_file_grow(stack)
        with Crowd(orders) as crowd:
            time.sleep(4)  # everybody has come
            before, held, file = used(stack), memory(stack), file_size(stack)
            began, appends = time.monotonic(), appended(stack)
            time.sleep(SECONDS)
            self.lasted, after = time.monotonic() - began, used(stack)
            self.appends = appended(stack) - appends
            self.bytes = (memory(stack) - held) / self.appends
            self.file = (file_size(stack) - file) / self.appends
        assert not crowd.ledger.wrong
        self.us = {
            name: (after[name] - before[name]) / self.appends * 1e6 for name in ROLES
        }


def used(stack: Stack) -> dict[str, float]:
    return {n: sum(map(cpu_s, stack.pids(word))) for n, word in ROLES.items()}


def appended(stack: Stack) -> int:
    """Return how many appends the log has had: each is one entry of the feed."""
    redis = connect_redis(stack.facts["redis_url"])
    with redis.pipeline(transaction=False) as pipe:
        for feed in FEEDS:
            pipe.xinfo_stream(feed)
        return sum(int(told["entries-added"]) for told in pipe.execute())


def memory(stack: Stack) -> float:
    redis = connect_redis(stack.facts["redis_url"])
    return float(redis.info("memory")["used_memory"])


def bytes_of_an_event(stack: Stack) -> float:
    """Return what Redis keeps of an event for as long as its match is there."""
    redis = connect_redis(stack.facts["redis_url"])
    keys = itertools.islice(redis.scan_iter("m:*:ev", count=1_000), SAMPLED)
    sizes = [(redis.memory_usage(key), redis.xlen(key)) for key in keys]
    longer = [(size, events) for size, events in sizes if events >= LONG]
    return sum(s for s, _ in longer) / sum(n for _, n in longer)


def file_size(stack: Stack) -> float:
    """Return how large the append-only file is, as far as it was not rewritten."""
    redis = connect_redis(stack.facts["redis_url"])
    return float(redis.info("persistence")["aof_current_size"])


def let_file_grow(stack: Stack) -> None:
    """Let Redis not write the file anew: it would be shorter than it was before."""
    redis = connect_redis(stack.facts["redis_url"])
    redis.config_set("auto-aof-rewrite-percentage", 0)
    wait_for(
        "the end of a rewrite",
        lambda: not redis.info("persistence")["aof_rewrite_in_progress"],
    )


def bytes_of_an_open_match(stack: Stack) -> float:
    """Return what Redis takes for a match that has just begun, views included."""
    before = memory(stack)
    for _ in range(OPENED):
        stack.client.open_match("oware", {"south": HUMAN, "north": HUMAN})
    time.sleep(3)  # the projector has taken them in
    return (memory(stack) - before) / OPENED


def cost_of_a_follower(stack: Stack) -> tuple[float, float]:
    """Return the memory of a follower in bytes, and the CPU of a frame in us."""
    [stream] = stack.pids("seedlog stream")
    table = Table(Connection(stack.url), stack.api_key, Random(1))
    before = resident(stream)
    with crowd_of(stack, [table], FOLLOWERS):
        held = (resident(stream) - before) / FOLLOWERS
        begun = cpu_s(stream)
        for _ in range(FOLLOWED_MOVES):
            if not table.is_over:
                table.move()
            time.sleep(0.3)
        frames = FOLLOWERS * FOLLOWED_MOVES
        return held, (cpu_s(stream) - begun) / frames * 1e6


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def cost_of_a_webhook(stack: Stack) -> float:
    """Return the CPU of everybody that plans and sends a message, in us."""
    words = ("webhook-worker", "dispatcher", "redis-server")

    def all_of_them() -> float:
        return sum(cpu_s(pid) for word in words for pid in stack.pids(word))

    def play(count: int) -> float:
        connection, chance, played = Connection(stack.url), Random(2), 0
        begun = all_of_them()
        while played < count:
            table = Table(connection, stack.api_key, chance)
            while played < count and not table.is_over:
                table.move()
                played += 1
        time.sleep(5)  # the last ones are sent
        return (all_of_them() - begun) / count * 1e6

    without = play(HOOKED_MOVES)
    with receiving() as receiver:
        endpoint_for(stack, receiver)
        return play(HOOKED_MOVES) - without


def main() -> None:
    """Measure, count, simulate, print."""
    with shipped_stack(SEEDLOG_WEBHOOK_PRIVATE="1") as stack:
        begun = bytes_of_an_open_match(stack)
        people = Playing(stack, 0.0)
        event = bytes_of_an_event(stack)
        held, frame = cost_of_a_follower(stack)
        hook = cost_of_a_webhook(stack)
    with shipped_stack() as stack:
        mixed = Playing(stack, 1.0)
    both = (people, mixed)
    report(
        f"CPU of an append, us ({CLIENTS} clients; all matches between people, or AIs)",
        [(n, ", ".join(f"{p.us[n]:.0f}" for p in both)) for n in ROLES]
        + [
            ("all", ", ".join(f"{sum(p.us.values()):.0f}" for p in both)),
            (
                "appends a second here, clients included",
                ", ".join(f"{p.appends / p.lasted:.0f}" for p in both),
            ),
        ],
    )
    report(
        "Beside that",
        [
            ("Redis, bytes of a match that has begun", f"{begun:.0f}"),
            ("Redis, bytes of a further event", f"{event:.0f}"),
            ("Redis, bytes of an append, for an hour", f"{people.bytes - event:.0f}"),
            ("append-only file, bytes of an append", f"{people.file:.0f}"),
            ("streams, bytes of a follower", f"{held:.0f}"),
            ("streams, CPU of a frame, us", f"{frame:.0f}"),
            ("CPU of a webhook, us", f"{hook:.0f}"),
        ],
    )
    us = people.us
    prices = Prices(
        us["API"],
        us["Redis"],
        us["projector"],
        us["dispatcher"],
        begun,
        event,
        people.bytes - event,
        people.file,
    )
    for pace, moves_an_hour in PACES.items():
        found = [(size, needs(size, moves_an_hour, prices)) for size in SIZES]
        rows = [(f"{size:,}", told(need, prices)) for size, need in found]
        report(f"Open matches with {pace}, processes {BUSY:.0%} busy", rows)


def told(need: Need, prices: Prices) -> str:
    """Return what is needed in one line."""
    return (
        f"{need.moves:,.1f} moves/s: {need.apis} API, {need.masters} Redis "
        f"({need.memory / 1e9:,.2f} GB), {need.dispatchers} dispatchers, projector "
        f"{need.projector:.0%}; file {need.file_a_day / 1e9:,.1f} GB a day; p99 "
        f"{wait_ms(need, prices):.1f} ms simulated; next: {need.limit}"
    )


if __name__ == "__main__":
    main()
