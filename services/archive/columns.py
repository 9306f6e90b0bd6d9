"""A block of `seedlog-segment 2`: a stream by columns, in 0.7 KB for 60 moves.

The byte 2; the length of the texts; the texts, as JSON, compressed with the dictionary
of this format; the time of each event, as the difference to the one before; 6 bytes of
digest for each plain move; the head hash, 32 bytes. Numbers are varints: seven bits a
byte, the lowest first. Digests and hash cannot be compressed, so they stand apart::

    [name, tenant, [[is plain, how many], ...], [[type, author, data], ...],
     [[seat, author], ...], "0101...", "C A b ..."]

Events that are no plain moves stand there as they are; of a plain move, by index into
those who move, who it was, and which move.
"""

import hashlib
import re
import zlib
from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby, islice

import orjson

from services.eventlog import StoredEvent

FORMAT = 2
LEVEL = 9
MOVE_TYPE = "match.move_played"
# What these match is part of the format: a move of another form is kept as it is.
MOVE = re.compile(
    r'\{"digest":"([0-9a-f]{12})","move":"([A-Za-z0-9@]+)","seat":"([a-z]+)"\}'
)
HASH = re.compile(r"[0-9a-f]{64}")
DIGEST_BYTES, HASH_BYTES = 6, 32
MOVERS = "0123456789abcdefghijklmnopqrstuvwxyz"

DICTIONARY = files("services.archive").joinpath("segment_2.dict").read_bytes()
DICTIONARY_SHA256 = "f4a4e8312c0b0cf5713d41f91883e7e2d3f0a2cc2ad4dedce49934be09cd8af2"
if hashlib.sha256(DICTIONARY).hexdigest() != DICTIONARY_SHA256:
    raise ImportError("segment_2.dict was changed: nothing archived could be read")

Stream = tuple[str, str, str, list[StoredEvent]]
"""Name, tenant, head hash and events of a stream."""


def pack_columns(
    name: str, tenant: str, hash_: str, events: Sequence[StoredEvent]
) -> bytes | None:
    """Return the block of a stream, or None if it is too odd for this format."""
    steps = [event.at_ms for event in events]
    steps = [at - before for at, before in zip(steps, [0, *steps], strict=False)]
    plain = [_plain(event) for event in events]
    others = [
        [event.type, event.by, event.data_text]
        for event, move in zip(events, plain, strict=True)
        if move is None
    ]
    moves = [move for move in plain if move is not None]
    movers = list(dict.fromkeys((seat, by) for _, _, seat, by in moves))
    is_odd = min(steps, default=0) < 0 or len(movers) > len(MOVERS)
    if is_odd or not HASH.fullmatch(hash_):
        return None
    runs = [
        [int(is_), len([*run])] for is_, run in groupby(m is not None for m in plain)
    ]
    who = "".join(MOVERS[movers.index((seat, by))] for _, _, seat, by in moves)
    texts = [name, tenant, runs, others, movers, who, " ".join(m[1] for m in moves)]
    packer = zlib.compressobj(LEVEL, zdict=DICTIONARY)
    packed = packer.compress(orjson.dumps(texts)) + packer.flush()
    times = b"".join(map(_varint, steps))
    digests = bytes.fromhex("".join(move[0] for move in moves) + hash_)
    return b"".join([_varint(FORMAT), _varint(len(packed)), packed, times, digests])


def unpack_columns(block: bytes) -> Stream:
    """Return the stream of a block.

    :raises ValueError, zlib.error: it is not one, or not a whole one.
    """
    at, (_, length) = _varints(block, 0, 2)
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    texts = orjson.loads(unpacker.decompress(block[at : at + length]))
    name, tenant, runs, others, movers, who, moves = texts
    count = sum(number for _, number in runs)
    at, steps = _varints(block, at + length, count)
    end = at + DIGEST_BYTES * len(who)
    if len(block) != end + HASH_BYTES:
        raise ValueError("its length is not that of its events")
    digests = (block[n : n + DIGEST_BYTES].hex() for n in range(at, end, DIGEST_BYTES))
    moved = (
        (MOVE_TYPE, by, f'{{"digest":"{digest}","move":"{move}","seat":"{seat}"}}')
        for digest, move, (seat, by) in zip(
            digests, moves.split(), (movers[MOVERS.index(w)] for w in who), strict=True
        )
    )
    rest, told = iter(others), list[tuple[str, str, str]]()
    for is_plain, number in runs:
        told += islice(moved if is_plain else map(tuple, rest), number)
    events, at_ms = [], 0
    rows = zip(steps, told, strict=True)
    for version, (step_ms, (type_, by, data)) in enumerate(rows, start=1):
        at_ms += step_ms
        events.append(StoredEvent(version, type_, at_ms, by, data))
    return name, tenant, block[end:].hex(), events


def _plain(event: StoredEvent) -> tuple[str, str, str, str] | None:
    """Return digest, move, seat and author of a plain move."""
    if event.type != MOVE_TYPE:
        return None
    move = MOVE.fullmatch(event.data_text)
    return (move[1], move[2], move[3], event.by) if move else None


def _varint(number: int) -> bytes:
    packed = bytearray()
    while number > 127:
        packed.append(number & 127 | 128)
        number >>= 7
    return bytes([*packed, number])


def _varints(block: bytes, at: int, count: int) -> tuple[int, list[int]]:
    """Return where so many numbers end, and the numbers."""
    numbers = []
    for _ in range(count):
        number = shift = 0
        while True:
            if at >= len(block):
                raise ValueError("it is cut off")
            number |= (block[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if block[at - 1] < 128:
                break
        numbers.append(number)
    return at, numbers
