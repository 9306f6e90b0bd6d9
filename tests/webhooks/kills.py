"""Senders and a receiver that are killed at random, and what arrived all the same.

``python -m tests.webhooks.kills --events 10000 --kills 100`` is the long run; a short
one is among the tests. Retries and leases are shortened, so that it ends.
"""

import argparse
import json
import os
import random
import signal
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from redis import Redis

from services.bootstrap import Services, connect, now_ms
from services.cli import redis_server
from services.match import OpenMatch, Player, PlayMove
from services.settings import Settings
from services.webhooks import Endpoint, schedule
from tests.support import receiver
from tests.support.crew import CONTEXT, Crew
from tests.support.servers import two_servers
from workers import send_webhooks
from workers.run import run_dispatcher, run_webhook_worker

HUMAN = Player(kind="human", player="ply_a")
LEASE_S = 1.0
STUCK_S = 60.0


@dataclass
class Arrived:
    """What the receiver wrote down, and what was recorded."""

    sequences: dict[str, list[int]] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    kills: int = 0
    took_s: float = 0.0

    @property
    def missing(self) -> int:
        return sum(
            len(set(range(1, last + 1)) - set(self.sequences.get(match, ())))
            for match, last in self.expected.items()
        )

    @property
    def out_of_order(self) -> int:
        """Return the matches in which something came before what it follows."""
        return sum(
            list(dict.fromkeys(found)) != sorted(set(found))
            for found in self.sequences.values()
        )

    @property
    def messages(self) -> int:
        return sum(map(len, self.sequences.values()))

    def __str__(self) -> str:
        told = sum(self.expected.values())
        return (
            f"{told} events of {len(self.expected)} matches, {self.kills} kills, "
            f"{self.took_s:.0f} s: {self.missing} missing, {self.out_of_order} matches "
            f"out of order, {self.messages - told} came again"
        )


def _send(settings: Settings) -> None:
    """Be a worker; it reads the environment, as it does behind every supervisor."""
    os.environ["REDIS_URL"] = settings.redis_url
    os.environ["QUEUE_URL"] = settings.queue_url
    os.environ["SEEDLOG_SECRET"] = settings.secret
    os.environ["SEEDLOG_DATA"] = str(settings.data)
    os.environ["SEEDLOG_WEBHOOK_PRIVATE"] = "1"
    shortened: Any = schedule
    shortened.RETRIES_MS, shortened.ATTEMPTS = (200,) * 1_000, 1_001
    impatient: Any = send_webhooks
    impatient.LEASE_S, impatient.RENEW_S = LEASE_S, LEASE_S / 4
    impatient.PAUSES_MS = (100,)
    run_webhook_worker(settings)


class Processes:
    """Two senders, a dispatcher and a receiver; each is started again when it ends."""

    def __init__(self, settings: Settings, path: Path, port: int, secret: str) -> None:
        self._chance = random.Random(5)
        self.senders = Crew(settings, 2, seed=3, work=_send)
        self._others: dict[str, tuple[Any, tuple[Any, ...]]] = {
            "receiver": (receiver.main, (str(port), str(path), secret)),
            "dispatcher": (run_dispatcher, (settings,)),
        }
        self._running = {name: self._start(name) for name in self._others}
        self.kills = 0

    def _start(self, name: str) -> BaseProcess:
        target, arguments = self._others[name]
        process = CONTEXT.Process(target=target, args=arguments)
        process.start()
        return process

    def kill_one(self) -> None:
        """Kill one of them, a sender half of the time."""
        self.kills += 1
        name = self._chance.choice(["sender", "sender", *self._others])
        if name == "sender":
            self.senders.stop_one()
        elif pid := self._running[name].pid:
            os.kill(pid, signal.SIGKILL)

    def look_after(self) -> None:
        self.senders.look_after()
        for name, process in self._running.items():
            if not process.is_alive():
                process.join()
                self._running[name] = self._start(name)

    def end(self) -> None:
        self.senders.end()
        for process in self._running.values():
            process.kill()
            process.join()


