"""The event log as its users see it, in parts; each takes the one that it needs.

A *stream* holds the events of one thing (``mat_...``: a match). The *feed* holds one
entry for each append, in 64 partitions; it is exact within a stream and at least once
across streams. A *deadline* is a time by which a stream is to go on, an *alarm* one at
which it goes on of itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from services.eventlog.event import Head, StoredEvent
from services.eventlog.records import (
    Appended,
    FeedEntry,
    IdempotencyKey,
    Note,
    Replication,
    State,
)


class Streams(Protocol):
    """Records events, all or none, and reads them.

    Where replicas have to hold an append before it is acknowledged, whatever `load`,
    `find_key` and `read` return is held by them too.
    """

    def append(
        self,
        stream: str,
        head: Head,
        events: Sequence[StoredEvent],
        note: Note,
        key: IdempotencyKey | None = None,
    ) -> Appended:
        """Record events if the stream is still at *head*.

        :raises VersionConflict: somebody else was first.
        :raises KeyReused: the key came before with another digest.
        :raises LogDamaged: state and events of the stream disagree.
        :raises LogUnavailable: nothing is known to be recorded; the same call may be
            made again.
        """

    def vanish(self, stream: str, tenant: str) -> bool:
        """Remove a stream of a tenant for good, and tell the feed, if there is one.

        One that is archived stays.
        """

    def load(self, stream: str) -> State | None:
        """Return head and snapshot, or None where there is no such stream."""

    def find_key(self, stream: str, key: IdempotencyKey) -> Appended | None:
        """Return what an earlier request with this key recorded.

        :raises KeyReused: the key came before with another digest.
        """

    def read(
        self, stream: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after a version, in order."""

    def read_each(self, after: Mapping[str, int]) -> dict[str, list[StoredEvent]]:
        """Return the events of streams, of each those after a version, in order.

        All are asked for at once: it takes hardly longer than to read one.
        """

    def streams(self, partition: int, *, live: bool = False) -> Iterator[str]:
        """Yield the name of every stream of a partition, archived ones last.

        Or of those only that are *live*, not archived: the oldest first.
        """


class ColdStreams(Protocol):
    """Streams that have left the log for an archive; read as if they were there."""

    def load(self, stream: str) -> State | None:
        """Return head and tenant, without a snapshot; None if it is not archived."""

    def read(self, stream: str, after: int, limit: int | None) -> list[StoredEvent]:
        """Return the events after a version, in order."""

    def streams(self, partition: int) -> Iterator[str]:
        """Yield the names of the archived streams of a partition."""


class Feed(Protocol):
    """Lets others follow what is appended.

    An entry may come before replicas hold what it tells of: it says where to look.
    """

    def follow(
        self,
        cursors: Mapping[int, str],
        limit: int = 500,
        wait_s: float = 0,
        gather_s: float = 0,
    ) -> list[FeedEntry]:
        """Return feed entries after the cursors, waiting for the first if need be.

        A partition without a cursor is read from its beginning. Who follows may gather:
        where much is appended, it is told so often, and of more, which costs it and the
        log less; the first after a pause it is told at once.
        """

    def feed_ends(self) -> dict[int, str]:
        """Return the cursor of the newest entry of each partition that has one."""

    def join(self, group: str) -> "FeedGroup":
        """Return a place in a group whose members share the feed between them."""

    def keep_from(self, follower: str, cursors: Mapping[int, str]) -> None:
        """Tell the log what a follower has read, so that trimming spares the rest."""

    def followers(self) -> list[str]:
        """Return all for whom trimming spares something."""

    def forget(self, follower: str) -> None:
        """Spare nothing any more for a follower that will not come back."""

    def trim(self, keep_s: float = 0) -> int:
        """Drop feed entries that every follower has read; return how many.

        Those younger than *keep_s* are spared, for whoever follows without having said
        so. Where nobody has said anything, nothing is dropped.
        """


class FeedGroup(Protocol):
    """One member of a group that shares the feed; entries are taken until released."""

    def take(
        self, member: str, limit: int = 100, wait_s: float = 0, gather_s: float = 0
    ) -> list[FeedEntry]:
        """Return entries that no member has taken yet, gathered as by `follow`."""

    def take_over(self, member: str, idle_s: float) -> list[FeedEntry]:
        """Return entries that another member took and did not release in time."""

    def release(self, entries: Sequence[FeedEntry]) -> None:
        """Say that entries are done with."""

    def cursors(self) -> dict[int, str]:
        """Return up to where all entries of each partition are done with."""

    def forget_members(self, idle_s: float) -> int:
        """Remove members that were away for so long and hold no entry; how many.

        One that comes back after all is a member again.
        """


class Deadlines(Protocol):
    """Knows by when streams are to go on; an append sets, moves or ends a deadline."""

    def overdue(self, now_ms: int, limit: int = 100) -> list[str]:
        """Return streams whose deadline has passed, oldest deadline first."""

    def deadlines(self) -> int:
        """Return how many streams have a deadline, passed or not."""

    def postpone(self, due_ms: Mapping[str, int]) -> None:
        """Move the deadlines of those of the streams that still have one."""


class Alarms(Protocol):
    """Knows when something has to happen to streams of itself; an append sets it."""

    def alarms(self, until_ms: int, limit: int = 1000) -> dict[str, int]:
        """Return the streams whose time comes until then, by it, the earliest first."""

    def put_off(self, alarm_ms: Mapping[str, int]) -> None:
        """Move the alarms of those of the streams that still have one."""


class Standing(Protocol):
    """Tells how the server of a log stands; side records beside it included."""

    def check(self) -> None:
        """Do nothing if the log answers.

        :raises LogUnavailable: it does not.
        :raises LogDamaged: it was laid out in another way than this code expects.
        """

    def recognize(self) -> None:
        """Do nothing unless this is another log than it was, as far as can be told.

        Asked where something is not found, which may be there in the one that was.

        :raises LogGone: it is.
        """

    def watch(self) -> None:
        """Do nothing unless this is another log than it was; it is asked each second.

        For whoever is about to read or write beside the log: what is told or
        acknowledged there is not so in the one that was.

        :raises LogGone: it is.
        """

    def await_replicas(self, stream: str | None = None) -> None:
        """Return when enough replicas hold all that was written, side records too.

        With a *stream*, all that was written to the server that has it.

        :raises LogUnavailable: too few of them do so in time.
        """

    def replication(self) -> Replication:
        """Return how many replicas an append waits for, and how many keep up."""


class SureStreams(Streams, Standing, Protocol):
    """Streams that can be asked whether who tells of them has been replaced."""


class EventLog(Streams, Feed, Deadlines, Alarms, Standing, Protocol):
    """A whole log; only where the parts are wired together is it named so."""
