"""Who follows what: brings news of the log to every follower, from one thread.

The event loop owns this; reading the log is done by other threads. A tail is known here
before it is read for the first time, so no entry of the feed can slip in between.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial

import structlog

from services.eventlog import LogUnavailable
from services.limits.crowds import TOLD_EVERY_S
from services.metrics.figures import STREAMS, STREAMS_OPENED
from services.stream.crowd import CROWD, SENDERS, send_at_once
from services.stream.follower import Follower
from services.stream.frames import Form
from services.stream.tails import Chunk, Tail
from services.tenants import GUEST_TENANT

SLOTS = 30
KEYS_EVERY_S = 1.0
"""With what tenants are believed, no key follows for more than 5 s after its end."""
AWAY_FOR_S = 2.0
"""So long keys are asked for of a log that is away; others wait for the next look."""

AGAIN_S = 0.5
RETRY_MS = (500, 1500)  # spread, so that not all come back at the same moment

log = structlog.get_logger()


class Hub:
    """Every open stream of this process, by what it follows."""

    def __init__(
        self,
        readers: Executor,
        is_valid: Callable[[str], bool],
        heartbeat_s: float,
        limit: int,
    ) -> None:
        """Read with some threads; *is_valid* tells whether a key or token still is."""
        self._readers = readers
        self._senders = ThreadPoolExecutor(SENDERS - 1, "sender")
        self._is_valid = is_valid
        self._heartbeat_s = max(heartbeat_s, 1)
        self._limit = limit
        self.matches: dict[str, Tail] = {}
        self.tenants: dict[str, Tail] = {}
        self.analyses: dict[str, Tail] = {}
        self._followers: dict[Tail, set[Follower]] = {}
        self._counts: Counter[str] = Counter()
        self._slots: list[set[Follower]] = [set() for _ in range(SLOTS)]
        self._tasks: set[asyncio.Task[None]] = set()
        self._joined = 0
        self._loop = asyncio.get_running_loop()

    @property
    def is_full(self) -> bool:
        """Tell whether no more streams can be opened."""
        return sum(map(len, self._followers.values())) >= self._limit

    def count(self, tenant: str) -> int:
        """Return how many streams of a tenant are open in this process."""
        return self._counts[tenant]

    # -- coming and going; other threads read the tails

    def join(self, follower: Follower) -> None:
        """Count a follower in."""
        self._followers.setdefault(follower.tail, set()).add(follower)
        self._counts[follower.tenant] += 1
        STREAMS.add(follower.tail.kind)
        STREAMS_OPENED.add(follower.tail.kind)
        self._slots[self._joined % SLOTS].add(follower)
        self._joined += 1

    def leave(self, follower: Follower) -> None:
        """Forget a follower, and what nobody follows any more."""
        follower.is_ended = True
        for slot in self._slots:
            slot.discard(follower)
        followers = self._followers.get(follower.tail, set())
        if follower in followers:
            followers.discard(follower)
            STREAMS.add(follower.tail.kind, by=-1)
            self._counts[follower.tenant] -= 1
            if not self._counts[follower.tenant]:
                del self._counts[follower.tenant]
        if not followers:
            self._followers.pop(follower.tail, None)
            for tails in (self.matches, self.tenants, self.analyses):
                if tails.get(follower.tail.key) is follower.tail:
                    del tails[follower.tail.key]

    async def open(self, follower: Follower, first: bytes) -> None:
        """Begin to write a stream.

        :raises LogUnavailable: what it follows was never read, and cannot be now.
        """
        tail = follower.tail
        if tail.number == 0:
            grown = await self._loop.run_in_executor(self._readers, tail.catch_up)
            if grown:  # others may have begun already: no reader finds it new any more
                self._tell(tail)
        if not follower.is_ended:
            retry = follower.form.begin(random.randint(*RETRY_MS))  # noqa: S311
            follower.start(first + retry, self._read_for)

    # -- news

    def spread(self, tails: dict[str, Tail], keys: Iterable[str]) -> None:
        """Write what is new to all who follow these."""
        for key in keys:
            tail = tails.get(key)
            if tail is not None:
                self._tell(tail)

    def _tell(self, tail: Tail) -> None:
        followers = tuple(self._followers.get(tail, ()))
        if len(followers) >= CROWD:
            self._send_to_crowd(tail, followers)
        for follower in followers:
            follower.pump()

    def _send_to_crowd(self, tail: Tail, followers: Iterable[Follower]) -> None:
        """Bring what is new to all whose readers keep up; `pump` sees to the rest."""
        groups: dict[tuple[int, Form], list[Follower]] = {}
        for follower in followers:
            if follower.keeps_up:
                groups.setdefault((follower.number, follower.form), []).append(follower)
        for (number, form), group in groups.items():
            chunk = tail.recent(number, form)
            if chunk is None or not chunk.data:
                continue
            descriptors = [follower.descriptor for follower in group]
            sizes = send_at_once(self._senders, descriptors, chunk.data)
            for follower, size in zip(group, sizes, strict=True):
                follower.was_sent(chunk, size)

    def _read_for(self, follower: Follower) -> None:
        task = self._loop.create_task(self._read_older(follower))
        self._tasks.add(task)  # a task that nobody holds may vanish
        task.add_done_callback(self._tasks.discard)

    async def _read_older(self, follower: Follower) -> None:
        read = partial(follower.tail.read, follower.number, follower.form)
        while not follower.is_ended:
            try:
                chunk: Chunk = await self._loop.run_in_executor(self._readers, read)
            except LogUnavailable:
                await asyncio.sleep(AGAIN_S)
            except Exception:
                log.exception("stream failed", followed=follower.tail.key)
                follower.end("failed")
            else:
                if chunk.number == follower.number:  # it is not there yet
                    await asyncio.sleep(AGAIN_S)
                follower.take_in(chunk)
                return

    # -- time: both go through the slots of followers, one after the other

    async def beat(self) -> None:
        """Send heartbeats for ever."""
        while True:
            for slot in self._slots:
                await asyncio.sleep(self._heartbeat_s / SLOTS)
                for follower in tuple(slot):
                    follower.beat()

    async def check_keys(self) -> None:
        """End for ever the streams of keys, and tokens of spectators, that are over."""
        while True:
            await asyncio.sleep(KEYS_EVERY_S)
            keys = {follower.token for follower in self._with_keys()}
            if not keys:
                continue
            try:
                valid = await self._loop.run_in_executor(
                    self._readers, self._valid, keys
                )
            except Exception:
                log.exception("keys were not checked")
                continue
            for follower in self._with_keys():
                if follower.token in keys and follower.token not in valid:
                    follower.end("revoked")

    async def tell_counts(self, tell: Callable[[Mapping[str, int]], None]) -> None:
        """Tell the other processes for ever how many streams are open here."""
        while True:
            counts = self._told_counts()
            try:
                await self._loop.run_in_executor(self._readers, tell, counts)
            except LogUnavailable:
                pass
            except Exception:
                log.exception("streams were not counted")
            await asyncio.sleep(TOLD_EVERY_S)

    def _told_counts(self) -> dict[str, int]:
        """Return how many streams each tenant has open, and who looks on guests."""
        counts = dict(self._counts)
        if GUEST_TENANT in counts:
            for match_id, tail in self.matches.items():
                followers = self._followers.get(tail, ())
                if any(follower.tenant == GUEST_TENANT for follower in followers):
                    counts[match_id] = sum(each.claim is None for each in followers)
        return counts

    def _with_keys(self) -> list[Follower]:
        """Return those who follow otherwise than by the token of a seat."""
        return [f for slot in self._slots for f in slot if f.claim is None]

    def _valid(self, keys: set[str]) -> set[str]:
        """Return the keys that are valid, or were, where it cannot be told now."""
        valid, until = set(keys), time.monotonic() + AWAY_FOR_S
        for key in random.sample(list(keys), len(keys)):
            try:
                if self._is_valid(key):
                    continue
            except LogUnavailable:  # of several servers, maybe one
                if time.monotonic() > until:
                    break  # the next look begins with others
                continue
            except Exception:  # it ends by itself, and holds up no check of another
                log.exception("a key cannot be checked")
            valid.discard(key)
        return valid

    # -- the end

    def close(self) -> None:
        """End every stream at once."""
        for followers in tuple(self._followers.values()):
            for follower in tuple(followers):
                follower.end("shutdown")
