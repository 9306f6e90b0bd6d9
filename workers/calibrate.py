"""Tournaments between levels on the job queue, behind every turn somebody waits for.

A game is played in short jobs, each of which asks for the next: a live turn never waits
for more than one of them, however long the games are. What was played is kept beside
the queue; a game whose worker died is asked for again from there.

Keys::

    calibration:<run>  hash: number of a game, its moves and points so far, as JSON
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple
from itertools import islice
from typing import Any

from redis import Redis
from rq import Queue, Worker, get_current_job

from services.names import redis_key
from workers.ai.tournament import Bout, Played, play

SLICE_S = 0.25
"""So long a job plays, and then the move at hand."""

LOST_S = 20.0
"""A game that has not gone on for so long is asked for again."""

KEPT_S = 86_400
LOOK_S = 0.2


def run(name: str, number: int, bout: Sequence[Any], moves: Sequence[str]) -> None:
    """Play some moves of a game, and ask for the next; what RQ calls."""
    job = get_current_job()
    assert job is not None, "RQ calls it"  # noqa: S101
    played = play(Bout(*bout), moves, SLICE_S)
    key = redis_key("calibration", name)
    with job.connection.pipeline() as pipe:
        pipe.hset(key, str(number), json.dumps([played.moves, played.points]))
        pipe.expire(key, KEPT_S)
        pipe.execute()
    if played.points is None:
        queue = Queue(job.origin, connection=job.connection, serializer="json")
        _ask(queue, name, number, Bout(*bout), played.moves)


class Tournament:
    """Games that workers play; whoever holds it asks, looks and waits."""

    def __init__(self, queue: Queue, name: str, bouts: Sequence[Bout]) -> None:
        """Name a run: one of the same name goes on where that was."""
        self._queue, self._name, self._bouts = queue, name, bouts
        self._key = redis_key("calibration", name)

    def play(self, show: Callable[[int], None]) -> dict[Bout, float]:
        """Have all games played; *show* is told, now and then, how many are over."""
        under_way: dict[int, tuple[int, float]] = {}
        while True:
            known = self._known()
            over = {i: p.points for i, p in known.items() if p.points is not None}
            show(len(over))
            if len(over) == len(self._bouts):
                return {self._bouts[number]: points for number, points in over.items()}
            under_way = {n: seen for n, seen in under_way.items() if n not in over}
            waiting = (n for n in range(len(self._bouts)) if n not in over)
            for number in islice(waiting, self._at_once()):
                self._see_to(number, known.get(number, Played((), None)), under_way)
            time.sleep(LOOK_S)

    def _at_once(self) -> int:
        """Return how many games go on at a time: all workers have something to do."""
        return 2 * max(Worker.count(queue=self._queue), 1)

    def _see_to(
        self, number: int, played: Played, under_way: dict[int, tuple[int, float]]
    ) -> None:
        """Ask for the next moves of a game if nobody has, or they do not come."""
        now, length = time.monotonic(), len(played.moves)
        seen, since = under_way.get(number, (-1, -LOST_S))
        if length > seen:
            under_way[number] = (length, now)
        if seen < 0 or now - since > LOST_S:
            under_way[number] = (length, now)
            _ask(self._queue, self._name, number, self._bouts[number], played.moves)

    def _known(self) -> dict[int, Played]:
        connection: Redis = self._queue.connection
        kept: dict[Any, Any] = connection.hgetall(self._key)
        games = {int(number): json.loads(text) for number, text in kept.items()}
        return {n: Played(tuple(moves), points) for n, (moves, points) in games.items()}


def _ask(
    queue: Queue, name: str, number: int, bout: Bout, moves: Sequence[str]
) -> None:
    queue.enqueue_call(
        "workers.calibrate.run",
        args=(name, number, [*astuple(bout)], [*moves]),
        result_ttl=0,
        failure_ttl=60,
    )
