"""What a durable Kalah move over HTTP costs the API process, beside a bare hello.

Both are served by gunicorn with the same worker class and threads, in the same run, and
asked in turns by the same client over one kept connection.
"""

import http.client
import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from services.cli.process_commands import gunicorn
from services.cli.redis_server import free_port
from services.settings import Settings
from tests.support.measure import cpu_s, report, spread
from tests.support.stack import Stack, shipped_stack

ROUNDS = 5
REQUESTS = 1500
AIM = 2.1


class Connection:
    """One kept HTTP connection."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self.http = http.client.HTTPConnection(host, int(port))

    def post(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
        self.http.request("POST", path, json.dumps(body), headers)
        answer = self.http.getresponse()
        data = answer.read()
        assert answer.status == 201, data
        return data


class Hello:
    """A bare server, started as the API is."""

    def __enter__(self) -> "Hello":
        port = free_port()
        arguments = gunicorn(Settings(port=port))[:-1]
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            *arguments,
            "tests.bench.hello:app",
        ]
        self.process = subprocess.Popen(command)
        self.pid, self.url = self.process.pid, f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                Connection(self.url).post("/", {}, {})
            except OSError:
                time.sleep(0.05)
            else:
                return self
        raise RuntimeError("the hello server did not start")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()


def say_hello(connection: Connection, count: int) -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer x"}
    for _ in range(count):
        connection.post("/", {"move": "C"}, headers)


def play(connection: Connection, key: str, count: int, chance: random.Random) -> None:
    """Play so many moves, between humans, with a key and an idempotency key."""
    app = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    human = {"kind": "human"}
    opening = {"game": "kalah", "seats": {"south": human, "north": human}}
    match: dict[str, Any] = {"outcome": True}
    for number in range(count):
        if match["outcome"]:
            match = json.loads(connection.post("/v1/matches", opening, app))
            path = f"/v1/matches/{match['id']}/moves"
            tokens = match["seat_tokens"]
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {tokens[match['to_move']]}",
            "If-Match": f'"{match["version"]}"',
            "Idempotency-Key": f"{match['id']}-{number}",
        }
        body = {"move": chance.choice(match["legal_moves"])}
        match = json.loads(connection.post(path, body, headers))["match"]


def measure(stack: Stack, hello: Hello) -> None:
    [api] = stack.pids("gunicorn")
    others = {
        "Redis": next(p for p in stack.pids("redis-server") if is_log(p)),
        "dispatcher": stack.pids("dispatcher")[0],
        "projector": stack.pids("projector")[0],
    }
    chance = random.Random(1)
    greeter, moves = Connection(hello.url), Connection(stack.url)
    say_hello(greeter, 300)
    play(moves, stack.api_key, 300, chance)
    hello_us, move_us, wall_ms, ratios = [], [], [], []
    beside: dict[str, list[float]] = {name: [] for name in others}
    for _ in range(ROUNDS):
        before = cpu_s(hello.pid)
        say_hello(greeter, REQUESTS)
        hello_us.append((cpu_s(hello.pid) - before) / REQUESTS * 1e6)
        before, began = cpu_s(api), time.perf_counter()
        others_before = {name: cpu_s(pid) for name, pid in others.items()}
        play(moves, stack.api_key, REQUESTS, chance)
        wall_ms.append((time.perf_counter() - began) / REQUESTS * 1e3)
        move_us.append((cpu_s(api) - before) / REQUESTS * 1e6)
        time.sleep(0.5)  # what follows the feed may lag behind
        for name, pid in others.items():
            used = cpu_s(pid) - others_before[name]
            beside[name].append(used / REQUESTS * 1e6)
        ratios.append(move_us[-1] / hello_us[-1])
    verdict = "reached" if statistics.median(ratios) <= AIM else "missed"
    report(
        f"A durable Kalah move over HTTP ({ROUNDS} rounds of {REQUESTS})",
        [
            ("CPU of the API process, us a move", spread(move_us)),
            ("CPU of a bare Flask hello, us", spread(hello_us)),
            (f"ratio (aim {AIM}: {verdict})", spread(ratios, 2)),
            ("time of a move for one client, ms", spread(wall_ms, 2)),
            *(
                (f"CPU of {n} beside it, us a move", spread(v))
                for n, v in beside.items()
            ),
        ],
    )


def is_log(pid: int) -> bool:
    return Path(f"/proc/{pid}/cwd").resolve().name == "log"


def main() -> None:
    with (
        Hello() as hello,
        shipped_stack() as stack,
    ):
        measure(stack, hello)


if __name__ == "__main__":
    main()
