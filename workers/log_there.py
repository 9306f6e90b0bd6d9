"""Whether the log can be reached: who cannot, takes no job from those who can.

A worker asks at its start, and again when the log was away for a job; while it waits
it says why. What one server of a cluster does not answer is no reason, unless it holds
what the log says of itself.
"""

import threading
from collections.abc import Callable

from services.eventlog import EventLogError
from services.logs import Absence

ABSENCE = Absence("worker waits for the log", "worker goes on")

_is_doubted = threading.Event()
_is_doubted.set()


def doubt() -> None:
    """Note that the log was away: it is asked before the next job is taken."""
    _is_doubted.set()


def answers(check: Callable[[], None]) -> bool:
    """Tell whether the log can be reached, as far as is known; *check* asks it."""
    if _is_doubted.is_set():
        try:
            check()
        except EventLogError as error:
            ABSENCE.note(error)
            return False
        _is_doubted.clear()
        ABSENCE.over()
    return True
