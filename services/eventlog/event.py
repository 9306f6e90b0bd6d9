"""An event as the log keeps it, and the hash chain that binds a stream together.

The contract is the canonical text (RFC 8785) of an event, for example::

    {"at":"2026-11-21T10:00:00.000Z","by":"seat","data":{...},"type":"...","version":5}

The chain is ``hash(v) = sha256(hash(v - 1) + text(v))`` over the lower-case hexadecimal
text of the previous hash and the UTF-8 canonical text; ``hash(0)`` is the genesis of
the stream. How an adapter stores an event is its own affair.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import orjson

GENESIS_PREFIX = "seedlog/1 "

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact that has no version yet: its type, its author and its data."""

    type: str
    by: str
    data: Json


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A fact at its version. ``at_ms`` is in milliseconds since 1970, UTC."""

    version: int
    type: str
    at_ms: int
    by: str
    data_text: str

    @property
    def data(self) -> dict[str, Any]:
        """Return the data as a new dictionary."""
        data: dict[str, Any] = orjson.loads(self.data_text)
        return data

    @property
    def at(self) -> str:
        """Return the time as RFC 3339 text in UTC with milliseconds."""
        return format_time(self.at_ms)

    @property
    def text(self) -> str:
        """Return the canonical text, which is what the hash chain covers."""
        return (
            f'{{"at":"{self.at}","by":{_quoted(self.by)},'
            f'"data":{self.data_text},"type":{_quoted(self.type)},'
            f'"version":{self.version}}}'
        )


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a stream: how many events it has, and the hash over all of them."""

    version: int
    hash: str


def canonical_text(value: object) -> str:
    """Return the RFC 8785 text of a value made of text, whole numbers and containers.

    :raises TypeError: for a fraction: its text differs between languages.
    """
    _refuse_fractions(value)
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


@lru_cache(maxsize=1024)
def _quoted(word: str) -> str:
    """Return the text of what stands in many events: a type, an author."""
    return canonical_text(word)


def read_canonical(text: str) -> Any:
    """Return the value of a canonical text.

    :raises ValueError: it is no JSON of that kind, or is written in another way.
    """
    try:
        value = orjson.loads(text)
        canonical = canonical_text(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"it is not JSON of text and whole numbers: {error}"
        ) from error
    if canonical != text:
        raise ValueError("it is not in the canonical form of RFC 8785")
    return value


def _refuse_fractions(value: object) -> None:
    if isinstance(value, float):
        raise TypeError(f"an event holds whole numbers and text, not {value!r}")
    if isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            if type(item) not in _FLAT:
                _refuse_fractions(item)


_FLAT = frozenset((str, int, bool, type(None)))


def genesis(stream: str) -> str:
    """Return the hash before the first event of a stream."""
    return hashlib.sha256((GENESIS_PREFIX + stream).encode()).hexdigest()


def chain(previous: str, text: str) -> str:
    """Return the hash after one more event."""
    return hashlib.sha256((previous + text).encode()).hexdigest()


def chain_all(previous: str, events: Iterable[StoredEvent]) -> str:
    """Return the hash after several more events."""
    for event in events:
        previous = chain(previous, event.text)
    return previous


def with_versions(
    events: Iterable[NewEvent], after: int, at_ms: int
) -> list[StoredEvent]:
    """Give new events their versions, from ``after + 1``, and one time."""
    return [
        StoredEvent(version, event.type, at_ms, event.by, canonical_text(event.data))
        for version, event in enumerate(events, start=after + 1)
    ]


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1024)
def format_time(at_ms: int) -> str:
    """Return milliseconds since 1970 as ``2026-11-21T10:00:00.000Z``."""
    second, ms = divmod(at_ms, 1000)
    return f"{_format_second(second)}.{ms:03}Z"


@lru_cache(maxsize=1024)
def _format_second(second: int) -> str:
    return (EPOCH + timedelta(seconds=second)).replace(tzinfo=None).isoformat()
