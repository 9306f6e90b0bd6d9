"""What every view has: a name, its place in the feed, and generations.

A view is rebuilt as a new generation beside the present one, which then takes its place
in one step. All keys of a view stand under one hash tag, so that what it says and how
far it has come change in one transaction, on a cluster too.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Self

from services.eventlog import EventLog, FeedEntry
from services.eventlog.connection import Connections

FIRST_GENERATION = "1"


class Folder(Protocol):
    """Makes of feed entries what a view takes in."""

    def fold(self, entries: Iterable[FeedEntry]) -> list[Any]:
        """Return what entries change.

        :raises PoisonEvent: an event cannot be folded.
        """

    def whole(self, stream: str) -> Any:
        """Return a whole stream as one change; None if there is nothing to tell."""


class View:
    """A read model; those that inherit say what is in it."""

    name: str

    def __init__(self, redis_url: str, generation: str | None = None) -> None:
        """Keep the view beside the event log; without *generation* the present one."""
        self._url = redis_url
        self._redis = Connections(redis_url)
        self._fixed = generation

    # -- what each view does in its own way

    def folder(self, event_log: EventLog) -> Folder:
        """Return what folds the feed for this view."""
        raise NotImplementedError

    def write(self, changes: Iterable[Any], cursors: Mapping[int, str]) -> None:
        """Take in changes and the cursors behind them, all or nothing."""
        raise NotImplementedError

    def count(self) -> int:
        """Return how much there is in it."""
        raise NotImplementedError

    def delete(self) -> None:
        """Remove this generation with its cursors; the projector builds it again."""
        raise NotImplementedError

    # -- generations

    def generation(self) -> str:
        """Return which generation this is: a fixed one, or the present one."""
        if self._fixed is not None:
            return self._fixed
        return self._redis.call("GET", self._key("current")) or FIRST_GENERATION

    def present(self) -> Self:
        """Return the present generation, to stay with it."""
        return type(self)(self._url, self.generation())

    def new_generation(self) -> Self:
        """Return an empty generation, to be built beside the present one."""
        number = self._redis.call("INCR", self._key("made"))
        return type(self)(self._url, f"{FIRST_GENERATION}.{number}")

    def take_over(self) -> None:
        """Become the present generation, in one step, and delete the one before."""
        before = type(self)(self._url).present()
        self._redis.call("SET", self._key("current"), self.generation())
        if before.generation() != self.generation():
            before.delete()

    # -- how far it is

    def cursors(self) -> dict[int, str]:
        """Return how far the feed was folded in, by partition."""
        reply = self._redis.call("HGETALL", f"{self._prefix()}:cursors")
        return {
            int(partition): cursor
            for partition, cursor in zip(reply[::2], reply[1::2], strict=True)
        }

    def note_stop(self, reason: str) -> None:
        """Say that the view stands still, and why; or with "" that it goes on."""
        if reason:
            self._redis.call("SET", self._key("stopped"), reason)
        else:
            self._redis.call("DEL", self._key("stopped"))

    def stopped(self) -> str:
        """Return why the view stands still, or nothing."""
        return self._redis.call("GET", self._key("stopped")) or ""

    def _key(self, name: str) -> str:
        return f"{{view:{self.name}}}:{name}"

    def _prefix(self) -> str:
        return self._key(self.generation())
