"""Backup and restore of everything that cannot be derived again, in one file.

A backup is gzipped JSON lines: a header, the side records (keys of apps, names of
players), every stream with its head, and a footer that counts them. A restore goes to
an empty log; interrupted, it is run again and goes on. What is restored is proven by
the head of every stream, and by replaying the rules.
"""

import gzip
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from services.eventlog import (
    PARTITIONS,
    EventLog,
    Head,
    Note,
    StoredEvent,
    VersionConflict,
    chain_all,
    genesis,
)
from services.eventlog.connection import Connections
from services.match import MatchService, snapshot
from services.match.service import AI_DEADLINE_MS

FORMAT = "seedlog-backup 1"
SIDE_KEYS = ("tenants:*", "player:*")


class InvalidBackup(Exception):
    """The file is not a whole backup, or does not fit this log; says why."""


Progress = Callable[[str], None]


def write_backup(
    event_log: EventLog, redis: Connections, path: Path, progress: Progress
) -> int:
    """Write a backup; the file appears whole or not at all. Return its streams."""
    draft = path.with_name(f"{path.name}.part")
    count = 0
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with gzip.GzipFile(fileobj=file, mode="wb") as packed:
            _write_line(packed, {"format": FORMAT})
            for key, fields in _side_records(redis):
                _write_line(packed, {"key": key, "fields": fields})
            for stream in _all_streams(event_log):
                line = _stream_line(event_log, stream)
                if line is not None:
                    _write_line(packed, line)
                    count += 1
                    progress(stream)
            _write_line(packed, {"streams": count})
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return count


def restore_backup(
    event_log: EventLog,
    matches: MatchService,
    redis: Connections,
    path: Path,
    progress: Progress,
) -> int:
    """Put everything of a backup into the log; return the number of streams.

    :raises InvalidBackup: the file is damaged, or the log holds something else.
    """
    restored, expected = 0, None
    for line in _lines(path):
        if "key" in line:
            redis.call("HSET", line["key"], *line["fields"])
        elif "stream" in line:
            _restore_stream(event_log, matches, line)
            restored += 1
            progress(line["stream"])
        elif "streams" in line:
            expected = line["streams"]
    if restored != expected:
        raise InvalidBackup(
            f"{path} is cut off: it holds {restored} streams, not {expected}"
        )
    return restored


def _all_streams(event_log: EventLog) -> Iterator[str]:
    for partition in range(PARTITIONS):
        yield from list(event_log.streams(partition))


def _stream_line(event_log: EventLog, stream: str) -> dict[str, Any] | None:
    """Return a stream up to the head it has now; it may go on meanwhile."""
    state = event_log.load(stream)
    if state is None:
        return None
    events = event_log.read(stream, 0, state.head.version)
    return {
        "stream": stream,
        "tenant": state.tenant,
        "head": state.head.hash,
        "events": [[e.at_ms, e.type, e.by, e.data_text] for e in events],
    }


def _side_records(redis: Connections) -> Iterator[tuple[str, list[str]]]:
    for pattern in SIDE_KEYS:
        cursor = "0"
        while True:
            cursor, keys = redis.call("SCAN", cursor, "MATCH", pattern, "COUNT", 500)
            for key in keys:
                yield key, redis.call("HGETALL", key)
            if cursor == "0":
                break


def _restore_stream(
    event_log: EventLog, matches: MatchService, line: dict[str, Any]
) -> None:
    stream = line["stream"]
    events = [
        StoredEvent(version, type_, at_ms, by, data)
        for version, (at_ms, type_, by, data) in enumerate(line["events"], start=1)
    ]
    if chain_all(genesis(stream), events) != line["head"]:
        raise InvalidBackup(f"{stream}: the events do not give the head hash")
    match = matches.replay(stream, events)
    awaits_ai = match.ai_to_move is not None
    note = Note(
        snapshot=snapshot.to_text(match),
        tenant=line["tenant"],
        awaits="ai" if awaits_ai else "",
        due_ms=events[-1].at_ms + AI_DEADLINE_MS if awaits_ai else None,
    )
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
    except (OSError, EOFError, ValueError) as error:
        raise InvalidBackup(f"{path} cannot be read: {error}") from error
