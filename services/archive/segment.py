"""Segments: many finished streams in one file, each readable by itself.

A file is the line `seedlog-segment 2`, the blocks, an index as compressed JSON, and the
length of the index in eight bytes. A block is one stream, compressed with a dictionary
of what events say again and again, since a match alone is too short to learn it. Its
first byte says of which format it is: by columns (see `columns`), or by rows, as all
are in files of `seedlog-segment 1`, and those still that are too odd for columns.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from services.archive import columns
from services.archive.damage import OTHER_HEAD
from services.eventlog import Head, LogDamaged, StoredEvent, chain_all, genesis
from services.languages import Message

MAGIC, EARLIER_MAGIC = b"seedlog-segment 2\n", b"seedlog-segment 1\n"
TRAILER = 8
# Every block of rows was compressed with these bytes: no byte may ever change.
DICTIONARY = (
    b'northsouthseatservermatch.","tenant":"","starter":","rules":"","options":{'
    b'{"game":"},"winner":null}},"winner":"","score":{"{"reason":","seat":"{"seat":"'
    b'{"kind":"ai","level":{"kind":"human","player":"ply_match.endedmatch.opened'
    b'match.seat_takenmatch.turn_passed","seat":"white"}","seat":"black"}'
    b'","seat":"north"}","seat":"south"}","move":"{"digest":"match.move_played'
)
LEVEL = 9


class BrokenSegment(LogDamaged):
    """A segment does not hold what was put in; `str` says in what, for operators."""

    def __init__(self, reason: str) -> None:
        """Keep what is wrong, which may name files; whoever asked is not told it."""
        super().__init__(Message("the archive does not hold what was put into it"))
        self.reason = reason

    def __str__(self) -> str:
        """Say what is wrong."""
        return self.reason


@dataclass(frozen=True, slots=True)
class ColdStream:
    """A whole stream as it leaves Redis."""

    name: str
    tenant: str
    head: Head
    events: Sequence[StoredEvent]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block lies: the segment, and the bytes of it."""

    segment: str
    offset: int
    length: int

    def __str__(self) -> str:
        return f"{self.segment} {self.offset} {self.length}"

    @classmethod
    def of(cls, text: str) -> "Place":
        """Return the place that a text tells."""
        segment, offset, length = text.split(" ")
        return cls(segment, int(offset), int(length))


def pack_stream(stream: ColdStream) -> bytes:
    """Return the block of a stream."""
    name, tenant, hash_ = stream.name, stream.tenant, stream.head.hash
    block = columns.pack_columns(name, tenant, hash_, stream.events)
    return pack_rows(stream) if block is None else block


def pack_rows(stream: ColdStream) -> bytes:
    """Return a stream as a block of rows; times are kept as differences."""
    events, before = [], 0
    for event in stream.events:
        events.append([event.at_ms - before, event.type, event.by, event.data_text])
        before = event.at_ms
    parts = [stream.name, stream.tenant, stream.head.hash, events]
    packer = zlib.compressobj(LEVEL, zdict=DICTIONARY)
    return packer.compress(orjson.dumps(parts)) + packer.flush()


def unpack_stream(block: bytes) -> ColdStream:
    """Return the stream of a block.

    :raises BrokenSegment: the block cannot be read.
    """
    try:
        if block[:1] == bytes([columns.FORMAT]):
            name, tenant, hash_, events = columns.unpack_columns(block)
            return ColdStream(name, tenant, Head(len(events), hash_), events)
        return _unpack_rows(block)
    except (zlib.error, ValueError, LookupError, TypeError) as error:
        raise BrokenSegment(f"a block cannot be read: {error}") from error


def _unpack_rows(block: bytes) -> ColdStream:
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    name, tenant, hash_, rows = orjson.loads(unpacker.decompress(block))
    events, at_ms = [], 0
    for version, (step_ms, type_, by, data) in enumerate(rows, start=1):
        at_ms += step_ms
        events.append(StoredEvent(version, type_, at_ms, by, data))
    return ColdStream(name, tenant, Head(len(events), hash_), events)


def check_stream(stream: ColdStream) -> None:
    """Compute the hash chain anew.

    :raises BrokenSegment: the events are not those of the head.
    """
    if chain_all(genesis(stream.name), stream.events) != stream.head.hash:
        raise BrokenSegment(f"{stream.name}: {OTHER_HEAD}")


def pack_segment(
    name: str, streams: Sequence[ColdStream]
) -> tuple[bytes, dict[str, Place]]:
    """Return the bytes of a segment, and where each stream lies in it."""
    parts, places, offset = [MAGIC], {}, len(MAGIC)
    for stream in streams:
        block = pack_stream(stream)
        places[stream.name] = Place(name, offset, len(block))
        parts.append(block)
        offset += len(block)
    index = [[stream, p.offset, p.length] for stream, p in places.items()]
    packed = zlib.compress(orjson.dumps(index), LEVEL)
    return b"".join([*parts, packed, len(packed).to_bytes(TRAILER)]), places


def read_index(name: str, data: bytes) -> dict[str, Place]:
    """Return where the streams of a segment lie, from its own index.

    :raises BrokenSegment: it is not a segment, or not a whole one.
    """
    if not data.startswith((MAGIC, EARLIER_MAGIC)):
        raise BrokenSegment(f"{name} is not a segment")
    length = int.from_bytes(data[-TRAILER:])
    try:
        rows = orjson.loads(zlib.decompress(data[-TRAILER - length : -TRAILER]))
    except (zlib.error, ValueError) as error:
        raise BrokenSegment(f"{name} is not whole: {error}") from error
    return {stream: Place(name, offset, size) for stream, offset, size in rows}
