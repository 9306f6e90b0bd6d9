"""What every view has: a name, its place in the feed, and generations.

A view is rebuilt as a new generation beside the present one, which then takes its place
in one step. What is left of other generations is swept away: of those whose rebuild has
died, and of former ones. All keys of a view stand under one hash tag, so that what it
says and how far it has come change in one transaction, on a cluster too.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import Any, Protocol, Self, TypeVar

import structlog

from services.duty import Duty
from services.eventlog import FeedEntry, Streams
from services.eventlog.library import connect_redis
from services.views.lease import Lease

FIRST_GENERATION = "1"
ERASE = files("services.views").joinpath("erase.lua").read_text("utf-8")

T = TypeVar("T")

log = structlog.get_logger()


class Folder(Protocol):
    """Makes of feed entries what a view takes in."""

    def fold(self, entries: Iterable[FeedEntry]) -> list[Any]:
        """Return what entries change.

        :raises PoisonEvent: an event cannot be folded.
        """

    def whole(self, stream: str) -> Any:
        """Return a whole stream as one change; None if there is nothing to tell."""

    def whole_archived(self, stream: str) -> Any:
        """Return what a rebuild takes in of a stream that has left Redis, or None."""


class View:
    """A read model; those that inherit say what is in it."""

    name: str

    def __init__(self, redis_url: str, generation: str | None = None) -> None:
        """Keep the view beside the event log; without *generation* the present one."""
        self._url = redis_url
        self._redis = connect_redis(redis_url)
        self._erase_script = self._redis.register_script(ERASE)
        self._fixed = generation

    # -- what each view does in its own way

    def folder(self, streams: Streams) -> Folder:
        """Return what folds the feed for this view."""
        raise NotImplementedError

    def write(self, changes: Iterable[Any], cursors: Mapping[int, str]) -> None:
        """Take in changes and the cursors behind them, all or nothing."""
        raise NotImplementedError

    def settle(self, get_on: Callable[[], None]) -> None:
        """Work out what follows from all that was taken in; *get_on* between steps.

        A view in which nothing does need not; it may be called again at any time.
        """

    def count(self) -> int:
        """Return how much there is in it."""
        raise NotImplementedError

    def delete(self) -> None:
        """Remove this generation with its cursors; the projector builds it again."""
        self.discard(self.generation())

    def discard(self, generation: str) -> int:
        """Remove all keys of a generation; return how many there were."""
        raise NotImplementedError

    # -- generations

    def generation(self) -> str:
        """Return which generation this is: a fixed one, or the present one."""
        if self._fixed is not None:
            return self._fixed
        return self._redis.get(self._key("current")) or FIRST_GENERATION

    def present(self) -> Self:
        """Return the present generation, to stay with it."""
        return type(self)(self._url, self.generation())

    def duty(self) -> Duty:
        """Return the duty to keep the view up to the feed, for this process."""
        return Duty(self._redis, self._key("duty"))

    def lease(self) -> Lease:
        """Take the right to rebuild the view.

        :raises RebuildRuns: somebody else has it.
        """
        keys = [self._key(name) for name in ("lease", "made", "current")]
        return Lease(self._redis, keys, FIRST_GENERATION)

    def new_generation(self, lease: Lease) -> Self:
        """Return the generation of a lease, to be built beside the present one."""
        return type(self)(self._url, lease.generation)

    def made(self) -> int:
        """Return how many generations were made, besides the first one."""
        return int(self._redis.get(self._key("made")) or 0)

    def begin_after(self, made: int) -> None:
        """Let the next generation be later than so many."""
        if (missing := made - self.made()) > 0:
            self._redis.incrby(self._key("made"), missing)

    def take_over(self, lease: Lease) -> None:
        """Become the present generation, in one step; `sweep` removes the one before.

        :raises LeaseLost: this generation may have been removed in part.
        """
        lease.use()

    def sweep(self) -> str:
        """Remove every generation but the present one and the one that is being built.

        Return the latter, or "". What is neither of them will never be: the name of a
        generation is made together with its lease, and given once.
        """
        with self._redis.pipeline() as pipe:
            pipe.get(self._key("made")).hget(self._key("lease"), "generation")
            made, building, present = pipe.get(self._key("current")).execute()
        names = [FIRST_GENERATION]
        names += [f"{FIRST_GENERATION}.{n}" for n in range(1, int(made or 0) + 1)]
        live = (building, present or FIRST_GENERATION)
        for name in names:
            if name not in live and (keys := self.discard(name)):
                log.info("generation swept", view=self.name, name=name, keys=keys)
        return building or ""

    # -- how far it is

    def cursors(self) -> dict[int, str]:
        """Return how far the feed was folded in, by partition."""
        cursors = self._redis.hgetall(f"{self._prefix()}:cursors")
        return {int(partition): cursor for partition, cursor in cursors.items()}

    def note_stop(self, reason: str) -> None:
        """Say that the view stands still, and why; or with "" that it goes on."""
        if reason:
            self._redis.set(self._key("stopped"), reason)
        else:
            self._redis.delete(self._key("stopped"))

    def stopped(self) -> str:
        """Return why the view stands still, or nothing."""
        return self._redis.get(self._key("stopped")) or ""

    def _read(self, read: Callable[[str], T]) -> T:
        """Read from the present generation; again if another took over meanwhile."""
        while True:
            prefix = self._prefix()
            rows = read(prefix)
            if self._prefix() == prefix:
                return rows

    def _erase(self, names: tuple[str, str], before: str, *keys: str) -> int:
        """Remove keys, and those that are named by one of them (see the script)."""
        command, named_by = names
        return int(self._erase_script([named_by, *keys], [command, before]))

    def _key(self, name: str) -> str:
        return f"{{view:{self.name}}}:{name}"

    def _prefix(self) -> str:
        return self._key(self.generation())
