"""The archive: segments in a folder or any fsspec URL, and an index in Redis.

A stream leaves Redis only after its segment was written, made durable, read back and
checked. A crash at any point leaves it where it was, or in both places never: the index
entry and the deletion are one step.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

import fsspec
import structlog

from services.archive.damage import TellDamage
from services.archive.segment import (
    BrokenSegment,
    ColdStream,
    Place,
    check_stream,
    pack_segment,
    read_index,
    unpack_stream,
)
from services.cache import Cache
from services.duty import Duty
from services.eventlog import PARTITIONS, LogUnavailable, State, StoredEvent
from services.eventlog.keys import key_of, keys_of
from services.eventlog.library import connect_redis
from services.languages import Message
from services.local_files import (
    make_private_folder,
    remove_dead_drafts,
    writing_whole,
)
from services.metrics.figures import ARCHIVED, ARCHIVED_BYTES

SCRIPT = files("services.archive").joinpath("archive.lua").read_text("utf-8")
SUFFIX = ".segment"
CACHED_STREAMS = 256
READERS, WAITS_S = 4, 1.0
"""So many threads read files at once. Where a place hangs, others are refused so soon:
they would all come to wait for it, and nobody be left to play with."""

MOVING_S = 30.0
"""So long a store may take for a segment before another archiver takes over."""

log = structlog.get_logger()


class UnusableArchive(Exception):
    """Nothing can be kept at the place that is set; says why."""


def check_place(where: str) -> None:
    """Do nothing if segments can be kept at a folder or fsspec URL.

    :raises UnusableArchive: the driver is missing, or forgets when the process ends.
    """
    files, root = _find_place(where)
    if "file" in _protocols(files):
        for folder in (Path(root), *Path(root).parents):
            if folder.exists() and not folder.is_dir():
                raise UnusableArchive(f"{folder} is a file, not a folder to archive in")
    if "memory" in _protocols(files):
        raise UnusableArchive("memory:// forgets every match when the process ends")


class Archive:
    """Keeps finished streams outside Redis, and reads them as if they were there."""

    def __init__(self, redis_url: str, where: str) -> None:
        """Keep segments at a folder or fsspec URL; made when first written to.

        :raises UnusableArchive: the driver is missing.
        """
        self._redis = connect_redis(redis_url)
        self._move = self._redis.register_script(SCRIPT)
        self._files: Any
        self._files, self._root = _find_place(where)
        self._readers = BoundedSemaphore(READERS)
        self._cache: Cache[str, ColdStream] = Cache(
            CACHED_STREAMS, events=lambda stream: len(stream.events)
        )

    # -- reading: what the event log asks for

    def load(self, stream: str) -> State | None:
        """Return the head of an archived stream; its snapshot is to be replayed."""
        archived = self.find(stream)
        return None if archived is None else State(archived.head, "", archived.tenant)

    def read(self, stream: str, after: int, limit: int | None) -> list[StoredEvent]:
        """Return the events of an archived stream after a version."""
        archived = self.find(stream)
        events = list(archived.events[after:]) if archived else []
        return events if limit is None else events[:limit]

    def streams(self, partition: int) -> Iterator[str]:
        """Yield the names of the archived streams of a partition."""
        yield from self._redis.hkeys(key_of("archive", partition))

    def find(self, stream: str) -> ColdStream | None:
        """Return an archived stream, or None if it is not in the archive.

        :raises LogUnavailable: its segment cannot be read now.
        :raises BrokenSegment: it does not hold the stream any more.
        """
        cached = self._cache.get(stream)
        if cached is not None:
            return cached
        place = self._redis.hget(keys_of(stream).archive, stream)
        if place is None:
            return None
        there = Place.of(place)
        block = self._read_block(there)
        try:
            return self._cache.put(stream, unpack_stream(block))
        except BrokenSegment as error:
            said = f"{stream} in segment {there.segment}: {error}"
            raise BrokenSegment(said) from error

    def _read_block(self, place: Place) -> bytes:
        end = place.offset + place.length
        with _answering(f"segment {place.segment}"):
            if not self._readers.acquire(timeout=WAITS_S):
                raise TimeoutError(f"{READERS} others have waited for it for long")
            try:
                path = self._path(place.segment)
                return bytes(self._files.cat_file(path, start=place.offset, end=end))
            finally:
                self._readers.release()

    # -- writing

    def duty(self) -> Duty:
        """Return the duty to move here what is old, for this process."""
        return Duty(self._redis, "archive:duty", MOVING_S)

    def put(self, streams: Sequence[ColdStream]) -> int:
        """Move streams from Redis into one new segment; return how many moved.

        A stream that has changed meanwhile stays in Redis.

        :raises BrokenSegment: what was written cannot be read back; nothing was moved.
        :raises LogUnavailable: the place does not answer; nothing was moved.
        """
        if not streams:
            return 0
        name = secrets.token_hex(8)
        data, places = pack_segment(name, streams)
        with _answering(self._root):
            self._write(name, data)
        try:
            self._check(name, streams, places)
        except BrokenSegment:
            with _answering(self._root):
                self._files.rm_file(self._path(name))  # nothing points at it
            raise
        moved = sum(self._replace(stream, places[stream.name]) for stream in streams)
        ARCHIVED.add(by=moved)
        ARCHIVED_BYTES.add(by=len(data))
        log.info("streams archived", segment=name, streams=moved, bytes=len(data))
        return moved

    def reindex(self, tell_damage: TellDamage) -> int:
        """Put into the index what it lacks of the segments; return how many streams.

        A stream that is in Redis too (its deletion was lost) stays there. Of two in the
        archive (a log was restored, and went on otherwise) the later one counts.
        """
        count = 0
        for name in sorted(self.segments(), key=self._written_at, reverse=True):
            try:
                index = read_index(name, self.read_segment(name))
            except BrokenSegment as error:
                tell_damage(name, str(error))
                continue
            for stream, place in index.items():
                keys = keys_of(stream)
                if not self._redis.exists(keys.state):
                    count += self._redis.hsetnx(keys.archive, stream, str(place))
        return count

    def segments(self) -> list[str]:
        """Return the names of all segments."""
        with _answering(self._root):
            if not self._files.exists(self._root):
                return []
            paths = self._files.ls(self._root, False)
        names = [path.rsplit("/", 1)[-1] for path in paths]
        return sorted(n.removesuffix(SUFFIX) for n in names if n.endswith(SUFFIX))

    def read_segment(self, name: str) -> bytes:
        """Return the bytes of a segment."""
        with _answering(f"segment {name}"):
            return bytes(self._files.cat_file(self._path(name)))

    def count(self) -> int:
        """Return how many streams are archived."""
        with self._redis.pipeline(transaction=False) as pipe:
            for partition in range(PARTITIONS):
                pipe.hlen(key_of("archive", partition))
            return sum(pipe.execute())

    def _written_at(self, name: str) -> str:
        """Return when a segment was written, to be compared; '' if it is not told."""
        with _answering(f"segment {name}"):
            try:
                return str(self._files.modified(self._path(name)))
            except NotImplementedError:
                return ""

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}{SUFFIX}"

    def _write(self, name: str, data: bytes) -> None:
        """Write a file under a passing name, make it durable, then give it its own."""
        path = self._path(name)
        if "file" not in _protocols(self._files):
            self._files.makedirs(self._root, exist_ok=True)
            self._files.pipe_file(path, data)  # object stores write all or nothing
            return
        make_private_folder(Path(self._root))
        remove_dead_drafts(Path(self._root), "*.part")
        with writing_whole(Path(path)) as file:
            file.write(data)

    def _check(
        self, name: str, streams: Sequence[ColdStream], places: dict[str, Place]
    ) -> None:
        """Read the segment back from where it was written, and compare."""
        data = self.read_segment(name)
        index = read_index(name, data)
        for stream in streams:
            place = index[stream.name]
            block = data[place.offset : place.offset + place.length]
            read = unpack_stream(block)
            check_stream(read)
            if (read.head, list(read.events)) != (stream.head, list(stream.events)):
                raise BrokenSegment(f"{stream.name} was written as something else")
            if place != places[stream.name]:
                raise BrokenSegment(f"{stream.name} lies elsewhere than it should")

    def _replace(self, stream: ColdStream, place: Place) -> bool:
        keys = keys_of(stream.name)
        moved = self._move(
            [keys.events, keys.state, keys.streams, keys.due, keys.archive],
            [stream.name, stream.head.version, stream.head.hash, str(place)],
        )
        return bool(moved)


@contextmanager
def _answering(place: str) -> Iterator[None]:
    """Do something with the files of the archive.

    :raises LogUnavailable: it cannot be done now; drivers raise what they like.
    """
    try:
        yield
    except LogUnavailable:
        raise
    except Exception as error:
        said = Message("the archive cannot be used")
        raise LogUnavailable(said, f"{place}: {error}") from error


def _find_place(where: str) -> tuple[Any, str]:
    """Return the file system of a place, and the path in it."""
    try:
        there: tuple[Any, str] = fsspec.core.url_to_fs(where)
    except (ImportError, ValueError, TypeError, OSError) as error:
        # Without the rest of the URL, which may hold a password.
        place = f"{where.partition('://')[0]}://..."
        raise UnusableArchive(f"{place} cannot be used here: {error}") from error
    return there


def _protocols(file_system: Any) -> tuple[str, ...]:
    names = file_system.protocol
    return (names,) if isinstance(names, str) else tuple(names)
