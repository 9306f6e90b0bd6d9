"""The threads of the API: a few at once, in order, nobody behind what is held up."""

import threading
import time
from queue import Queue

from services.http.wire.threads import FEW, HELD_UP_S, Threads
from tests.support.patience import wait_for


def test_all_is_done_in_the_order_it_came() -> None:
    done: Queue[int] = Queue()
    threads = Threads(1, done.put)

    for number in range(100):
        threads.hand(number)

    assert [done.get(timeout=5) for _ in range(100)] == list(range(100))


def test_a_few_compute_at_once_and_all_is_done() -> None:
    lock, at_once, most = threading.Lock(), 0, 0
    done: Queue[int] = Queue()

    def compute(number: int) -> None:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(HELD_UP_S / 20)
        with lock:
            at_once -= 1
        done.put(number)

    threads = Threads(4 * FEW, compute)
    for number in range(20 * FEW):
        threads.hand(number)

    assert {done.get(timeout=5) for _ in range(20 * FEW)} == set(range(20 * FEW))
    # A busy machine may hold up one or another; without a bound, all begin at once.
    assert FEW <= most < 2 * FEW


def test_nobody_waits_behind_those_that_are_held_up() -> None:
    ends, begun, done = threading.Event(), threading.Semaphore(0), threading.Event()

    def do(what: str) -> None:
        if what == "long":
            begun.release()
            ends.wait(10)
        else:
            done.set()

    threads = Threads(2 * FEW, do)
    for _ in range(2 * FEW - 1):
        threads.hand("long")
    threads.hand("short")
    for _ in range(FEW):
        assert begun.acquire(timeout=5)
    assert not done.is_set()

    def is_done() -> bool:
        threads.look_around()
        return done.is_set()

    wait_for("the short one", is_done)
    ends.set()


def test_no_more_than_there_are_threads() -> None:
    ends, done = threading.Event(), threading.Semaphore(0)

    def do(_: int) -> None:
        ends.wait(10)
        done.release()

    threads = Threads(FEW + 1, do)
    for number in range(FEW + 3):
        threads.hand(number)
    time.sleep(2 * HELD_UP_S)
    threads.look_around()
    time.sleep(2 * HELD_UP_S)
    threads.look_around()

    ends.set()
    for _ in range(FEW + 3):
        assert done.acquire(timeout=5)
