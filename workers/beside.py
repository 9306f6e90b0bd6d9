"""What is dispatched beside the turns of AIs, which go on whatever is wrong with it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from redis.exceptions import RedisError

from services.eventlog import LogUnavailable
from services.logs import Seldom

ABSENT_S = 0.3
STANDSTILL_S = 5.0
ABSENCE = Seldom(60)
"""Log or queue may be away for hours; a minute has one line of it."""

log = structlog.get_logger()


def go_on(
    what: str, run_once: Callable[[], object], should_stop: Callable[[], bool]
) -> None:
    """Do something again and again, through any absence of log or queue."""
    while not should_stop():
        try:
            run_once()
        except (LogUnavailable, RedisError) as error:
            note_absence(f"{what} wait", error)
            time.sleep(ABSENT_S)
        except Exception:
            log.exception(f"{what} stand still")
            time.sleep(STANDSTILL_S)


def note_absence(told: str, error: LogUnavailable | RedisError) -> None:
    """Say what waits, and for which of the two: the log, or the job queue."""
    away = "log" if isinstance(error, LogUnavailable) else "queue"
    ABSENCE.warn(f"{told} {away}", told, away=away, reason=str(error))


@contextmanager
def beside(
    run: Callable[[Callable[[], bool]], None],
    should_stop: Callable[[], bool],
    join_s: float,
) -> Iterator[None]:
    """Run in a thread for as long as the block lasts, however that ends."""
    over = threading.Event()

    def is_over() -> bool:
        return over.is_set() or should_stop()

    thread = threading.Thread(target=run, args=(is_over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(join_s)
