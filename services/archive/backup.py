"""Backup and restore of everything that cannot be derived again, in one file.

A backup is gzipped JSON lines: a header, every stream with its head, the side records
(keys of apps, names of players, revoked tokens of spectators), what is kept beside the
log, and a footer that counts the streams. A restore goes to an empty log; interrupted,
it is run again and goes on. What is restored is proven by the head of every stream, and
by replaying the rules.
"""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from services.eventlog import (
    PARTITIONS,
    Head,
    StoredEvent,
    Streams,
    VersionConflict,
    chain_all,
    genesis,
)
from services.local_files import writing_whole
from services.match import MatchService
from services.match.service import note_of

FORMAT = "seedlog-backup 1"
TABLES = "tenants:"
SIDE_KEYS = (f"{TABLES}*", "player:*", "spectators:*")
RESTORING = "seedlog:restoring"
"""The key that holds the SHA-256 of the file that is restored, and ` done` after it."""
CHUNK = 1024 * 1024


class InvalidBackup(Exception):
    """The file is not a whole backup, or does not fit this log; says why."""


Progress = Callable[[str], None]
Keep = Callable[[str, Any], None]


def write_backup(
    event_log: Streams,
    redis: Any,
    path: Path,
    progress: Progress,
    beside: Mapping[str, Any],
) -> int:
    """Write a backup; the file appears whole or not at all. Return its streams.

    What is *beside* the log, by name, is written down with it. Side records come after
    the streams: they are made before the events that need them.

    :raises BeingWritten: another process is writing this backup.
    """
    count = 0
    with writing_whole(path) as file, gzip.GzipFile(fileobj=file, mode="wb") as packed:
        _write_line(packed, {"format": FORMAT})
        for stream in _all_streams(event_log):
            line = _stream_line(event_log, stream)
            if line is not None:
                _write_line(packed, line)
                count += 1
                progress(stream)
        for key, fields in _side_records(redis):
            flat = [part for field in fields.items() for part in field]
            _write_line(packed, {"key": key, "fields": flat})
        for name, value in beside.items():
            _write_line(packed, {"beside": name, "value": value})
        _write_line(packed, {"streams": count})
    return count


def restore_backup(
    event_log: Streams,
    matches: MatchService,
    redis: Any,
    path: Path,
    progress: Progress,
    keep: Keep,
) -> int:
    """Put everything of a backup into the log; return the number of streams.

    What was beside the log is handed to *keep*, by name, maybe more than once.

    A restore that was interrupted goes on with the same file; what is in the log by
    then, a key that was revoked or a name that was erased, stands.

    :raises InvalidBackup: the file is damaged, or the log holds something else.
    """
    digest = _digest_of(path)
    begun = redis.get(RESTORING)
    if begun == f"{digest} done":  # nothing is put back twice, over what is newer
        return sum("stream" in line for line in _lines(path))
    if begun != digest:
        if any(True for _ in _all_streams(event_log)):
            raise InvalidBackup(
                "the log is not empty: restore into one that is, or begin a new one"
            )
        redis.set(RESTORING, digest)
    restored, expected = 0, None
    for line in _lines(path):
        if "key" in line:
            _restore_record(redis, line["key"], line["fields"])
        elif "stream" in line:
            _restore_stream(event_log, matches, line)
            restored += 1
            progress(line["stream"])
        elif "beside" in line:
            keep(line["beside"], line["value"])
        elif "streams" in line:
            expected = line["streams"]
    if restored != expected:
        raise InvalidBackup(
            f"{path} is cut off: it holds {restored} streams, not {expected}"
        )
    redis.set(RESTORING, f"{digest} done")
    return restored


def _restore_record(redis: Any, key: str, flat: Sequence[str]) -> None:
    """Put a side record back, unless there is one, which is newer.

    A table of records is put back record by record. In the file, a name and what it
    stands for follow each other.
    """
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    if not key.startswith(TABLES):
        if not redis.exists(key):
            redis.hset(key, mapping=fields)
        return
    with redis.pipeline(transaction=False) as pipe:
        for name, value in fields.items():
            pipe.hsetnx(key, name, value)
        pipe.execute()


def _digest_of(path: Path) -> str:
    """Return the digest of a backup that is whole: half of one is no log to serve."""
    try:
        with _Digested(path) as file, gzip.GzipFile(fileobj=file) as whole:
            while whole.read(CHUNK):
                pass
            return file.digest.hexdigest()
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidBackup(f"{path} cannot be read: {error}") from error


class _Digested(io.FileIO):
    """A file that is digested as it is read, so that it is read once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.digest = hashlib.sha256()

    def read(self, size: int | None = -1, /) -> bytes:
        got = super().read(size) or b""
        self.digest.update(got)
        return got


def _all_streams(event_log: Streams) -> Iterator[str]:
    """Yield every stream once; one that is archived just now is listed twice."""
    for partition in range(PARTITIONS):
        yield from dict.fromkeys(event_log.streams(partition))


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


def _restore_stream(
    event_log: Streams, matches: MatchService, line: dict[str, Any]
) -> None:
    stream = line["stream"]
    events = [
        StoredEvent(version, type_, at_ms, by, data)
        for version, (at_ms, type_, by, data) in enumerate(line["events"], start=1)
    ]
    if chain_all(genesis(stream), events) != line["head"]:
        raise InvalidBackup(f"{stream}: the events do not give the head hash")
    # The tenant is that of the file, which has it from the log.
    note = replace(note_of(matches.replay(stream, events)), tenant=line["tenant"])
    try:
        event_log.append(stream, Head(0, genesis(stream)), events, note)
    except VersionConflict as conflict:
        there = event_log.read(stream, 0, len(events))
        if there != events:
            raise InvalidBackup(
                f"{stream} is in this log already, with other events"
            ) from conflict


def _write_line(file: gzip.GzipFile, value: dict[str, Any]) -> None:
    file.write(orjson.dumps(value) + b"\n")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rb") as file:
            header = orjson.loads(next(file, b"null"))
            if header != {"format": FORMAT}:
                raise InvalidBackup(f"{path} is not a backup of this program")
            for line in file:
                yield orjson.loads(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InvalidBackup(f"{path} cannot be read: {error}") from error
