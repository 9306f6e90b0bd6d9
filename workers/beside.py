"""What is dispatched beside the turns of AIs, which go on whatever is wrong with it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from redis.exceptions import RedisError

from services.eventlog import LogUnavailable
from services.logs import Absence

ABSENT_S = 0.3
STANDSTILL_S = 5.0

log = structlog.get_logger()


def go_on(
    what: str, run_once: Callable[[], object], should_stop: Callable[[], bool]
) -> None:
    """Do something again and again, through any absence of log or queue."""
    absence = Absence(f"{what} wait", f"{what} go on")
    while not should_stop():
        try:
            run_once()
            absence.over()
        except (LogUnavailable, RedisError) as error:
            absence.note(error, away=away(error))
            time.sleep(ABSENT_S)
        except Exception:
            log.exception(f"{what} stand still")
            time.sleep(STANDSTILL_S)


def away(error: LogUnavailable | RedisError) -> str:
    """Return which of the two it is that does not answer: the log, or the job queue."""
    return "log" if isinstance(error, LogUnavailable) else "queue"


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
