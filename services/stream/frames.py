"""How a stream looks: a frame for each event, and a few that tell of the stream itself.

A frame is one object in two forms. As server-sent events it has an id (the number to
resume from: the version of a match, the seq of a feed) and a name; as NDJSON it is the
same object on one line. It is an event, in a feed with `seq` and `match` besides, or
has one of these types::

    snapshot    the first frame: where the stream begins
    heartbeat   nothing has happened; the stream is alive
    end         the match, or analysis, is over, and everything was told
    dropped     the reader was too slow; for shutdown, revoked, gone and failed see
                `LAST_WORDS`
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

SNAPSHOT, END = "snapshot", "end"
LAST_WORDS = {
    "end": "it is over; this was everything",
    "dropped": "you read too slowly; reconnect with Last-Event-ID, nothing is lost",
    "shutdown": "the server goes away; reconnect with Last-Event-ID, nothing is lost",
    "revoked": "your token is not valid any more",
    "gone": "it is no more: matches of a sandbox, and analyses, are kept for a day",
    "failed": "log and rules disagree about this match; it cannot be followed further",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """What one event looks like to everybody who follows: its number, type and text."""

    number: int
    type: str
    text: bytes


def frame_of(number: int, shown: dict[str, Any]) -> Frame:
    """Return the frame of an object that has a type."""
    return Frame(number, shown["type"], orjson.dumps(shown))


class Form(Protocol):
    """One of the forms a stream is asked for in."""

    media_type: str
    heartbeat: bytes

    def encode(self, frames: Sequence[Frame]) -> bytes:
        """Return frames that can be resumed from."""

    def begin(self, retry_ms: int) -> bytes:
        """Return what stands before the first frame."""

    def last_words(self, kind: str, number: int) -> bytes:
        """Return the frame that says why the stream ends."""


class ServerSentEvents:
    """The form of `EventSource`: id, event, data."""

    media_type = "text/event-stream"
    heartbeat = b": heartbeat\n\n"

    def encode(self, frames: Sequence[Frame]) -> bytes:
        """Return frames that can be resumed from."""
        return b"".join(
            b"id: %d\nevent: %b\ndata: %b\n\n"
            % (frame.number, frame.type.encode(), frame.text)
            for frame in frames
        )

    def begin(self, retry_ms: int) -> bytes:
        """Say how long to wait before reconnecting."""
        return b"retry: %d\n\n" % retry_ms

    def last_words(self, kind: str, number: int) -> bytes:
        """Return a frame without id: the last event stays the one to resume from."""
        return b"event: %b\ndata: %b\n\n" % (kind.encode(), _farewell(kind, number))


class JsonLines:
    """The form for programs: one object on each line."""

    media_type = "application/x-ndjson"
    heartbeat = b'{"type":"heartbeat"}\n'

    def encode(self, frames: Sequence[Frame]) -> bytes:
        """Return frames that can be resumed from."""
        return b"".join(frame.text + b"\n" for frame in frames)

    def begin(self, retry_ms: int) -> bytes:
        """Say nothing: lines have no place for it."""
        return b""

    def last_words(self, kind: str, number: int) -> bytes:
        """Return the last line."""
        return _farewell(kind, number) + b"\n"


FORMS: dict[str, Form] = {
    form.media_type: form for form in (ServerSentEvents(), JsonLines())
}


def _farewell(kind: str, number: int) -> bytes:
    return orjson.dumps({"type": kind, "last": number, "detail": LAST_WORDS[kind]})
