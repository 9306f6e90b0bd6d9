"""What runs beside the dispatcher ends with it, however it ends."""

import threading
from collections.abc import Callable

import pytest

from workers.beside import beside


def test_what_runs_beside_is_told_to_stop_by_whatever_ends_the_block() -> None:
    """Nobody told it, and it was waited for in vain."""
    stopped = threading.Event()

    def run(should_stop: Callable[[], bool]) -> None:
        while not should_stop():
            stopped.wait(0.01)
        stopped.set()

    with pytest.raises(ZeroDivisionError), beside(run, lambda: False, join_s=10.0):
        raise ZeroDivisionError

    assert stopped.is_set()


def test_what_runs_beside_is_told_to_stop_as_everybody_is() -> None:
    stop, stopped = threading.Event(), threading.Event()

    def run(should_stop: Callable[[], bool]) -> None:
        while not should_stop():
            stopped.wait(0.01)
        stopped.set()

    with beside(run, stop.is_set, join_s=10.0):
        stop.set()
        assert stopped.wait(10.0)