def run(folder: Path, events: int, kills: int, *, matches: int, pause_s: float) -> Any:
    """Play so many events while processes are killed; return what arrived."""
    with two_servers(folder) as settings:
        services, port = connect(settings), redis_server.free_port()
        url = f"http://127.0.0.1:{port}/"
        made = services.webhooks.create("ten_a", url, ["*"], now_ms()).endpoint
        secret = services.webhooks.secrets.derive(made.id, 1)
        path = folder / "arrived.jsonl"
        processes = Processes(settings, path, port, secret)
        began = time.monotonic()
        try:
            _play(services, processes, events, kills, matches, pause_s)
            _await_all(services, processes, made, settings)
        finally:
            processes.end()
        found = _arrived(services, made, path, settings)
        found.kills = processes.kills
        found.took_s = time.monotonic() - began
        return found


def _play(
    services: Services,
    processes: Processes,
    events: int,
    kills: int,
    matches: int,
    pause_s: float,
) -> None:
    chance, count, opened = random.Random(1), 0, 0
    running: list[str] = []
    next_kill = time.monotonic() + pause_s
    while count < events or processes.kills < kills:
        processes.look_after()
        if time.monotonic() > next_kill:
            next_kill = time.monotonic() + pause_s * chance.uniform(0.5, 1.5)
            if processes.kills < kills:
                processes.kill_one()
        if count >= events:
            time.sleep(0.02)
            continue
        while len(running) < matches:
            opened += 1
            seats = {"south": HUMAN, "north": HUMAN}
            command = OpenMatch(game="kalah", tenant="ten_a", seats=seats)
            name = f"mat_{opened}"
            count += len(services.matches.handle(name, command, by="key:k").events)
            running.append(name)
        match = services.matches.load(chance.choice(running))
        assert match.to_move is not None
        assert match.position is not None
        move = chance.choice(match.position.legal_moves)
        command = PlayMove(seat=match.to_move, move=move)
        handled = services.matches.handle(match.id, command, by="seat")
        count += len(handled.events)
        if handled.match.is_over:
            running.remove(match.id)
        time.sleep(kills * pause_s / events / 2)


def _await_all(
    services: Services, processes: Processes, endpoint: Endpoint, settings: Settings
) -> None:
    """Wait until the feed is planned and nothing waits, or nothing gets on."""
    deadline, left_before = time.monotonic() + STUCK_S, -1
    while time.monotonic() < deadline:
        processes.look_after()
        cursors = services.webhooks.deliveries.cursors()
        left = len(_waiting(settings, endpoint))
        if cursors == services.event_log.feed_ends() and not left:
            return
        if left != left_before:
            deadline, left_before = time.monotonic() + STUCK_S, left
        time.sleep(0.1)


def _waiting(settings: Settings, endpoint: Endpoint) -> set[str]:
    with Redis.from_url(settings.redis_url, decode_responses=True) as redis:
        own = f"{{webhooks}}:e:{endpoint.id}"
        numbers: Any = redis.zrange(f"{own}:numbers", 0, -1)
        settled: Any = redis.zrange(f"{own}:settled", 0, -1)
        return set(numbers) - set(settled)


def _arrived(
    services: Services, endpoint: Endpoint, path: Path, settings: Settings
) -> Arrived:
    """Return what was written down, beside how much each match has to tell."""
    found = Arrived()
    sequences: dict[str, list[int]] = defaultdict(list)
    versions: dict[str, set[int]] = defaultdict(set)
    for line in path.read_text().splitlines():
        match, sequence, version, *_ = json.loads(line)
        sequences[match].append(sequence)
        versions[match].add(version)
    found.sequences = dict(sequences)
    with Redis.from_url(settings.redis_url, decode_responses=True) as redis:
        lanes: Any = redis.hgetall(f"{{webhooks}}:e:{endpoint.id}:lanes")
    for match, lane in lanes.items():
        planned, last = map(int, lane.split())
        head = services.matches.head(match).version
        assert planned == head, f"{match} was planned up to {planned} of {head}"
        assert versions[match] == set(range(1, head + 1)), f"{match} is not all told"
        found.expected[match] = last
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--pause", type=float, default=1.5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(
            run(
                Path(folder),
                given.events,
                given.kills,
                matches=given.matches,
                pause_s=given.pause,
            )
        )


if __name__ == "__main__":
    main()
