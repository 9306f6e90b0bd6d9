"""AI workers that are stopped in every way while they play, and how long turns waited.

``python -m tests.workers.stops --turns 10000 --stops 500`` is the long run; a short one
is among the tests. How long a turn waited is read from the log: from the event before
it to its own.
"""

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from redis import Redis

from services.bootstrap import Services, connect
from services.match import OpenMatch, Player
from tests.support.crew import CONTEXT, Crew
from tests.support.servers import two_servers
from workers.queues import AI_LIVE, connect_queues, job_queue
from workers.run import run_dispatcher

LATE_MS = 5_000
STUCK_S = 40.0  # without the end of any match


@dataclass
class Waits:
    """What became of the turns, and what the workers went through."""

    waits_ms: list[int] = field(default_factory=list)
    stops: Counter[str] = field(default_factory=Counter)
    unplayed: int = 0  # matches that did not end
    left_in_queue: int = 0

    @property
    def late(self) -> int:
        """Return how many turns waited for more than 5 s."""
        return sum(wait > LATE_MS for wait in self.waits_ms)

    def __str__(self) -> str:
        """Say it in a few lines."""
        waits = sorted(self.waits_ms)
        return (
            f"{len(waits)} turns, {sum(self.stops.values())} stops "
            f"{dict(self.stops)}\n"
            f"over 5 s: {self.late}, never ended: {self.unplayed} matches, "
            f"over 3 s: {sum(wait > 3000 for wait in waits)}, "
            f"p50 {waits[len(waits) // 2]} ms, p99 {waits[len(waits) * 99 // 100]} ms, "
            f"longest {waits[-1]} ms"
        )


def run(
    folder: Path, turns: int, stops: int, *, pause_s: float, at_once: int, workers: int
) -> Waits:
    """Let AIs play each other until so many turns and stops are reached."""
    with two_servers(folder) as settings:
        dispatcher = CONTEXT.Process(target=run_dispatcher, args=(settings,))
        dispatcher.start()
        crew = Crew(settings, workers, seed=7)
        try:
            matches = _play(connect(settings), crew, turns, stops, pause_s, at_once)
        finally:
            crew.end()
            dispatcher.terminate()
            dispatcher.join()
        return _waits(
            connect(settings), matches, crew, connect_queues(settings.queue_url)
        )


def _play(
    services: Services, crew: Crew, turns: int, stops: int, pause_s: float, at_once: int
) -> list[str]:
    matches: list[str] = []
    playing: list[str] = []
    played, ended_at = 0, time.monotonic()
    next_stop = ended_at + pause_s
    while True:
        for match_id in list(playing):
            match = services.matches.load(match_id)
            if match.outcome:
                played, ended_at = played + match.ply, time.monotonic()
                playing.remove(match_id)
        is_done = played >= turns and sum(crew.stops.values()) >= stops
        is_stuck = time.monotonic() > ended_at + STUCK_S
        if is_stuck or (is_done and not playing):
            return matches
        while len(playing) < at_once and not is_done:
            match_id = f"mat_{len(matches)}"
            services.matches.handle(match_id, _opening(len(matches)), by="key:k")
            matches.append(match_id)
            playing.append(match_id)
        if time.monotonic() > next_stop and sum(crew.stops.values()) < stops:
            next_stop = time.monotonic() + pause_s
            crew.stop_one()
        crew.look_after()
        time.sleep(0.02)


def _opening(number: int) -> OpenMatch:
    ai = Player(kind="ai", level=1)
    game = ("kalah", "oware")[number % 2]
    return OpenMatch(game=game, tenant="ten_a", seats={"south": ai, "north": ai})


def _waits(services: Services, matches: list[str], crew: Crew, queue: Redis) -> Waits:
    waits = Waits(stops=crew.stops, left_in_queue=job_queue(queue, AI_LIVE).count)
    for match_id in matches:
        events = services.event_log.read(match_id)
        waits.waits_ms += [
            event.at_ms - before.at_ms
            for before, event in pairwise(events)
            if event.type == "match.move_played"
        ]
        waits.unplayed += services.matches.load(match_id).outcome is None
    return waits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--stops", type=int, default=500)
    parser.add_argument("--pause", type=float, default=0.6, help="between stops, in s")
    parser.add_argument("--matches", type=int, default=12, help="at once")
    parser.add_argument("--workers", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        waits = run(
            Path(folder),
            given.turns,
            given.stops,
            pause_s=given.pause,
            at_once=given.matches,
            workers=given.workers,
        )
    print(waits)


if __name__ == "__main__":
    main()
