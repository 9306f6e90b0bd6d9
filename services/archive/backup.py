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

from services.eventlog import PARTITIONS, Streams, chain_all, genesis
from services.local_files import draft_of, writing_whole

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
    *,
    goes_on: bool = False,
) -> int:
    """Write a backup; the file appears whole or not at all. Return its streams.

    What is *beside* the log, by name, is written down with it. Side records come after
    the streams: they are made before the events that need them.

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
        if mark and not _is_of(event_log, mark):
            raise InvalidBackup(f"{draft} is of another log: begin anew")
        file.truncate()
        packed = _Packed(file)
        try:
            return _write_lines(packed, event_log, redis, progress, beside, mark)
        except OSError:
            if not mark and not packed.members:
                draft.unlink()
            raise


def _write_lines(
    packed: "_Packed",
    event_log: Streams,
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
    line = None
    if not mark:
        packed.write({"format": FORMAT})
    for partition in range(mark.get("partition", -1) + 1, PARTITIONS):
        # One that is archived just now is listed twice.
        for stream in dict.fromkeys(event_log.streams(partition)):
            if found := _stream_line(event_log, stream):
                line = found
                packed.write(line)
                count += 1
                progress()
        if line is not None and count - marked >= MARK_EVERY:
            marked = count
            packed.write(_mark(partition, count, line))
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


def _mark(partition: int, count: int, line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mark: how far it is, and the last stream, by which the log is known."""
    last = {
        "last": line["stream"],
        "version": len(line["events"]),
        "head": line["head"],
    }
    return {"partition": partition, "count": count, **last}


def _is_of(event_log: Streams, mark: Mapping[str, Any]) -> bool:
    """Tell whether a log holds the stream of a mark, as it was then."""
    name, version = mark["last"], mark["version"]
    if event_log.load(name) is None:
        return False
    head = chain_all(genesis(name), event_log.read(name, 0, version))
    return bool(head == mark["head"])


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


def _stream_line(event_log: Streams, stream: str) -> dict[str, Any] | None:
    """Return a stream up to the head it has now; it may go on meanwhile."""
    state = event_log.load(stream)
    if state is None:
        return None
    events = event_log.read(stream, 0, state.head.version)
    if len(events) < state.head.version and event_log.load(stream) is None:
        return None  # it has vanished meanwhile
    return {
        "stream": stream,
        "tenant": state.tenant,
        "head": state.head.hash,
        "events": [[e.at_ms, e.type, e.by, e.data_text] for e in events],
    }


def _side_records(redis: Any) -> Iterator[tuple[str, dict[str, str]]]:
    for pattern in SIDE_KEYS:
        for key in redis.scan_iter(pattern, count=500):
            yield key, redis.hgetall(key)
