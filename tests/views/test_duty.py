"""Two projectors: one keeps a view, the other waits, and takes over."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from services.duty import HELD_S
from services.views import Projector
from tests.support.patience import wait_for
from tests.views.world import World


class Runner(Projector):
    """A projector that can be stopped, and held up as a paused process is."""

    def __init__(self, world: World) -> None:
        super().__init__(world.log, world.view)
        self.folded = 0
        self.is_stopped = False
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.is_held_up = False

    @property
    def is_on_duty(self) -> bool:
        return self._duty.is_ours

    def run_once(self, wait_s: float = 0) -> int:
        self.is_held_up = not self.may_go_on.is_set()
        self.may_go_on.wait()
        count = super().run_once(min(wait_s, 0.05))
        self.folded += count
        return count


@contextmanager
def running(*runners: Runner) -> Iterator[None]:
    threads = [
        threading.Thread(target=runner.run, args=(lambda r=runner: r.is_stopped,))
        for runner in runners
    ]
    try:
        for thread in threads:
            thread.start()
        yield
    finally:
        for runner in runners:
            runner.is_stopped = True
            runner.may_go_on.set()
        for thread in threads:
            thread.join()


def test_one_of_two_keeps_a_view(world: World) -> None:
    one, other = Runner(world), Runner(world)
    with running(one, other):
        wait_for("a first one", lambda: world.view.cursors())
        world.play(4, moves=3)
        wait_for("the rows", lambda: world.view.count() == 4)
        wait_for("all of it", lambda: one.folded + other.folded >= 16)
        time.sleep(0.2)

    assert sorted([one.folded, other.folded])[0] == 0


def test_another_takes_over_at_once_from_one_that_ends(world: World) -> None:
    one, other = Runner(world), Runner(world)
    with running(one, other):
        wait_for("one of them", lambda: world.view.cursors())
        ends, stays = (one, other) if one.is_on_duty else (other, one)
        ends.is_stopped = True
        wait_for("its end", lambda: not ends.is_on_duty)
        world.play(1, moves=3)
        began = time.monotonic()
        wait_for("the rows", lambda: stays.folded)
        assert time.monotonic() - began < HELD_S


def test_another_takes_over_from_one_that_hangs_and_it_may_come_back(
    world: World,
) -> None:
    one, other = Runner(world), Runner(world)
    with running(one):
        wait_for("the first one", lambda: world.view.cursors())
        one.may_go_on.clear()
        wait_for("it to stand still", lambda: one.is_held_up)
        with running(other):
            world.play(2, moves=3)
            wait_for("the rows", lambda: world.view.count() == 2)
            one.may_go_on.set()
            world.play(2, moves=3, seed=2)
            wait_for("the rows", lambda: world.view.count() == 4)
            assert other.folded

    assert world.view.count() == 4
