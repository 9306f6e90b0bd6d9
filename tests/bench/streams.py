"""How soon followers hear of a move: from its 201 to the arrival of its frame.

Followers are held by a process of their own. Beside them, in the same run, the floor:
a bare loop that sends the same bytes to as many sockets, held by such a process too. At
last what followers cost the API, in CPU for each move.
"""

import gc
import json
import multiprocessing
import random
import re
import resource
import select
import socket
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.bench.moves import Connection, Hello, say_hello
from tests.support.measure import cpu_s, percentile, report, spread
from tests.support.stack import Stack, shipped_stack

CROWDS = (1000, 4000)
TABLES = 400
MOVES = 25
PAUSE_S = 0.4
ROUNDS = 6
ROUND_MOVES = 800
AIM_MS = 50.0
AIM_CPU = 1.05
FILES = 20_000

FRAME = re.compile(rb"id: (\d+)\nevent: match")


# -- the process that holds the followers


def hold_followers(pipe: Pipe, address: tuple[str, int], requests: list[bytes]) -> None:
    """Open a socket for each request; tell when which frame arrived, when asked."""
    raise_file_limit()
    gc.disable()  # what it would take is no part of a delivery
    poll, readers = select.epoll(), {}
    for request in requests:
        reader = socket.create_connection(address)
        reader.sendall(request)
        readers[reader.fileno()] = reader
        poll.register(reader, select.EPOLLIN)
    begun: set[int] = set()
    arrivals: list[tuple[int, float]] = []
    poll.register(pipe, select.EPOLLIN)
    is_ready = False
    while True:
        for number, _ in poll.poll():
            if number == pipe.fileno():
                if pipe.recv() == "stop":
                    return
                pipe.send(arrivals)
                arrivals = []
                continue
            data = readers[number].recv(65_536)
            now = time.monotonic()
            if not data:
                poll.unregister(number)
                continue
            begun.add(number)
            arrivals += [(int(delays), now) for delays in FRAME.findall(data)]
        if not is_ready and len(begun) == len(requests):
            is_ready = True
            arrivals = []
            pipe.send("ready")


@dataclass
class Crowd:
    """Followers in a process of their own."""

    address: tuple[str, int]
    requests: Sequence[bytes]
    connected_s: float = 0.0
    process: Any = field(init=False)

    def __enter__(self) -> "Crowd":
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        arguments = (other, self.address, list(self.requests))
        self.process = context.Process(target=hold_followers, args=arguments)
        began = time.monotonic()
        self.process.start()
        assert self.pipe.poll(120), "not every follower was heard of"
        assert self.pipe.recv() == "ready"
        self.connected_s = time.monotonic() - began
        return self

    def arrivals(self) -> list[tuple[int, float]]:
        """Return what arrived since the last time."""
        self.pipe.send("tell")
        arrived: list[tuple[int, float]] = self.pipe.recv()
        return arrived

    def __exit__(self, *_: object) -> None:
        self.pipe.send("stop")
        self.process.join()


def raise_file_limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, hard), hard))


# -- the floor


