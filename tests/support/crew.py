"""Worker processes that are stopped in every way, and started again."""

import math
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from services.settings import Settings
from workers.run import run_ai_worker

KINDS = ("kill -9", "SIGTERM", "SIGSTOP, then kill -9")
STOPPED_S = 1.5

# One process imports everything and forks the others: a start costs milliseconds.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["workers.run"])


def work(settings: Settings) -> None:
    """Be a worker; it reads the environment, as it does behind every supervisor."""
    os.environ["REDIS_URL"] = settings.redis_url
    os.environ["SEEDLOG_SECRET"] = settings.secret
    run_ai_worker(settings)


class Crew:
    """Workers that are started again when they end, as a supervisor does."""

    def __init__(
        self,
        settings: Settings,
        size: int,
        seed: int,
        work: Callable[[Settings], None] = work,
    ) -> None:
        self._settings = settings
        self._work = work
        self._chance = random.Random(seed)
        self._members = [self._start() for _ in range(size)]
        self._stopped: dict[int, float] = {}
        self.stops: Counter[str] = Counter()

    def _start(self) -> BaseProcess:
        process = CONTEXT.Process(target=self._work, args=(self._settings,))
        process.start()
        return process

    def stop_one(self) -> None:
        """Stop one of those that run, in one of three ways."""
        running = [
            pid
            for member in self._members
            if (pid := member.pid) and member.is_alive() and pid not in self._stopped
        ]
        kind = self._chance.choice(KINDS)
        if len(running) < 2 and kind == KINDS[2]:
            return  # somebody has to be there to play
        pid = self._chance.choice(running)
        self.stops[kind] += 1
        if kind == KINDS[2]:
            os.kill(pid, signal.SIGSTOP)
            self._stopped[pid] = time.monotonic() + STOPPED_S
        else:
            os.kill(pid, signal.SIGKILL if kind == KINDS[0] else signal.SIGTERM)

    def look_after(self) -> None:
        """Kill those that were stopped long enough; start again whatever ended."""
        now = time.monotonic()
        for place, member in enumerate(self._members):
            until = self._stopped.get(member.pid or 0, math.inf)
            if member.is_alive() and until < now:
                member.kill()
            if until < now or not member.is_alive():
                member.join()
                self._stopped.pop(member.pid or 0, None)
                self._members[place] = self._start()

    def end(self) -> None:
        for member in self._members:
            member.kill()
            member.join()
