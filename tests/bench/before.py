"""What a durable Kalah move costs here, and in another state of the project.

`python -m tests.bench.before CHECKOUT`, where `make .venv/.dev .venv/.compiled` was run
in that checkout, too. Both stacks run as they are shipped, on the same machine, and are
asked in turns with a bare hello between them: so a busy minute is one of all three.
Then many play on each in turns, as in `tests.bench.capacity`.
"""

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import click

from tests.bench.capacity import CLIENTS, appended
from tests.bench.moves import Connection, Hello, play, say_hello
from tests.support.crowd import Crowd, Orders
from tests.support.measure import cpu_s, report, spread
from tests.support.stack import Stack, shipped_stack

ROUNDS = 12
REQUESTS = 600
SETTLED_S = 0.5
"""What follows the feed may lag behind by so much."""

COME_S, CROWDED_S = 2.5, 6.0
"""Until all of many clients have come, and how long they are then watched."""


@dataclass
class Player:
    """Somebody who plays on one stack, and what that cost in each round."""

    stack: Stack
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    api_us: list[float] = field(default_factory=list)
    all_us: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api, *_ = self.stack.pids("gunicorn")  # it has its workers as children
        self.connection = Connection(self.stack.url)

    def play(self) -> None:
        play(self.connection, self.stack.api_key, REQUESTS, self.chance)

    def round(self) -> None:
        everything = self.stack.process.pid
        api_s, all_s = cpu_s(self.api), cpu_s(everything)
        self.play()
        time.sleep(SETTLED_S)
        self.api_us.append((cpu_s(self.api) - api_s) / REQUESTS * 1e6)
        self.all_us.append((cpu_s(everything) - all_s) / REQUESTS * 1e6)


@dataclass
class Crowded:
    """A stack on which many play, and what a move of theirs cost in each round."""

    stack: Stack
    api_us: list[float] = field(default_factory=list)
    all_us: list[float] = field(default_factory=list)

    def round(self) -> None:
        api, *_ = self.stack.pids("gunicorn")
        everything = self.stack.process.pid
        with Crowd(Orders(self.stack.url, self.stack.api_key, CLIENTS, 0.0)) as crowd:
            time.sleep(COME_S)
            api_s, all_s, moves = cpu_s(api), cpu_s(everything), appended(self.stack)
            time.sleep(CROWDED_S)
            moves = appended(self.stack) - moves
            self.api_us.append((cpu_s(api) - api_s) / moves * 1e6)
            self.all_us.append((cpu_s(everything) - all_s) / moves * 1e6)
        assert not crowd.ledger.wrong


def measure_many(here: Crowded, before: Crowded) -> None:
    with click.progressbar(range(ROUNDS), label="rounds of many") as rounds:
        for number in rounds:
            for crowded in (here, before) if number % 2 else (before, here):
                crowded.round()
    rows = []
    for name, crowded in (("here", here), ("before", before)):
        rows += [
            (f"{name}: CPU of the API process, us a move", spread(crowded.api_us)),
            (f"{name}: CPU of the whole stack, us a move", spread(crowded.all_us)),
        ]
    rows += compared(here, before)
    title = f"The same, while {CLIENTS} clients play ({ROUNDS} x {CROWDED_S:g} s)"
    report(title, rows)


def compared(here: Player | Crowded, before: Player | Crowded) -> list[tuple[str, str]]:
    return [
        ("API process: here by before", beside(here.api_us, before.api_us)),
        ("whole stack: here by before", beside(here.all_us, before.all_us)),
    ]


def beside(above: list[float], below: list[float]) -> str:
    return spread([a / b for a, b in zip(above, below, strict=True)], 2)


def measure(here: Player, before: Player, hello: Hello) -> None:
    greeter = Connection(hello.url)
    hello_us = list[float]()
    for player in (here, before):
        player.play()  # nothing is kept yet of what is asked for often
    say_hello(greeter, REQUESTS)
    with click.progressbar(range(ROUNDS), label="rounds") as rounds:
        for number in rounds:
            began = cpu_s(hello.pid)
            say_hello(greeter, REQUESTS)
            hello_us.append((cpu_s(hello.pid) - began) / REQUESTS * 1e6)
            for player in (here, before) if number % 2 else (before, here):
                player.round()

    rows: list[tuple[str, str]] = [("CPU of a bare Flask hello, us", spread(hello_us))]
    for name, player in (("here", here), ("before", before)):
        rows += [
            (f"{name}: CPU of the API process, us a move", spread(player.api_us)),
            (f"{name}: that by the hello", beside(player.api_us, hello_us)),
            (f"{name}: CPU of the whole stack, us a move", spread(player.all_us)),
        ]
    rows += compared(here, before)
    report(f"A durable Kalah move, here and before ({ROUNDS} x {REQUESTS})", rows)


@click.command()
@click.argument("checkout", type=click.Path(exists=True, path_type=Path))
def main(checkout: Path) -> None:
    """Measure a move of this checkout beside one of another CHECKOUT."""
    other = shipped_stack(checkout.resolve())
    with Hello() as hello, shipped_stack() as here, other as before:
        measure(Player(here), Player(before), hello)
        measure_many(Crowded(here), Crowded(before))


if __name__ == "__main__":
    main()