def floor_ms(followers: int, frame: bytes) -> list[list[float]]:
    """Send a frame to as many bare sockets, again and again."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
    address = listener.getsockname()
    context = multiprocessing.get_context("spawn")
    pipe, other = context.Pipe()
    arguments = (other, address, [b"x"] * followers)
    process = context.Process(target=hold_followers, args=arguments)
    process.start()
    sockets = [listener.accept()[0] for _ in range(followers)]
    for one in sockets:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        one.send(b"hello")
    assert pipe.recv() == "ready"
    delays: list[list[float]] = []
    for number in range(1, MOVES + 1):
        sent = b"id: %d\nevent: match" % number + frame
        began = time.monotonic()
        for one in sockets:
            one.send(sent)
        time.sleep(PAUSE_S)
        pipe.send("tell")
        delays.append([(at - began) * 1e3 for _, at in pipe.recv()])
    pipe.send("stop")
    process.join()
    for one in (*sockets, listener):
        one.close()
    assert all(len(delays) == followers for delays in delays)
    return delays


# -- the matches


class Table:
    """A match between humans, played at random over one connection."""

    def __init__(self, connection: Connection, key: str, chance: random.Random) -> None:
        self.connection, self.chance = connection, chance
        app = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        human = {"kind": "human"}
        opening = {"game": "kalah", "seats": {"south": human, "north": human}}
        self.match = json.loads(connection.post("/v1/matches", opening, app))
        self.tokens = self.match["seat_tokens"]

    def move(self) -> tuple[int, float, float]:
        """Play a move; return its version, when it was sent and when its 201 came."""
        match = self.match
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self.tokens[match['to_move']]}",
            "If-Match": f'"{match["version"]}"',
        }
        body = {"move": self.chance.choice(match["legal_moves"])}
        path = f"/v1/matches/{match['id']}/moves"
        sent_at = time.monotonic()
        answer = json.loads(self.connection.post(path, body, headers))
        answered_at = time.monotonic()
        self.match = answer["match"]
        return answer["events"][0]["version"], sent_at, answered_at

    @property
    def is_over(self) -> bool:
        return self.match["outcome"] is not None


def request_of(table: Table, key: str) -> bytes:
    path = f"/v1/matches/{table.match['id']}/events"
    return (
        f"GET {path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n"
        f"Authorization: Bearer {key}\r\n\r\n"
    ).encode()


def crowd_of(stack: Stack, tables: Sequence[Table], followers: int) -> Crowd:
    """Return followers, spread over matches."""
    place = urlsplit(stack.facts["stream_url"])
    chosen = [tables[number % len(tables)] for number in range(followers)]
    requests = [request_of(table, stack.api_key) for table in chosen]
    return Crowd((place.hostname or "", place.port or 0), requests)


@dataclass
class Delays:
    """How late frames were, by move, in ms: after the 201, and after the request.

    An API that answers sooner makes the first one longer, and the second not.
    """

    answered: list[list[float]] = field(default_factory=list)
    sent: list[list[float]] = field(default_factory=list)

    def add(
        self, arrivals: Sequence[float], sent_at: float, answered_at: float
    ) -> None:
        """Take the arrivals of the frame of a move."""
        self.answered.append([(at - answered_at) * 1e3 for at in arrivals])
        self.sent.append([(at - sent_at) * 1e3 for at in arrivals])


def one_match_ms(stack: Stack, followers: int) -> tuple[Delays, float]:
    """Let all follow one match; return delays, and the time to connect."""
    table = Table(Connection(stack.url), stack.api_key, random.Random(1))
    delays = Delays()
    with crowd_of(stack, [table], followers) as crowd:
        for _ in range(MOVES):
            assert not table.is_over
            version, sent_at, answered_at = table.move()
            time.sleep(PAUSE_S)
            arrivals = [at for number, at in crowd.arrivals() if number == version]
            assert len(arrivals) == followers, "a frame was lost, or late"
            delays.add(arrivals, sent_at, answered_at)
        return delays, crowd.connected_s


def many_matches_ms(stack: Stack, followers: int) -> Delays:
    """Spread the followers over many matches, played one after the other."""
    connection, chance = Connection(stack.url), random.Random(2)
    tables = [Table(connection, stack.api_key, chance) for _ in range(TABLES)]
    delays = Delays()
    with crowd_of(stack, tables, followers) as crowd:
        for table in tables:
            _, sent_at, answered_at = table.move()
            time.sleep(0.05)
            arrivals = crowd.arrivals()
            while len(arrivals) < followers // TABLES:
                time.sleep(0.02)
                arrivals += crowd.arrivals()
            delays.add([at for _, at in arrivals], sent_at, answered_at)
    return delays


@dataclass
class Cost:
    """CPU for each move, and for each hello to a bare server after it, in us."""

    move: float
    hello: float


class Meter:
    """Plays moves, each followed by a hello, and tells what both have cost."""

    def __init__(self, stack: Stack, hello: Hello) -> None:
        self.stack = stack
        self.hello = hello
        self.connection, self.chance = Connection(stack.url), random.Random(3)
        self.greeter = Connection(hello.url)
        [self.api] = stack.pids("gunicorn")

    def tables(self) -> list[Table]:
        """Open matches for one round."""
        key = self.stack.api_key
        return [Table(self.connection, key, self.chance) for _ in range(TABLES)]

    def cost(self, tables: Sequence[Table]) -> Cost:
        api, hello, moves = cpu_s(self.api), cpu_s(self.hello.pid), 0
        while moves < ROUND_MOVES:
            for table in tables:
                if not table.is_over:
                    table.move()
                    say_hello(self.greeter, 1)
                    moves += 1
        api, hello = cpu_s(self.api) - api, cpu_s(self.hello.pid) - hello
        return Cost(api / moves * 1e6, hello / moves * 1e6)


def api_cpu(meter: Meter, followers: int) -> tuple[list[Cost], list[Cost]]:
    """Return what moves cost without followers, and with them, in turns."""
    alone, followed = [], []
    meter.cost(meter.tables())
    for number in range(ROUNDS):
        tables = meter.tables()
        for is_followed in (False, True) if number % 2 else (True, False):
            if not is_followed:
                alone.append(meter.cost(tables))
                continue
            with crowd_of(meter.stack, tables, followers):
                time.sleep(1)
                followed.append(meter.cost(tables))
    return alone, followed


def percentiles(delays: Sequence[Sequence[float]]) -> str:
    """Return p50 and p99 of all deliveries, and p99 of the middle move."""
    middle = statistics.median(percentile(move, 0.99) for move in delays)
    every = [delay for move in delays for delay in move]
    return (
        f"{percentile(every, 0.5):.1f} / {percentile(every, 0.99):.1f} / {middle:.1f}"
    )


def is_soon(delays: Sequence[Sequence[float]]) -> str:
    every = [delay for move in delays for delay in move]
    return verdict(percentile(every, 0.99) < AIM_MS)


def verdict(reached: bool) -> str:
    return "reached" if reached else "missed"


def measure(stack: Stack) -> None:
    [stream] = stack.pids("stream")
    rows: list[tuple[str, str]] = []
    frame = b"x" * 1100  # what a move of Kalah takes
    for followers in CROWDS:
        floor = floor_ms(followers, frame)
        delays, connected_s = one_match_ms(stack, followers)
        is_reached = is_soon(delays.answered)
        rows += [
            (f"{followers} followers of one match (aim p99 {AIM_MS:.0f}: {is_reached})",
             percentiles(delays.answered)),
            ("  from the request", percentiles(delays.sent)),
            (f"  floor: bare sends to {followers} sockets", percentiles(floor)),
            ("  time for all of them to connect, s", f"{connected_s:.1f}"),
        ]  # fmt: skip
    crowd = CROWDS[-1]
    delays = many_matches_ms(stack, crowd)
    is_reached = is_soon(delays.answered)
    rows += [
        (f"{crowd} followers of {TABLES} matches (aim p99 {AIM_MS:.0f}: {is_reached})",
         percentiles(delays.answered)),
        ("  from the request", percentiles(delays.sent)),
    ]  # fmt: skip
    resident = Path(f"/proc/{stream}/statm").read_text().split()[1]
    rows.append(("memory of the stream process, MB", f"{int(resident) * 4 // 1024}"))
    report(
        "From the 201 of a move to its frame, ms: p50 / p99 / p99 of the middle move",
        rows,
    )


def measure_cpu(stack: Stack, hello: Hello) -> None:
    """Tell what followers cost the API, beside what they cost who has none.

    A bare server is slower, too, while the other core sends and the caches are shared:
    that is the machine, and not the followers' doing.
    """
    crowd = CROWDS[-1]
    alone, followed = api_cpu(Meter(stack, hello), crowd)
    pairs = list(zip(followed, alone, strict=True))
    move = [one.move / other.move for one, other in pairs]
    bare = [one.hello / other.hello for one, other in pairs]
    own = [one / other for one, other in zip(move, bare, strict=True)]
    reached = verdict(statistics.median(own) <= AIM_CPU)
    report(
        f"CPU of the API for a move ({ROUNDS} rounds of {ROUND_MOVES})",
        [
            ("without followers, us", spread([cost.move for cost in alone])),
            (f"with {crowd} followers of these matches, us",
             spread([cost.move for cost in followed])),
            ("ratio", spread(move, 2)),
            ("  the same of a bare server, asked after each move", spread(bare, 2)),
            (f"ratio beyond that of the bare server (aim {AIM_CPU}: {reached})",
             spread(own, 2)),
        ],
    )  # fmt: skip


def main() -> None:
    raise_file_limit()
    with (
        Hello() as hello,
        shipped_stack() as stack,
    ):
        measure(stack)
        measure_cpu(stack, hello)


if __name__ == "__main__":
    main()
