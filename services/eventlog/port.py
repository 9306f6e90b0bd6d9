"""The event log as its users see it: append, read, follow. Two adapters keep it.

A *stream* holds the events of one thing (``mat_...``: a match). The *feed* holds one
entry for each append, in 64 partitions; it is exact within a stream and at least once
across streams.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.eventlog.event import Head, NewEvent, StoredEvent

PARTITIONS = 64


def partition_of(stream: str) -> int:
    """Return the partition a stream lives in; fixed for the life of the log."""
    return zlib.crc32(stream.encode()) % PARTITIONS


@dataclass(frozen=True, slots=True)
class State:
    """A stream's head and the snapshot that was written with it."""

    head: Head
    snapshot: str
    tenant: str


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's key for one request, with the digest of what it asked for.

    ``former`` is the digest that versions before 0.2 kept of the same request; their
    records are read for the hour that they live.
    """

    key: str
    digest: str
    former: str = ""

    def fits(self, digest: str) -> bool:
        """Tell whether a digest on record is that of the same request."""
        return digest in (self.digest, self.former)


@dataclass(frozen=True, slots=True)
class Note:
    """What an append leaves beside its events, in the same atomic step.

    ``snapshot`` is the state after them; ``awaits`` says who has to act next (``"ai"``
    or nothing) and travels in the feed; ``due_ms`` is when that is overdue.
    """

    snapshot: str
    tenant: str
    awaits: str = ""
    due_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Appended:
    """What was recorded, and the head after it.

    ``replayed``: an earlier request with the same key did it; the head is not told.
    """

    first: int
    last: int
    head: Head | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Replication:
    """How many replicas an append waits for, and how many keep up at the moment."""

    wanted: int
    found: int

    @property
    def is_enough(self) -> bool:
        """Tell whether an append can be acknowledged."""
        return self.found >= self.wanted


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One append as followers hear of it: events ``first`` to ``last`` of a stream."""

    partition: int
    cursor: str
    stream: str
    first: int
    last: int
    tenant: str
    awaits: str


class EventLogError(Exception):
    """The event log could not do what was asked."""


class VersionConflict(EventLogError):
    """The stream is not at the expected version; carries what it is at."""

    def __init__(self, stream: str, expected: int, actual: State | None) -> None:
        """Keep both versions and the state, so that no second read is needed."""
        self.stream = stream
        self.expected = expected
        self.actual = actual
        self.version = actual.head.version if actual else 0
        super().__init__(
            f"{stream} was expected at version {expected} and is at {self.version}"
        )


class KeyReused(EventLogError):
    """An idempotency key came again with another request."""

    def __init__(self, key: str) -> None:
        """Keep the key."""
        super().__init__(
            "this idempotency key was used for a different request within the last "
            "hour; send the same request again, or use a new key"
        )
        self.key = key


class LogDamaged(EventLogError):
    """State and events of a stream disagree; nothing may be written until repaired."""


class LogUnavailable(EventLogError):
    """The log cannot be reached, or cannot promise durability now. Try again later."""


class LogFull(LogUnavailable):
    """The log takes nothing more until there is room; reading goes on."""


class NoSuchStream(EventLogError):
    """There is no stream of that name."""


class EventLog(Protocol):
    """Records events, all or none, and lets others read and follow them.

    Where replicas have to hold an append before it is acknowledged, whatever `load`,
    `find_key` and `read` return is held by them too. Feed entries may come earlier:
    they say where to look.
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

    def streams(self, partition: int) -> Iterator[str]:
        """Yield the name of every stream of a partition, archived ones last."""

    def live_streams(self, partition: int) -> Iterator[str]:
        """Yield the name of every stream that is not archived, oldest first."""

    def follow(
        self, cursors: Mapping[int, str], limit: int = 500, wait_s: float = 0
    ) -> list[FeedEntry]:
        """Return feed entries after the cursors, waiting for the first if need be.

        A partition without a cursor is read from its beginning.
        """

    def feed_ends(self) -> dict[int, str]:
        """Return the cursor of the newest entry of each partition that has one."""

    def overdue(self, now_ms: int, limit: int = 100) -> list[str]:
        """Return streams whose deadline has passed, oldest deadline first."""

    def postpone(self, due_ms: Mapping[str, int]) -> None:
        """Move the deadlines of those of the streams that still have one."""

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

    def await_replicas(self) -> None:
        """Return when enough replicas hold all that was written, side records too.

        :raises LogUnavailable: too few of them do so in time.
        """

    def replication(self) -> Replication:
        """Return how many replicas an append waits for, and how many keep up."""

    def check(self) -> None:
        """Do nothing if the log answers.

        :raises LogUnavailable: it does not.
        """


class ColdStreams(Protocol):
    """Streams that have left the log for an archive; read as if they were there."""

    def load(self, stream: str) -> State | None:
        """Return head and tenant, without a snapshot; None if it is not archived."""

    def read(self, stream: str, after: int, limit: int | None) -> list[StoredEvent]:
        """Return the events after a version, in order."""

    def streams(self, partition: int) -> Iterator[str]:
        """Yield the names of the archived streams of a partition."""


class FeedGroup(Protocol):
    """One member of a group that shares the feed; entries are taken until released."""

    def take(self, member: str, limit: int = 100, wait_s: float = 0) -> list[FeedEntry]:
        """Return entries that no member has taken yet."""

    def take_over(self, member: str, idle_s: float) -> list[FeedEntry]:
        """Return entries that another member took and did not release in time."""

    def release(self, entries: Sequence[FeedEntry]) -> None:
        """Say that entries are done with."""

    def forget_members(self, idle_s: float) -> int:
        """Remove members that were away for so long and hold no entry; how many.

        One that comes back after all is a member again.
        """


__all__ = [
    "PARTITIONS",
    "Appended",
    "ColdStreams",
    "EventLog",
    "EventLogError",
    "FeedEntry",
    "FeedGroup",
    "Head",
    "IdempotencyKey",
    "KeyReused",
    "LogDamaged",
    "LogUnavailable",
    "NewEvent",
    "NoSuchStream",
    "Note",
    "Replication",
    "State",
    "StoredEvent",
    "VersionConflict",
    "partition_of",
]
