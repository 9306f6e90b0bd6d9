"""A backup of everything that cannot be derived again, in one file.

It is gzipped JSON lines: a header, every stream with its head, the side records (keys
of apps, names of players, revoked tokens of spectators), what is kept beside the log,
and a footer that counts the streams.

Between the streams of two partitions there may be a mark, with which a member of the
gzip file ends: what stands before it is whole, and a backup that was interrupted can go
on behind it. Who restores reads over marks.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from services.archive.damage import OTHER_HEAD, TellDamage
from services.eventlog import (
    PARTITIONS,
    UNREADABLE,
    Landmark,
    Streams,
    chain_all,
    genesis,
)
from services.local_files import draft_of, writing_whole
from services.names import is_sandbox

FORMAT = "seedlog-backup 1"
TABLES = "tenants:"
SIDE_KEYS = (f"{TABLES}*", "player:*", "spectators:*")
MARK_EVERY = 1_000
"""So many streams are written at least, before the next mark."""

LONGEST_MARK = 1_000

CHUNK = 1024 * 1024
GZIP = 16 + zlib.MAX_WBITS


Progress = Callable[[], None]
"""Called after each stream."""


class InvalidBackup(Exception):
    """The file is not a whole backup, or does not fit this log; says why."""


def write_backup(
    event_log: Streams,
    redis: Any,
    path: Path,
    progress: Progress,
    beside: Mapping[str, Any],
    tell_damage: TellDamage,
    *,
    goes_on: bool = False,
) -> int:
    """Write a backup; the file appears whole or not at all. Return its streams.

    What is *beside* the log, by name, is written down with it. Side records come after
    the streams: they are made before the events that need them.

    A stream that is damaged is in it as it is, for who wants to look into it; one that
    cannot be read is not. A restore leaves both out.

    One that *goes on* keeps what an interrupted one has written up to its last mark; of
    the partitions before that, it holds what stood in them then.

    :raises BeingWritten: another process is writing this backup.
    :raises InvalidBackup: there is nothing to go on with, or it is of another log.
    :raises OSError: the disk is full, or fails; what was written stays, if it can be
        gone on with.
    """
    draft = draft_of(path)
    if goes_on and not draft.exists():
        raise InvalidBackup(f"nothing was begun: there is no {draft}")
    with writing_whole(path, resumable=True) as file:
        mark = _go_back_to_mark(file) if goes_on else {}
        if goes_on and not mark:
            raise InvalidBackup(f"{draft} holds too little to go on with: begin anew")
        if mark and not _landmark(mark).is_in(event_log):
            raise InvalidBackup(f"{draft} is of another log: begin anew")
        file.truncate()
        packed = _Packed(file)
        try:
            streams = _Streams(event_log, tell_damage)
            return _write_lines(packed, streams, redis, progress, beside, mark)
        except OSError:
            if not mark and not packed.members:
                draft.unlink()
            raise


def _write_lines(
    packed: "_Packed",
    streams: "_Streams",
    redis: Any,
    progress: Progress,
    beside: Mapping[str, Any],
    mark: Mapping[str, Any],
) -> int:
    """Write all that comes behind a mark; return how many streams the backup holds."""
    count: int = mark.get("count", 0)
    marked = count
    for _ in range(count):
        progress()
    if not mark:
        packed.write({"format": FORMAT})
    for partition in range(mark.get("partition", -1) + 1, PARTITIONS):
        for line in streams.lines(partition):
            packed.write(line)
            count += 1
            progress()
        if streams.last is not None and count - marked >= MARK_EVERY:
            marked = count
            packed.write(_mark(partition, count, streams.last))
            packed.end_member()
    for key, fields in _side_records(redis):
        flat = [part for field in fields.items() for part in field]
        packed.write({"key": key, "fields": flat})
    for name, value in beside.items():
        packed.write({"beside": name, "value": value})
    packed.write({"streams": count})
    packed.end_member()
    return count


class _Packed:
    """Lines of JSON, packed into *members* of a gzip file, so many by now."""

    def __init__(self, file: BinaryIO) -> None:
        self.members = 0
        self._file = file
        self._member: Any = None

    def write(self, value: dict[str, Any]) -> None:
        if self._member is None:
            self._member = zlib.compressobj(zlib.Z_BEST_COMPRESSION, wbits=GZIP)
        self._file.write(self._member.compress(orjson.dumps(value) + b"\n"))

    def end_member(self) -> None:
        """Let what was written until now stand by itself."""
        self._file.write(self._member.flush())
        self._file.flush()  # what the disk does not take is no member
        self._member = None
        self.members += 1


def _go_back_to_mark(file: BinaryIO) -> dict[str, Any]:
    """Go to the end of what is whole in a backup; return its last mark, if any."""
    mark: dict[str, Any] = {}
    whole = 0
    for end, line in _members(file):
        found = _as_mark(line)
        if not found:
            break
        mark, whole = found, end
    file.seek(whole)
    return mark


def _mark(partition: int, count: int, last: Landmark) -> dict[str, Any]:
    """Return a mark: how far it is, and the last stream, by which the log is known."""
    known_by = {"last": last.stream, "version": last.version, "head": last.head}
    return {"partition": partition, "count": count, **known_by}


def _landmark(mark: Mapping[str, Any]) -> Landmark:
    return Landmark(mark["last"], mark["version"], mark["head"])


def _as_mark(line: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) and "last" in value else {}


def _members(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield where each whole member of a gzip file ends, and the last line in it."""
    at, rest, last = 0, b"", b""
    unpacked = zlib.decompressobj(GZIP)
    while data := rest or file.read(CHUNK):
        try:
            last = (last + unpacked.decompress(data))[-LONGEST_MARK:]
        except zlib.error:  # the disk has lost the end of it
            return
        rest = unpacked.unused_data
        at += len(data) - len(rest)
        if unpacked.eof:
            yield at, last.splitlines()[-1] if last else b""
            unpacked, last = zlib.decompressobj(GZIP), b""


class _Streams:
    """The streams of a log as lines; ``last`` is one that is well, and stays."""

    def __init__(self, event_log: Streams, tell_damage: TellDamage) -> None:
        self.last: Landmark | None = None
        self._log = event_log
        self._tell_damage = tell_damage

    def lines(self, partition: int) -> Iterator[dict[str, Any]]:
        # One that is archived just now is listed twice.
        for stream in dict.fromkeys(self._log.streams(partition)):
            try:
                line = self._line(stream)
            except UNREADABLE as error:
                self._tell_damage(stream, f"it is not in the backup: {error}")
                continue
            if line is not None:
                yield line

    def _line(self, stream: str) -> dict[str, Any] | None:
        """Return a stream up to the head it has now; it may go on meanwhile."""
        state = self._log.load(stream)
        if state is None:
            return None
        version, hash_ = state.head.version, state.head.hash
        events = self._log.read(stream, 0, version)
        if len(events) < version and self._log.load(stream) is None:
            return None  # it has vanished meanwhile
        if chain_all(genesis(stream), events) != hash_:
            self._tell_damage(stream, OTHER_HEAD)
        elif not is_sandbox(state.tenant):
            self.last = Landmark(stream, version, hash_)
        return {
            "stream": stream,
            "tenant": state.tenant,
            "head": hash_,
            "events": [[e.at_ms, e.type, e.by, e.data_text] for e in events],
        }


def _side_records(redis: Any) -> Iterator[tuple[str, dict[str, str]]]:
    for pattern in SIDE_KEYS:
        for key in redis.scan_iter(pattern, count=500):
            if fields := redis.hgetall(key):  # or it has gone since
                yield key, fields
