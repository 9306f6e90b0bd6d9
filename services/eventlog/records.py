"""What goes into an event log and comes out of it, besides the events."""

import zlib
from dataclasses import dataclass

from services.eventlog.event import Head

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

    ``snapshot`` is the state after them; ``awaits`` says who has to act next (``"ai"``,
    ``"nobody"`` if all is over, or nothing) and travels in the feed; ``due_ms`` is when
    that is overdue.
    ``alarm_ms`` is when something has to happen of itself, to the millisecond: 0 is not
    any more, None is never: who needs no alarm pays for none.
    """

    snapshot: str
    tenant: str
    awaits: str = ""
    due_ms: int | None = None
    alarm_ms: int | None = None


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


VANISHED = "vanished"
"""What an entry says, in place of who is awaited, of a stream that was removed."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One append as followers hear of it: events ``first`` to ``last`` of a stream.

    Or that the stream was removed: what comes after its last event is nothing.
    """

    partition: int
    cursor: str
    stream: str
    first: int
    last: int
    tenant: str
    awaits: str

    @property
    def has_vanished(self) -> bool:
        """Tell whether the stream was removed for good."""
        return self.awaits == VANISHED
