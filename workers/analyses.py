"""The dispatcher of analyses, beside that of turns: what waits becomes jobs.

What waits stands in the log's Redis, and whose turn it is is decided there. The list of
the queue is kept short, or who asks for a hundred analyses would be before all others.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from redis.exceptions import RedisError
from rq import Queue

from services.analysis import Analyses
from services.eventlog import LogUnavailable
from workers.analysis_queue import ask_for, waiting_analyses

AHEAD = 2
"""So many jobs stand in the list, for workers to take one without waiting."""
LOOK_S = 0.1
STANDSTILL_S = 5.0
JOIN_S = 3.0

log = structlog.get_logger()


class AnalysisDispatcher:
    """One of any number; they share what waits between them."""

    def __init__(self, analyses: Analyses, queue: Queue) -> None:
        """Take what waits, and ask for it in a queue."""
        self._analyses = analyses
        self._queue = queue

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Go on until told to stop, through any absence of log or queue."""
        while not should_stop():
            try:
                self.run_once()
                time.sleep(LOOK_S)
            except (LogUnavailable, RedisError) as error:
                log.warning("analyses wait", reason=str(error))
                time.sleep(0.3)
            except Exception:
                log.exception("analyses stand still")
                time.sleep(STANDSTILL_S)

    def run_once(self) -> int:
        """Ask for what comes next, and again for what is left; return how much."""
        overdue = self._analyses.overdue()
        waiting = waiting_analyses(self._queue)  # after what is overdue: none is missed
        for analysis_id in overdue:
            if analysis_id in waiting:
                self._analyses.look_again(analysis_id)
            else:
                self._analyses.revive(analysis_id)
        asked = 0
        while len(waiting) + asked < AHEAD:
            taken = self._analyses.take_next()
            if taken is None:
                break
            ask_for(self._queue, taken)
            asked += 1
        return asked


@contextmanager
def analyses_beside(
    analyses: Analyses, queue: Queue, should_stop: Callable[[], bool]
) -> Iterator[None]:
    """Dispatch in a thread for as long as the block lasts, until *should_stop*.

    AIs go on to play whatever is wrong with analyses.
    """
    dispatcher = AnalysisDispatcher(analyses, queue)
    thread = threading.Thread(target=dispatcher.run, args=(should_stop,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(JOIN_S)
