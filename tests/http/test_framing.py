"""Where a request begins and ends, however the network has cut it into pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.http.wire.framing import (
    MAX_HEAD,
    MAX_REQUEST_LINE,
    BadRequest,
    Chunks,
    HeadTooLarge,
    KnownLength,
    TargetTooLong,
    TooLarge,
    find_head,
)

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[first:last] for first, last in pairwise(places)]


CUTS = st.lists(st.integers(0, 10_000), max_size=20)


@given(st.binary(max_size=200), CUTS)
def test_a_head_is_found_however_it_is_cut(rest: bytes, cuts: list[int]) -> None:
    received, head = bytearray(), None
    for piece in in_pieces(b"\r\n" + HEAD + rest, cuts):
        received += piece
        head = head or find_head(received)

    assert head == HEAD
    assert bytes(received) == rest


def test_a_head_that_will_never_be_one_is_refused_early() -> None:
    with pytest.raises(TargetTooLong):
        find_head(bytearray(b"GET /" + b"x" * MAX_REQUEST_LINE))
    with pytest.raises(HeadTooLarge):
        find_head(bytearray(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * MAX_HEAD))
    with pytest.raises(BadRequest):
        find_head(bytearray(b"GET / HTTP/1.1\nHost: x\n\n"))


@given(st.lists(st.binary(min_size=1, max_size=50)), st.binary(max_size=50), CUTS)
def test_chunks_are_put_together_however_they_are_cut(
    parts: list[bytes], rest: bytes, cuts: list[int]
) -> None:
    wire = b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in parts)
    received, chunks, whole = bytearray(), Chunks(10_000), False
    for piece in in_pieces(wire + b"0\r\n\r\n" + rest, cuts):
        received += piece
        whole = whole or chunks.take(received)

    assert whole
    assert bytes(chunks.body) == b"".join(parts)
    assert bytes(received) == rest


@pytest.mark.parametrize(
    "wire",
    [
        b"zz\r\n",
        b"-10\r\n",
        b"+10\r\n",
        b"0x10\r\n",
        b"1_0\r\n",
        b" 10\r\n",
        b"\r\n",
        b"5\nhello\r\n",
        b"5\r\nhelloX\r\n",
        b"5\r\nhello\n\n",
        b"5 5\r\n",
        b"5;\x00\r\n",
        b"f" * 300,
    ],
)
def test_a_chunk_that_is_written_in_another_way_is_refused(wire: bytes) -> None:
    with pytest.raises(BadRequest):
        Chunks(1000).take(bytearray(wire))


def test_a_body_over_the_limit_is_refused_before_it_comes() -> None:
    with pytest.raises(TooLarge):
        KnownLength(1001, 1000)
    with pytest.raises(TooLarge):
        Chunks(1000).take(bytearray(b"3e9\r\n"))
    with pytest.raises(TooLarge):
        Chunks(1000).take(bytearray(b"1f4\r\n" + b"x" * 500 + b"\r\n1f5\r\n"))
    with pytest.raises(TooLarge):
        Chunks(1000).take(bytearray(b"fffffffffff\r\n"))


def test_trailers_are_kept_for_whoever_checks_them() -> None:
    chunks, received = Chunks(10), bytearray(b"0\r\nContent-Length: 5\r\n\r\nGET")

    assert chunks.take(received)
    assert chunks.trailers == b"Content-Length: 5"
    assert bytes(received) == b"GET"
