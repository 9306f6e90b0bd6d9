"""How soon webhooks come: from the 201 of a move to its message, beside its frame.

Moves are played one after the other, each in the next of many matches; a follower of
each match hears of them in the same run.
"""

import random
import time
from collections.abc import Sequence

from tests.bench.moves import Connection
from tests.bench.streams import Table, crowd_of
from tests.support.measure import percentile, report
from tests.support.receiver import Receiver, receiving
from tests.support.stack import Stack, shipped_stack

MATCHES = 40
MOVES = 1_000
PAUSES_S = (0.05, 0.005)
GRACE_S = 30.0


def endpoint_for(stack: Stack, receiver: Receiver) -> None:
    app = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {stack.api_key}",
    }
    wanted = {"url": receiver.url, "events": ["match.move_played"]}
    Connection(stack.url).post("/v1/webhook-endpoints", wanted, app)


def delays_ms(
    stack: Stack, receiver: Receiver, pause_s: float
) -> tuple[list[float], list[float]]:
    """Return the delays of webhooks and of frames, in ms."""
    connection, chance = Connection(stack.url), random.Random(1)
    tables = [Table(connection, stack.api_key, chance) for _ in range(MATCHES)]
    played: dict[tuple[str, int], float] = {}
    receiver.messages.clear()
    frames: list[float] = []
    with crowd_of(stack, tables, MATCHES) as crowd:
        while len(played) < MOVES:
            running = [table for table in tables if not table.is_over]
            if not running:
                break
            for table in running:
                version, _, at = table.move()
                played[table.match["id"], version] = at
                time.sleep(pause_s)
        deadline = time.monotonic() + GRACE_S
        while len(receiver.messages) < len(played) and time.monotonic() < deadline:
            time.sleep(0.05)
        frames = [at for _, at in crowd.arrivals()]
    messages = list(receiver.messages)
    assert {message.said for message in messages} == set(played), "a webhook is missing"
    hooks = [(message.at - played[message.said]) * 1e3 for message in messages]
    # Frames tell no match; in the order of moves the n-th move is the n-th frame.
    paired = zip(sorted(frames), sorted(played.values()), strict=False)
    return hooks, [(frame - at) * 1e3 for frame, at in paired]


def percentiles(delays: Sequence[float]) -> str:
    return f"{percentile(delays, 0.5):.1f} / {percentile(delays, 0.99):.1f}"


def measure(stack: Stack) -> None:
    with receiving() as receiver:
        endpoint_for(stack, receiver)
        rows: list[tuple[str, str]] = []
        for pause_s in PAUSES_S:
            hooks, frames = delays_ms(stack, receiver, pause_s)
            rows += [
                (f"webhooks, {pause_s * 1e3:.0f} ms between moves", percentiles(hooks)),
                ("  frames of the streams, same moves", percentiles(frames)),
            ]
    report(
        f"From the 201 of a move to its arrival, ms: p50 / p99 ({MOVES} moves)", rows
    )


def main() -> None:
    with (
        shipped_stack(SEEDLOG_WEBHOOK_PRIVATE="1") as stack,
    ):
        measure(stack)


if __name__ == "__main__":
    main()
