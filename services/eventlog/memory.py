"""The event log in memory: for tests, for trying things out, and as the plain model."""

import threading
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from services.eventlog.errors import KeyReused, VersionConflict, disagreement
from services.eventlog.event import Head, StoredEvent, chain_all
from services.eventlog.port import FeedGroup
from services.eventlog.records import (
    PARTITIONS,
    VANISHED,
    Appended,
    FeedEntry,
    IdempotencyKey,
    Note,
    Replication,
    State,
    partition_of,
)


@dataclass(slots=True)
class _Stream:
    events: list[StoredEvent] = field(default_factory=list)
    state: State | None = None
    keys: dict[str, tuple[str, Appended]] = field(default_factory=dict)


class MemoryEventLog:
    """Keeps the log in dictionaries; safe between threads, gone with the process."""

    def __init__(self) -> None:
        """Begin an empty log."""
        self._changed = threading.Condition()
        self._streams: dict[str, _Stream] = {}
        self._feeds: list[list[FeedEntry]] = [[] for _ in range(PARTITIONS)]
        self._announced_at: list[list[float]] = [[] for _ in range(PARTITIONS)]
        self._trimmed = [0] * PARTITIONS
        self._due: dict[str, int] = {}
        self._alarms: dict[str, int] = {}
        self._kept: dict[str, dict[int, str]] = {}
        self._groups: dict[str, _MemoryFeedGroup] = {}

    def append(
        self,
        stream: str,
        head: Head,
        events: Sequence[StoredEvent],
        note: Note,
        key: IdempotencyKey | None = None,
    ) -> Appended:
        """Record events if the stream is still at *head* (see the port)."""
        if not events or events[0].version != head.version + 1:
            raise ValueError("an append needs events, from the version after the head")
        with self._changed:
            if key and (earlier := self.find_key(stream, key)):
                return earlier
            kept = self._streams.get(stream, _Stream())
            version = kept.state.head.version if kept.state else 0
            if version != head.version:
                raise VersionConflict(stream, head.version, kept.state)
            if len(kept.events) != version:
                raise disagreement(stream, version, len(kept.events))
            kept.events.extend(events)
            new_head = Head(last := events[-1].version, chain_all(head.hash, events))
            kept.state = State(new_head, note.snapshot, note.tenant)
            self._streams[stream] = kept
            self._announce(stream, head.version + 1, last, note)
            appended = Appended(head.version + 1, last, new_head)
            if key:
                replayed = Appended(appended.first, last, replayed=True)
                kept.keys[key.key] = (key.digest, replayed)
            self._changed.notify_all()
            return appended

    def _announce(self, stream: str, first: int, last: int, note: Note) -> None:
        partition = partition_of(stream)
        feed = self._feeds[partition]
        cursor = f"{self._trimmed[partition] + len(feed) + 1}-0"
        feed.append(
            FeedEntry(partition, cursor, stream, first, last, note.tenant, note.awaits)
        )
        self._announced_at[partition].append(time.monotonic())
        self._due.pop(stream, None)
        if note.due_ms is not None:
            self._due[stream] = note.due_ms
        if note.alarm_ms is not None:
            self._alarms.pop(stream, None)
        if note.alarm_ms:
            self._alarms[stream] = note.alarm_ms

    def vanish(self, stream: str, tenant: str) -> bool:
        """Remove a stream of a tenant for good (see the port)."""
        with self._changed:
            kept = self._streams.get(stream)
            if kept is None or kept.state is None or kept.state.tenant != tenant:
                return False
            del self._streams[stream]
            self._alarms.pop(stream, None)
            after = kept.state.head.version + 1
            self._announce(stream, after, after, Note("", tenant, VANISHED))
            self._changed.notify_all()
            return True

    def load(self, stream: str) -> State | None:
        """Return head and snapshot, or None where there is no such stream."""
        kept = self._streams.get(stream)
        return kept.state if kept else None

    def find_key(self, stream: str, key: IdempotencyKey) -> Appended | None:
        """Return what an earlier request with this key recorded."""
        kept = self._streams.get(stream)
        earlier = kept.keys.get(key.key) if kept else None
        if earlier is None:
            return None
        digest, appended = earlier
        if not key.fits(digest):
            raise KeyReused(key.key)
        return appended

    def read(
        self, stream: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after a version, in order."""
        events = self._streams.get(stream, _Stream()).events[after:]
        return events if limit is None else events[:limit]

    def read_each(self, after: Mapping[str, int]) -> dict[str, list[StoredEvent]]:
        """Return the events of streams, of each those after a version, in order."""
        return {stream: self.read(stream, last) for stream, last in after.items()}

    def streams(self, partition: int, *, live: bool = False) -> Iterator[str]:
        """Yield the name of every stream of a partition; nothing is archived here."""
        yield from [s for s in list(self._streams) if partition_of(s) == partition]

    def check(self) -> None:
        """Memory always answers, and is no other than it was."""

    recognize = watch = check

    def await_replicas(self, stream: str | None = None) -> None:
        """Wait for nobody: there are no replicas."""

    def replication(self) -> Replication:
        """Return that none is wanted."""
        return Replication(0, 0)

    def follow(
        self,
        cursors: Mapping[int, str],
        limit: int = 500,
        wait_s: float = 0,
        gather_s: float = 0,
    ) -> list[FeedEntry]:
        """Return feed entries after the cursors; here nothing has to be gathered."""
        with self._changed:
            self._changed.wait_for(lambda: self._after(cursors, 1), wait_s)
            return self._after(cursors, limit)

    def _after(self, cursors: Mapping[int, str], limit: int) -> list[FeedEntry]:
        entries: list[FeedEntry] = []
        for partition, feed in enumerate(self._feeds):
            read = _number(cursors.get(partition, "0-0")) - self._trimmed[partition]
            entries += feed[max(read, 0) :][:limit]
        return entries

    def feed_ends(self) -> dict[int, str]:
        """Return the cursor of the newest entry of each partition that has one."""
        return {p: feed[-1].cursor for p, feed in enumerate(self._feeds) if feed}

    def join(self, group: str) -> FeedGroup:
        """Return a place in a group whose members share the feed between them."""
        with self._changed:
            return self._groups.setdefault(group, _MemoryFeedGroup(self))

    def overdue(self, now_ms: int, limit: int = 100) -> list[str]:
        """Return streams whose deadline has passed, oldest deadline first."""
        passed = sorted((due, s) for s, due in self._due.items() if due <= now_ms)
        return [stream for _, stream in passed[:limit]]

    def deadlines(self) -> int:
        """Return how many streams have a deadline, passed or not."""
        return len(self._due)

    def postpone(self, due_ms: Mapping[str, int]) -> None:
        """Move the deadlines of those of the streams that still have one."""
        with self._changed:
            self._due.update((s, due) for s, due in due_ms.items() if s in self._due)

    def alarms(self, until_ms: int, limit: int = 1000) -> dict[str, int]:
        """Return the streams whose time comes until then, by it, the earliest first."""
        with self._changed:
            coming = [(at, s) for s, at in self._alarms.items() if at <= until_ms]
        return {stream: at for at, stream in sorted(coming)[:limit]}

    def put_off(self, alarm_ms: Mapping[str, int]) -> None:
        """Move the alarms of those of the streams that still have one."""
        with self._changed:
            kept = {s: at for s, at in alarm_ms.items() if s in self._alarms}
            self._alarms.update(kept)

    def keep_from(self, follower: str, cursors: Mapping[int, str]) -> None:
        """Tell the log what a follower has read, so that trimming spares the rest."""
        with self._changed:
            self._kept[follower] = dict(cursors)

    def followers(self) -> list[str]:
        """Return all for whom trimming spares something."""
        with self._changed:
            return list(self._kept)

    def forget(self, follower: str) -> None:
        """Spare nothing any more for a follower that will not come back."""
        with self._changed:
            self._kept.pop(follower, None)

    def trim(self, keep_s: float = 0) -> int:
        """Drop feed entries that every follower has read; return how many."""
        with self._changed:
            spared_from = time.monotonic() - keep_s
            return sum(self._trim_partition(p, spared_from) for p in range(PARTITIONS))

    def _trim_partition(self, partition: int, spared_from: float) -> int:
        cursors = [kept.get(partition, "0-0") for kept in self._kept.values()]
        floors = [*map(_number, cursors)]
        floors += [group.floor(partition) for group in self._groups.values()]
        # The lowest entry that somebody still points at stays, as in Redis.
        read = max(min(floors, default=0) - 1 - self._trimmed[partition], 0)
        announced_at = self._announced_at[partition]
        count = min(read, bisect_right(announced_at, spared_from))
        del self._feeds[partition][:count], announced_at[:count]
        self._trimmed[partition] += count
        return count


class _MemoryFeedGroup:
    """The members of one group, and what each has taken and not released."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._cursors: dict[int, str] = {}
        self._taken: dict[tuple[int, str], tuple[FeedEntry, str, float]] = {}

    def take(
        self, member: str, limit: int = 100, wait_s: float = 0, gather_s: float = 0
    ) -> list[FeedEntry]:
        """Return entries that no member has taken yet."""
        self._log.follow(self._cursors, 1, wait_s)
        with self._lock:
            entries = self._log.follow(self._cursors, limit)
            for entry in entries:
                self._cursors[entry.partition] = entry.cursor
                taken = (entry, member, time.monotonic())
                self._taken[entry.partition, entry.cursor] = taken
            return entries

    def take_over(self, member: str, idle_s: float) -> list[FeedEntry]:
        """Return entries that another member took and did not release in time."""
        now = time.monotonic()
        with self._lock:
            late = [
                (place, entry)
                for place, (entry, _, since) in self._taken.items()
                if now - since >= idle_s
            ]
            for place, entry in late:
                self._taken[place] = (entry, member, now)
            return [entry for _, entry in late]

    def release(self, entries: Sequence[FeedEntry]) -> None:
        """Say that entries are done with."""
        with self._lock:
            for entry in entries:
                self._taken.pop((entry.partition, entry.cursor), None)

    def cursors(self) -> dict[int, str]:
        """Return up to where all entries of each partition are done with."""
        with self._lock:
            held = {(p, _number(cursor) - 1) for p, cursor in self._taken}
            done = dict(self._cursors)
            done.update((p, f"{number}-0") for p, number in sorted(held, reverse=True))
            return done

    def forget_members(self, idle_s: float) -> int:
        """Do nothing: a member is known here by the entries that it holds, alone."""
        return 0

    def floor(self, partition: int) -> int:
        """Return the number of the oldest entry that is not done with."""
        taken = [_number(cursor) for p, cursor in self._taken if p == partition]
        return min(taken, default=_number(self._cursors.get(partition, "0-0")))


def _number(cursor: str) -> int:
    return int(cursor.split("-")[0])
