"""Many players in processes of their own, so that one does not wait for another."""

import multiprocessing
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from queue import Empty
from typing import Any

from services.client import Seedlog
from tests.support.ledger import Ledger
from tests.support.player import Player

CONTEXT = multiprocessing.get_context("spawn")
ENDS_WITHIN_S = 150.0
"""After it was told to stop, whatever a player waits for has come or is given up."""


@dataclass(frozen=True, slots=True)
class Orders:
    """Where to play, and how."""

    url: str
    key: str
    clients: int = 16
    share_of_ai: float = 0.25
    heartbeat_s: float = 15.0
    seed: int = 1
    rest_s: float = 0.0
    """So long each client rests before each of its moves."""


@dataclass
class Crowd:
    """Plays for as long as the block lasts; then `ledger` says what it was told."""

    orders: Orders
    processes: int = 1
    ledger: Ledger = field(default_factory=Ledger)
    failures: list[str] = field(default_factory=list)
    _members: list[BaseProcess] = field(default_factory=list)

    def __enter__(self) -> "Crowd":
        """Begin to play."""
        self._stop, self._told = CONTEXT.Event(), CONTEXT.Queue()
        for number in range(self.processes):
            arguments = (self.orders, number, self.processes, self._stop, self._told)
            self._members.append(CONTEXT.Process(target=_play, args=arguments))
            self._members[-1].start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let everybody stop, and gather what they were told."""
        self._stop.set()
        for _ in self._members:
            try:
                ledger, failures = self._told.get(timeout=ENDS_WITHIN_S)
            except Empty:
                self.failures.append("players did not stop in time")
                break
            self.ledger.add(ledger)
            self.failures += failures
        for member in self._members:
            member.join(timeout=5)
            member.kill()


def _play(orders: Orders, number: int, of: int, stop: Any, told: Any) -> None:
    """Be one process: its share of the clients, each a thread with a connection."""
    client = Seedlog(orders.url, orders.key, heartbeat_s=orders.heartbeat_s)
    players = [
        Player(
            client,
            1000 * orders.seed + place,
            stop,
            orders.share_of_ai,
            orders.rest_s,
        )
        for place in range(number, orders.clients, of)
    ]
    for player in players:
        player.start()
    ledger = Ledger()
    for player in players:
        player.join()
        ledger.add(player.ledger)
    failures = [f"{p.failure!r}" for p in players if p.failure]
    told.put((ledger, failures))
