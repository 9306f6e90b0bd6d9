"""The parts of a running stack, and what can be done to them."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.beside import Beside
from tests.support.group import Group
from tests.support.stack import Stack

ROLES = (
    *("gunicorn", "stream", "projector", "dispatcher", "archiver"),
    *("ai-worker", "analysis-worker", "webhook-worker"),
)
KILL, PAUSE, CUT = "killed", "paused", "cut off"
REVIVED_AFTER_S = 2.0


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of process: how to find those that run now."""

    name: str
    find: Callable[[], Sequence[int]]
    mend: Callable[[], None] = lambda: None
    """Called after each harm: what no supervisor starts again is started again."""
    cut: Callable[[int], AbstractContextManager[None]] | None = None
    """Cuts a process off, if it is on a host of its own, while the block lasts."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What was done to a part, and from when to when, in seconds since 1970."""

    part: str
    kind: str
    began: float
    ended: float


def parts_of(stack: Stack, beside: Sequence[Beside] = ()) -> list[Part]:
    """Return the parts of what `seedlog up` has started; each comes back by itself.

    What works *beside* them belongs to the part of its kind.
    """
    found = [_role_of(stack, role, beside) for role in ROLES]
    found.append(Part("gunicorn's worker", lambda: _children(stack.pids("gunicorn"))))
    return [*found, *(_redis_of(stack, name) for name in ("log", "queue"))]


def _role_of(stack: Stack, role: str, beside: Sequence[Beside]) -> Part:
    more = [one for one in beside if one.kind == role]

    def find() -> list[int]:
        return [*stack.pids(role), *(one.pid for one in more)]

    def mend() -> None:
        for one in more:
            one.mend()

    return Part(role, find, mend)


def _children(pids: Sequence[int]) -> list[int]:
    found = []
    for pid in pids:
        with suppress(OSError):  # it has just ended
            found += Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(pid) for pid in found]


def _redis_of(stack: Stack, name: str) -> Part:
    """Return a Redis that the stack has started; it runs in a folder of its name."""

    def find() -> list[int]:
        pids = []
        for pid in stack.pids("redis-server"):
            with suppress(OSError):  # it has just ended
                if Path(f"/proc/{pid}/cwd").resolve() == (stack.data / name).resolve():
                    pids.append(pid)
        return pids

    return Part(f"redis ({name})", find)


class Harmed:
    """Servers of one log, or a queue: one is harmed when all others are well."""

    def __init__(self, servers: Group) -> None:
        """Begin with all of them well."""
        self._servers = servers
        self._healing: threading.Thread | None = None

    def parts(self) -> list[Part]:
        """Return masters and replicas, by what they are when their turn comes."""
        return [
            self._part("redis master", self._servers.masters),
            self._part("redis replica", self._servers.replicas),
        ]

    def part(self, name: str) -> Part:
        """Return all of them as one part."""
        return self._part(name, lambda: self._servers.servers)

    def _part(self, name: str, which: Callable[[], Sequence[int]]) -> Part:
        def find() -> list[int]:
            if self._healing is not None and self._healing.is_alive():
                return []
            return [self._servers.pid(port) for port in which()]

        return Part(
            name, find, self._mend, self._cut if self._servers.is_apart else None
        )

    def _cut(self, pid: int) -> AbstractContextManager[None]:
        of_pid = {self._servers.pid(port): port for port in self._servers.servers}
        return self._servers.cut(of_pid[pid])

    def _mend(self) -> None:
        self._healing = threading.Thread(target=self._heal, daemon=True)
        self._healing.start()

    def _heal(self) -> None:
        """Start again what was killed, some time later, and let all come together."""
        time.sleep(REVIVED_AFTER_S)
        for port in set(self._servers.servers) - set(self._servers.running):
            self._servers.revive(port)
        self._servers.settle()


class Chaos(threading.Thread):
    """Does something to some part every few moments until it is told to stop."""

    def __init__(
        self,
        parts: Sequence[Part],
        seed: int,
        *,
        pauses_s: tuple[float, float] = (0.5, 6.0),
        rests_s: tuple[float, float] = (0.5, 4.0),
    ) -> None:
        """Take parts by chance that can be repeated, but for what the clock decides."""
        super().__init__(daemon=True)
        self.faults: list[Fault] = []
        self.failure: BaseException | None = None
        self._parts = parts
        self._chance = random.Random(seed)  # no secret
        self._pauses_s = pauses_s
        self._rests_s = rests_s
        self._must_stop = threading.Event()

    def run(self) -> None:
        """Do harm; each part has its turn before any has its next one."""
        try:
            while not self._must_stop.is_set():
                for part in self._chance.sample(self._parts, len(self._parts)):
                    self._harm(part)
                    if self._must_stop.wait(self._chance.uniform(*self._rests_s)):
                        return
        except BaseException as error:
            self.failure = error
            raise

    def stop(self) -> None:
        """Let everything run again."""
        self._must_stop.set()
        self.join()

    def _harm(self, part: Part) -> None:
        pids = part.find()
        if not pids:
            return  # it is being started again
        pid, began = self._chance.choice(list(pids)), time.time()
        kind = self._chance.choice(
            (KILL, KILL, PAUSE, *([CUT, CUT] if part.cut else []))
        )
        with suppress(ProcessLookupError):  # its supervisor was quicker
            if kind == KILL:
                os.kill(pid, signal.SIGKILL)
            elif kind == CUT and part.cut:
                with part.cut(pid):
                    self._must_stop.wait(self._chance.uniform(*self._pauses_s))
            else:
                os.kill(pid, signal.SIGSTOP)
                self._must_stop.wait(self._chance.uniform(*self._pauses_s))
                os.kill(pid, signal.SIGCONT)
        self.faults.append(Fault(part.name, kind, began, time.time()))
        part.mend()
