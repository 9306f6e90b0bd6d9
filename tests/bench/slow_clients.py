"""What 10,000 half-open connections cost an honest client of the API, in the same run.

Half of them have begun a head, half a body; they are opened anew when the server ends
them. Rounds without and with them take turns.
"""

import http.client
import resource
import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.support.measure import percentile, report, spread
from tests.support.stack import shipped_stack

CONNECTIONS = 10_000
ADDRESSES = 8
ROUNDS = 5
REQUESTS = 1500
AIM = 2.0

HEAD = b"GET /v1/games HTTP/1.1\r\nHost: slow\r\nX: "
BODY = (
    b"POST /v1/guest-matches HTTP/1.1\r\nHost: slow\r\n"
    b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"
)


@contextmanager
def half_open(port: int, count: int) -> Iterator[None]:
    """Hold so many connections, each with half a request."""
    held = []
    try:
        for number in range(count):
            source = f"127.0.0.{2 + number % ADDRESSES}"
            slow = socket.create_connection(("127.0.0.1", port), 10, (source, 0))
            slow.sendall(HEAD if number % 2 else BODY)
            held.append(slow)
        yield
    finally:
        for slow in held:
            slow.close()


def ask(port: int) -> list[float]:
    """Return how long each of many requests took one client, in ms."""
    client = http.client.HTTPConnection("127.0.0.1", port)
    took = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        client.request("GET", "/v1/games/kalah")
        answer = client.getresponse()
        answer.read()
        assert answer.status == 200
        took.append((time.perf_counter() - began) * 1e3)
    return took


def main() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(CONNECTIONS, hard - 500)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with (
        shipped_stack() as stack,
    ):
        port = urlsplit(stack.url).port or 0
        ask(port)
        alone, beside, ratios = [], [], []
        for _ in range(ROUNDS):
            alone.append(percentile(ask(port), 0.99))
            with half_open(port, count):
                beside.append(percentile(ask(port), 0.99))
            ratios.append(beside[-1] / alone[-1])
            time.sleep(1)
    verdict = "reached" if statistics.median(ratios) <= AIM else "missed"
    report(
        f"An honest client beside {count:,} half-open connections",
        [
            ("p99 alone, ms", spread(alone, 2)),
            ("p99 beside them, ms", spread(beside, 2)),
            (f"ratio (aim {AIM}: {verdict})", spread(ratios, 2)),
        ],
    )


if __name__ == "__main__":
    main()
