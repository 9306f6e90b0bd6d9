"""Streams on Redis; one script call records everything or nothing."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import chain, islice
from typing import Any

from redis.exceptions import NoScriptError

from services.eventlog.connection import Argument, Connections, LostConnection
from services.eventlog.errors import (
    KeyReused,
    LogDamaged,
    VersionConflict,
    disagreement,
)
from services.eventlog.event import Head, StoredEvent, chain_all
from services.eventlog.identity import Identity
from services.eventlog.keys import idempotency_key, key_of, keys_of
from services.eventlog.packing import Packing
from services.eventlog.port import ColdStreams
from services.eventlog.records import (
    VANISHED,
    Appended,
    IdempotencyKey,
    Note,
    State,
    partition_of,
)
from services.eventlog.replicas import MARK, Command, Replicas
from services.languages import Message

SCRIPT = files("services.eventlog").joinpath("append.lua").read_text("utf-8")
VANISH = files("services.eventlog").joinpath("vanish.lua").read_text("utf-8")
SCRIPT_SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()


class RedisStreams:
    """Keeps the port `Streams`."""

    _redis: Connections
    _replicas: Replicas
    _identity: Identity
    _packing: Packing
    _cold: ColdStreams | None
    _ttl_s: int
    _ring: str

    # -- writing

    def append(
        self,
        stream: str,
        head: Head,
        events: Sequence[StoredEvent],
        note: Note,
        key: IdempotencyKey | None = None,
    ) -> Appended:
        """Record events if the stream is still at *head* (see the port).

        A new stream would miss nothing in another log; none begins there.
        """
        if head.version == 0 or self._identity.is_gone:
            self._identity.recognize()
        if not events or events[0].version != head.version + 1:
            raise ValueError("an append needs events, from the version after the head")
        new_hash = chain_all(head.hash, events)
        keys: list[str] = list(keys_of(stream)[:5])  # in the order of the script
        if key:
            keys.append(idempotency_key(stream, key.key))
        if note.alarm_ms is not None:
            keys.append(keys_of(stream).alarms)
        arguments: list[Argument] = [
            stream,
            head.version,
            new_hash,
            note.snapshot,
            note.tenant,
            note.awaits,
            "" if note.due_ms is None else note.due_ms,
            key.digest if key else "",
            self._ttl_s,
            1 if self._replicas.wanted else "",
            "" if note.alarm_ms is None else note.alarm_ms,
            self._ring,
        ]
        for event in events:
            arguments += (
                self._packing.pack_word(event.type),
                event.at_ms,
                self._packing.pack_word(event.by),
                self._packing.pack(event.data_text),
            )
        command = ["EVALSHA", SCRIPT_SHA, len(keys), *keys, *arguments]
        was_lost = False
        try:
            reply = self._run(stream, command)
        except LostConnection:
            was_lost = True
            reply = self._run(stream, command)
        if was_lost and reply[0] == "conflict":
            last = head.version + len(events)
            if self.read(stream, head.version, len(events)) == list(events):
                return Appended(head.version + 1, last, Head(last, new_hash))
        if key and reply[0] == "reused" and (earlier := self.find_key(stream, key)):
            return earlier  # its record was made by a former version
        return _appended(stream, head.version, new_hash, key, reply)

    def _run(self, stream: str, command: list[Argument]) -> list[Any]:
        """Run the script, and return its reply when the replicas hold what it tells."""
        replicas = self._replicas
        before: list[Command] = []
        after: list[Command] = []
        if replicas.wanted:
            before = replicas.take_unmarks(partition_of(stream))
            after = replicas.wait
        replies = self._redis.call_all_once([*before, command, *after])
        if isinstance(replies[len(before)], NoScriptError):
            command = ["EVAL", SCRIPT, *command[2:]]
            replies = self._redis.call_all_once([command, *after])
            before = []
        reply = list(replies[len(before)])
        if after and reply[0] == "appended":
            replicas.check(replies[-1])
            state = keys_of(stream).state
            replicas.note_held(state, partition_of(stream), str(reply[2]))
        elif after:  # nothing was written, so nothing was waited for
            replicas.await_all(partition_of(stream))
        return reply

    def vanish(self, stream: str, tenant: str) -> bool:
        """Remove a stream of a tenant for good (see the port)."""
        keys = keys_of(stream)
        touched = (*keys[:5], keys.alarms)
        arguments = (stream, tenant, VANISHED, self._ring)
        command = ("EVAL", VANISH, len(touched), *touched, *arguments)
        return bool(self._redis.call(*command))

    # -- reading

    def load(self, stream: str) -> State | None:
        """Return head and snapshot, or None where there is no such stream.

        One that is not there may be in the log that this one was.
        """
        state = self._find(stream)
        if state is None or not self._identity.is_known:
            self._identity.recognize()
        return state

    def _find(self, stream: str) -> State | None:
        state = keys_of(stream).state
        marked = (MARK,) if self._replicas.wanted else ()
        reply = self._redis.call("HMGET", state, "v", "h", "s", "t", *marked)
        version, hash_, snapshot, tenant, *marks = reply
        if version is None:
            return self._cold.load(stream) if self._cold else None
        for mark in marks:
            self._replicas.await_marked(state, partition_of(stream), mark)
        return State(Head(int(version), hash_), snapshot, tenant)

    def find_key(self, stream: str, key: IdempotencyKey) -> Appended | None:
        """Return what an earlier request with this key recorded."""
        record = self._redis.call("GET", idempotency_key(stream, key.key))
        if record is None:
            return None
        first, last, digest = record.split(" ", 2)
        if not key.fits(digest):
            raise KeyReused(key.key)
        self._replicas.await_all(partition_of(stream))
        return Appended(int(first), int(last), replayed=True)

    def read(
        self, stream: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events after a version, in order."""
        replies = self._redis.call_all(self._asked(stream, after, limit))
        return self._told(stream, after, limit, replies)

    def read_each(self, after: Mapping[str, int]) -> dict[str, list[StoredEvent]]:
        """Return the events of streams, of each those after a version, in order."""
        asked = {stream: self._asked(stream, last) for stream, last in after.items()}
        replies = iter(self._redis.call_all([*chain.from_iterable(asked.values())]))
        told = {stream: [*islice(replies, len(some))] for stream, some in asked.items()}
        return {s: self._told(s, after[s], None, some) for s, some in told.items()}

    def _asked(
        self, stream: str, after: int, limit: int | None = None
    ) -> list[Sequence[Argument]]:
        """Return the commands that read a stream."""
        keys = keys_of(stream)
        range_: list[Argument] = ["XRANGE", keys.events, f"{after + 1}-0", "+"]
        if limit is not None:
            range_ += ["COUNT", limit]
        # the mark after the events: one that was there for them may go, if held
        marked = [("HGET", keys.state, MARK)] if self._replicas.wanted else []
        return [range_, *marked]

    def _told(
        self, stream: str, after: int, limit: int | None, replies: Sequence[Any]
    ) -> list[StoredEvent]:
        """Return what they have told, when the replicas hold it."""
        entries, *marks = replies
        if not entries and self._cold:
            return self._cold.read(stream, after, limit)
        for mark in marks if entries else ():
            state = keys_of(stream).state
            self._replicas.await_marked(state, partition_of(stream), mark)
        return [self._event(entry) for entry in entries]

    def streams(self, partition: int, *, live: bool = False) -> Iterator[str]:
        """Yield the name of every stream of a partition, archived ones last."""
        # All at once: pages by rank would pass over some while others are archived.
        yield from self._redis.call("ZRANGE", key_of("streams", partition), 0, -1)
        if self._cold and not live:
            yield from self._cold.streams(partition)

    def _event(self, entry: Any) -> StoredEvent:
        entry_id, (_, type_, _, at_ms, _, by, _, data) = entry
        version = int(entry_id.partition("-")[0])
        word, text = self._packing.unpack_word, self._packing.unpack
        return StoredEvent(version, word(type_), int(at_ms), word(by), text(data))


def _appended(
    stream: str,
    expected: int,
    new_hash: str,
    key: IdempotencyKey | None,
    reply: list[Any],
) -> Appended:
    """Read the answer of the script."""
    match reply:
        case ["appended", first, last]:
            return Appended(first, last, Head(last, new_hash))
        case ["replayed", first, last]:
            return Appended(first, last, replayed=True)
        case ["reused"] if key:
            raise KeyReused(key.key)
        case ["damaged", version, count]:
            raise disagreement(stream, version, count)
        case ["conflict", version, hash_, snapshot, tenant]:
            actual = State(Head(version, hash_), snapshot, tenant) if version else None
            raise VersionConflict(stream, expected, actual)
    raise LogDamaged(
        Message(
            "{match}: the append script answered {reply!r}", match=stream, reply=reply
        )
    )
