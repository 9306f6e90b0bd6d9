"""Requests that are nearly right, made from right ones by chance."""

import random
from collections.abc import Callable

SEPARATORS = [
    b"\r\n",
    b"\n",
    b"\r",
    b" ",
    b":",
    b"\0",
    b"\x85",
    b"%00",
    b"%0d%0a",
    b"//",
]
HEADERS = [
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked",
    b"Transfer-Encoding:\tchunked",
    b"Content-Length: 5",
    b"Content-Length: -1",
    b"Content-Length: +5",
    b"Content-Length: 5, 5",
    b"Content-Length: 99999999999999999999",
    b"Content-Length: 0x5",
    b"Content-Encoding: gzip",
    b"Expect: 100-continue",
    b"Expect: x",
    b"Host: other",
    b"Host: a@b",
    b"Connection: close",
    b"Connection: upgrade",
    b"Upgrade: h2c",
    b"If-Match: *",
    b'If-Match: "1", "2"',
    b'If-Match: W/"1"',
    b"If-None-Match: *",
    b"Range: bytes=0-1",
    b"Idempotency-Key: \xff",
    b"Idempotency-Key: " + b"k" * 300,
    b"Authorization: Basic eDp5",
    b"Authorization: Bearer",
    b"Authorization: Bearer \xff\xfe",
    b"Accept: */*;q=x",
    b"Accept-Language: \xff, *;q=9",
    b"Cookie: a=b",
    b"X-Forwarded-For: 1.2.3.4",
    b"Last-Event-ID: -1",
    b"Content-Type: application/json; charset=utf-16",
    b"Content-Type: multipart/form-data; boundary=x",
    b"A: " + b"x" * 9000,
    b" folded: x",
    b"no colon",
    b": empty",
]
BODIES = [
    b"{}",
    b"[]",
    b"null",
    b'{"game": "kalah"}',
    b'{"game": "kalah", "game": "oware"}',
    b'{"game": "kalah", "level": 1e400}',
    b'{"game": "kalah", "level": ' + b"9" * 400 + b"}",
    b'{"game": "\\ud800", "level": 1}',
    b'{"game": "\xff", "level": 1}',
    b'{"move": "A", "expected_version": 3}',
    b"[" * 3000,
    b'{"a":' * 2000,
    b"\xef\xbb\xbf{}",
    b"\0" * 100,
]
CHUNKED = [
    b"zz\r\n",
    b"-10\r\n",
    b"+10\r\n",
    b"0x10\r\n",
    b"1_0\r\n",
    b"5\r\nhelloX\r\n0\r\n\r\n",
    b"0\r\nContent-Length: 9\r\n\r\n",
    b"0\r\nX\r\n\r\n",
    b"ffffffffffffffff\r\n",
    b"2\r\n{}\r\n0\r\n\r\n",
    b"1\r\n{\r\n1;x=y\r\n}\r\n0\r\nA: b\r\n\r\n",
    b"2\n{}\n0\n\n",
]
METHODS = [
    b"GET",
    b"POST",
    b"DELETE",
    b"HEAD",
    b"OPTIONS",
    b"PUT",
    b"TRACE",
    b"CONNECT",
]
METHODS += [b"get", b"G\0T", b"PATCH", b"X" * 30]
VERSIONS = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/1.10", b"http/1.1", b""]


def request(chance: random.Random, paths: list[bytes], tokens: list[bytes]) -> bytes:
    """Return the bytes of one request, right in most of its parts."""
    method = pick(chance, METHODS, usual=6)
    path = chance.choice(paths)
    if chance.random() < 0.3:
        path = mutate(chance, path)
    if chance.random() < 0.2:
        path += b"?" + mutate(chance, b"after=1&limit=2&cursor=x&version=1&player=a")
    headers = [b"Host: 127.0.0.1"]
    if chance.random() < 0.8:
        headers.append(b"Authorization: Bearer " + chance.choice(tokens))
    headers += chance.sample(HEADERS, chance.choice([0, 0, 0, 1, 1, 2]))
    body = b""
    if method in (b"POST", b"PUT", b"PATCH") or chance.random() < 0.1:
        headers.append(b"Content-Type: application/json")
        if chance.random() < 0.3:
            headers.append(b"Transfer-Encoding: chunked")
            body = chance.choice(CHUNKED)
        else:
            body = chance.choice(BODIES)
            headers.append(b"Content-Length: %d" % len(body))
    chance.shuffle(headers)
    line = b" ".join([method, path, pick(chance, VERSIONS, usual=9)])
    whole = b"\r\n".join([line, *headers, b"", b""]) + body
    return mutate(chance, whole) if chance.random() < 0.25 else whole


def pick(chance: random.Random, choices: list[bytes], usual: int) -> bytes:
    """Return one of the first two mostly, any now and then."""
    return chance.choice(choices if chance.randrange(usual) == 0 else choices[:2])


def mutate(chance: random.Random, data: bytes) -> bytes:
    """Return bytes that were changed in one place."""
    at = chance.randrange(len(data) + 1)
    ways: list[Callable[[], bytes]] = [
        lambda: data[:at] + bytes([chance.randrange(256)]) + data[at:],
        lambda: data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :],
        lambda: data[:at] + chance.choice(SEPARATORS) + data[at:],
        lambda: data[:at] + data[at + chance.randrange(1, 20) :],
        lambda: data[:at] + data[at : at + 10] * 3 + data[at:],
        lambda: data[:at],
    ]
    return chance.choice(ways)()
