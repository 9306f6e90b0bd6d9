"""The end of a process: the signals that ask for it, and pauses that they cut short."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_UP_S = 0.2


def stop_on_signals() -> Callable[[], bool]:
    """Return a question that is answered yes once SIGTERM or SIGINT has come."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop.is_set


def pause(seconds: float, should_stop: Callable[[], bool]) -> None:
    """Wait, but not when it is time to stop."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not should_stop():
        time.sleep(min(left, LOOK_UP_S))


@contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end the process at once, without a word, while nothing is kept.

    Modules that are being imported, and compiled code, would hear of it late or never.
    In the background of a shell it is ignored, and stays so.
    """
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if is_heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
