"""The dispatcher of analyses, beside that of turns: what waits becomes jobs.

What waits stands in the log's Redis, and whose turn it is is decided there. The list of
the queue is kept short, or who asks for a hundred analyses would be before all others.
"""

import time
from collections.abc import Callable

from rq import Queue

from services.analysis import Analyses
from workers.beside import go_on
from workers.jobs import THINKING

AHEAD = 2
"""So many jobs stand in the list, for workers to take one without waiting."""
LOOK_S = 0.1


class AnalysisDispatcher:
    """One of any number; they share what waits between them."""

    def __init__(self, analyses: Analyses, queue: Queue) -> None:
        """Take what waits, and ask for it in a queue."""
        self._analyses = analyses
        self._queue = queue

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Go on until told to stop, through any absence of log or queue."""

        def look() -> None:
            self.run_once()
            time.sleep(LOOK_S)

        go_on("analyses", look, should_stop)

    def run_once(self) -> int:
        """Ask for what comes next, and again for what is left; return how much."""
        overdue = self._analyses.overdue()
        waiting = THINKING.waiting(self._queue)  # after what is overdue: none is missed
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
            THINKING.ask_for(self._queue, taken)
            asked += 1
        return asked
