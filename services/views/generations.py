"""What every view has: a name, its place in the feed, and generations.

A view is rebuilt as a new generation beside the present one, which then takes its place
in one step. What is left of other generations is swept away: of those whose rebuild has
died, and of former ones. All keys of a view stand under one hash tag, so that what it
says and how far it has come change in one transaction, on a cluster too.

Each write goes on from where the one before has left the view, or is refused: what was
written last may be gone, with a master that was replaced, or another may have written.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol, Self, TypeVar

import structlog

from services.duty import Duty
from services.eventlog import FeedEntry, Streams
from services.eventlog.library import connect_redis
from services.views.lease import Lease

FIRST_GENERATION = "1"
STEP = files("services.views").joinpath("step.lua").read_text("utf-8")
ERASED_AT_ONCE = 500

T = TypeVar("T")

log = structlog.get_logger()


class Overtaken(Exception):
    """The view is not where it was left: whoever writes to it has to begin again."""


@dataclass(frozen=True, slots=True)
class Step:
    """From where to where a write takes a view: cursors, and the mark of a build."""

    cursors: Mapping[int, str]
    seen: Mapping[int, str]
    mark: str
    next_mark: str

    @property
    def before(self) -> list[str]:
        """Return the cursors that were seen, and in a build its mark; "" is none."""
        cursors = [self.seen.get(partition, "") for partition in self.cursors]
        return [*cursors, self.mark] if self.mark else cursors

    @property
    def after(self) -> list[str]:
        """Return what follows."""
        cursors = [*self.cursors.values()]
        return [*cursors, self.next_mark] if self.mark else cursors

    @property
    def arguments(self) -> list[str | int]:
        """Return what a script is told of it."""
        told: list[str | int] = [self.mark, self.next_mark, len(self.cursors)]
        for partition, cursor in self.cursors.items():
            told += [partition, self.seen.get(partition, ""), cursor]
        return told


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
        self._fixed = generation
        self._mark = ""

    # -- what each view does in its own way

    def folder(self, streams: Streams) -> Folder:
        """Return what folds the feed for this view."""
        raise NotImplementedError

    def write(
        self,
        changes: Iterable[Any],
        cursors: Mapping[int, str],
        seen: Mapping[int, str] | None = None,
    ) -> None:
        """Take in changes and the cursors behind them, all or nothing.

        *seen* is where whoever writes goes on from; without it, from where the view is.

        :raises Overtaken: the view is not there.
        """
        raise NotImplementedError

    def settle(self, get_on: Callable[[], None]) -> None:
        """Work out what follows from all that was taken in; *get_on* between steps.

        A view in which nothing does need not; it may be called again at any time.
        """

    def count(self) -> int:
        """Return how much there is in it."""
        raise NotImplementedError

    def delete(self) -> None:
        """Remove this generation with its cursors; the projector builds it again.

        It must not run meanwhile: what it writes may be removed in part.
        """
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
        with self._redis.pipeline(transaction=False) as pipe:
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

    def look_again(self) -> None:
        """Let the next command find the master anew, where Sentinels name it.

        One that was replaced, and was not told, goes on answering who is connected.
        """
        if (pool := self._redis.connection_pool) is not None:
            pool.disconnect(inuse_connections=False)

    def begin_build(self) -> None:
        """Let all that is written up to the next cursors be one build, or be refused.

        Each write leaves a mark that the next one has to find; so none of them is
        missing at the end.
        """
        mark = secrets.token_hex(8)
        self._redis.set(f"{self._prefix()}:building", mark)
        self._mark = mark

    def _step(self, cursors: Mapping[int, str], seen: Mapping[int, str] | None) -> Step:
        """Return from where to where a write goes; its cursors end a build."""
        if seen is None:
            seen = self.cursors() if cursors else {}
        goes_on = bool(self._mark) and not cursors
        next_mark = secrets.token_hex(8) if goes_on else ""
        return Step(cursors, seen, self._mark, next_mark)

    def _is_taken(self, redis: Any, step: Step) -> bool:
        """Tell whether a write was carried out before: its answer was lost then.

        :raises Overtaken: the view is neither where that begins nor where it ends.
        """
        prefix, at = self._prefix(), []
        if step.cursors:
            known = redis.hmget(f"{prefix}:cursors", [*step.cursors])
            at = [cursor or "" for cursor in known]
        if step.mark:
            at.append(redis.get(f"{prefix}:building") or "")
        if at not in (step.before, step.after):
            raise self.overtaken()
        return at != step.before

    def overtaken(self) -> Overtaken:
        """Return what is said where the view is not where it was left."""
        return Overtaken(
            f"{self.name} is not where it was left: another process writes to it, or "
            "a fail-over took what was written last"
        )

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

    def _erase(
        self,
        names: tuple[Callable[..., Any], str],
        before: str,
        first: Sequence[str],
        last: Sequence[str],
    ) -> int:
        """Remove the keys of a generation in pages; return how many there were.

        *names* is how to scan a key, and that key: it names some of the others, whose
        keys begin with *before*. The cursors are among the *first*: without them what
        others still write is refused, so nothing is added behind. With the *last* goes
        what names the others: who was interrupted finds them again.
        """
        scan, named_by = names
        if not self._redis.exists(named_by, *first, *last):
            return 0
        removed, cursor, is_more = int(self._redis.unlink(*first)), 0, True
        while is_more:
            cursor, page = scan(named_by, cursor, count=ERASED_AT_ONCE)
            is_more = cursor != 0
            if keys := [before + name for name in page]:
                removed += int(self._redis.unlink(*keys))
        return removed + (int(self._redis.unlink(*last)) if last else 0)

    def _key(self, name: str) -> str:
        return f"{{view:{self.name}}}:{name}"

    def _prefix(self) -> str:
        return self._key(self.generation())
