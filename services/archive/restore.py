"""A restore: everything of a backup goes to an empty log; interrupted, it goes on.

What is restored is proven by the head of every stream, and by replaying the rules.
Streams are put back side by side, for each waits until the disk has it.
"""

import gzip
import hashlib
import io
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from services.archive.backup import CHUNK, FORMAT, TABLES, InvalidBackup, Progress
from services.archive.damage import OTHER_HEAD, TellDamage
from services.eventlog import (
    PARTITIONS,
    Head,
    StoredEvent,
    Streams,
    VersionConflict,
    chain_all,
    genesis,
)
from services.match import MatchService
from services.match.notes import note_of
from services.match.refusals import Quarantined

RESTORING = "seedlog:restoring"
"""The key that holds the SHA-256 of the file that is restored, and ` done` after it."""

AT_ONCE = 8
AHEAD = 64
"""So many streams are held in memory at most."""

Keep = Callable[[str, Any], None]


class _Left(NamedTuple):
    """A stream that was not put back, and whether it can be some day."""

    stream: str
    reason: str
    may_come: bool = False


def restore_backup(
    event_log: Streams,
    matches: MatchService,
    redis: Any,
    path: Path,
    progress: Progress,
    keep: Keep,
    tell_damage: TellDamage,
) -> int:
    """Put everything of a backup into the log; return the number of streams.

    What was beside the log is handed to *keep*, by name, maybe more than once. Streams
    that were damaged, or that the rules here do not know, are left out.

    A restore that was interrupted goes on with the same file; what is in the log by
    then, a key that was revoked or a name that was erased, stands. So does one that has
    left something out for want of rules: of games that were not installed, say.

    :raises InvalidBackup: the file is damaged, or the log holds something else.
    """
    digest = _digest_of(path)
    begun = redis.get(RESTORING)
    if begun == f"{digest} done":  # nothing is put back twice, over what is newer
        return sum("stream" in line for line in _lines(path))
    if begun != digest:
        if any(True for p in range(PARTITIONS) for _ in event_log.streams(p)):
            raise InvalidBackup(
                "the log is not empty: restore into one that is, or begin a new one"
            )
        redis.set(RESTORING, digest)
    restored, lacking, expected = 0, 0, None
    running: deque[Future[_Left | None]] = deque()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for line in _lines(path):
            is_stream = "stream" in line
            while running and (len(running) == AHEAD or not is_stream):
                if left := running.popleft().result():
                    tell_damage(left.stream, left.reason)
                    lacking += left.may_come
                progress()
            if is_stream:
                running.append(
                    threads.submit(_restore_stream, event_log, matches, line)
                )
                restored += 1
            elif "key" in line:
                _restore_record(redis, line["key"], line["fields"])
            elif "beside" in line:
                keep(line["beside"], line["value"])
            elif "streams" in line:
                expected = line["streams"]
    if restored != expected:
        raise InvalidBackup(
            f"{path} is cut off: it holds {restored} streams, not {expected}"
        )
    if not lacking:
        redis.set(RESTORING, f"{digest} done")
    return restored


def _restore_record(redis: Any, key: str, flat: Sequence[str]) -> None:
    """Put a side record back, unless there is one, which is newer.

    A table of records is put back record by record. In the file, a name and what it
    stands for follow each other.
    """
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    if not fields:  # backups of former versions hold names that went meanwhile
        return
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


def _restore_stream(
    event_log: Streams, matches: MatchService, line: dict[str, Any]
) -> _Left | None:
    """Put a stream back, if it is not there; return it if it is left out.

    It may be archived by now: what is put back is as old as it was.
    """
    stream = line["stream"]
    events = [
        StoredEvent(version, type_, at_ms, by, data)
        for version, (at_ms, type_, by, data) in enumerate(line["events"], start=1)
    ]
    if chain_all(genesis(stream), events) != line["head"]:
        return _Left(stream, OTHER_HEAD)
    try:
        match = matches.replay(stream, events)
    except Quarantined as refusal:
        return _Left(stream, refusal.reason, may_come=True)
    # The tenant is that of the file, which has it from the log.
    note = replace(note_of(match), tenant=line["tenant"])
    if event_log.load(stream) is None:
        with suppress(VersionConflict):  # this very moment
            event_log.append(stream, Head(0, genesis(stream)), events, note)
            return None
    if event_log.read(stream, 0, len(events)) != events:
        raise InvalidBackup(f"{stream} is in this log already, with other events")
    return None


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
