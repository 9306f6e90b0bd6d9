"""Where a request begins and ends on the wire: pure, fed with whatever has come.

It only finds the ends. What a head says is read by gunicorn's own strict parser (API)
or by `services.stream.requests` (streams).
"""

import re

from services.languages import Explained, Message

MAX_REQUEST_LINE = 8190
MAX_HEAD = 32 * 1024
MAX_SIZE_LINE = 256
MAX_TRAILERS = 8 * 1024

# RFC 9112, section 7.1: a size, then extensions, which mean nothing here.
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?")

_ABSOLUTE = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)


class BadRequest(Explained):
    """What came is not an HTTP request as it should be; says what would be."""


class TargetTooLong(BadRequest):
    """The request line is longer than is read here."""

    def __init__(self) -> None:
        """Say how long it may be."""
        super().__init__(
            Message("the request line may have {most} bytes", most=MAX_REQUEST_LINE)
        )


class HeadTooLarge(BadRequest):
    """The head of the request is larger than is read here."""

    def __init__(self, largest: int = MAX_HEAD) -> None:
        """Say how large it may be."""
        super().__init__(
            Message(
                "request line and headers may have {most} bytes together", most=largest
            )
        )


class UnsupportedCoding(BadRequest):
    """The body travels in a transfer coding that is not read here."""

    def __init__(self) -> None:
        """Say which one is."""
        super().__init__(
            Message("the only transfer coding that is read here is chunked")
        )


class ExpectationFailed(BadRequest):
    """The client expects something else than to be told to go on."""

    def __init__(self) -> None:
        """Say what may be expected."""
        super().__init__(
            Message("the only expectation that is met here is 100-continue")
        )


class TooLarge(BadRequest):
    """The body is larger than is read at that path."""

    def __init__(self, limit: int) -> None:
        """Keep the limit, in bytes."""
        super().__init__(Message("the body may have {most} bytes here", most=limit))
        self.limit = limit


class TooBusy(BadRequest):
    """More requests wait to be answered than there is room for."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__(
            Message("more requests wait than there is room for; try again later")
        )


class TooSlow(BadRequest):
    """The request did not come whole in the time it has."""

    def __init__(self, within_s: float) -> None:
        """Say how long it may take."""
        super().__init__(
            Message("a request has to arrive within {limit} s", limit=round(within_s))
        )


def find_head(received: bytearray, largest: int = MAX_HEAD) -> bytes | None:
    """Take the head of a request, with its empty line, from what was received.

    None: it has not come whole. Empty lines before it are passed over.

    :raises TargetTooLong, HeadTooLarge, BadRequest: it will never be one.
    """
    while received.startswith(b"\r\n"):
        del received[:2]
    end = received.find(b"\r\n\r\n")
    if end < 0:
        line_end = received.find(b"\n")
        if line_end < 0 and len(received) > MAX_REQUEST_LINE:
            raise TargetTooLong
        if len(received) > largest:
            raise HeadTooLarge(largest)
        if b"\n\n" in received:
            raise BadRequest(Message("a line of the head has to end with CR and LF"))
        return None
    if received.find(b"\n") > MAX_REQUEST_LINE:
        raise TargetTooLong
    if end > largest:
        raise HeadTooLarge(largest)
    head = bytes(received[: end + 4])
    del received[: end + 4]
    return head


def split_target(target: str) -> tuple[str | None, str]:
    """Return the host that a target names, if any, and the rest of it.

    An absolute target is sent to proxies, and has to be taken by servers too; its host
    counts, and not that of the Host header (RFC 9112, section 3.2.2).
    """
    absolute = _ABSOLUTE.match(target)
    if absolute is None:
        return None, target
    rest = target[absolute.end() :]
    return absolute[1], rest if rest.startswith("/") else f"/{rest}"


class KnownLength:
    """A body that says in its head how long it is."""

    trailers = b""

    def __init__(self, length: int, limit: int) -> None:
        """Wait for *length* bytes.

        :raises TooLarge: they would be more than *limit*.
        """
        if length > limit:
            raise TooLarge(limit)
        self.length = length
        self.body = bytearray()

    def take(self, received: bytearray) -> bool:
        """Take what belongs to the body; tell whether it is whole."""
        missing = self.length - len(self.body)
        self.body += received[:missing]
        del received[:missing]
        return len(self.body) == self.length


class Chunks:
    """A body that comes in chunks (RFC 9112, section 7.1), put together again."""

    def __init__(self, limit: int) -> None:
        """Wait for the last chunk; all together may have *limit* bytes."""
        self.limit = limit
        self.body = bytearray()
        self.trailers = b""
        self._missing = 0  # of the chunk at hand, with the line end after it
        self._is_last = False

    def take(self, received: bytearray) -> bool:
        """Take what belongs to the body; tell whether it is whole.

        :raises BadRequest: a chunk is not written as it should be.
        :raises TooLarge: as soon as a chunk says so.
        """
        while not self._is_last:
            if self._missing:
                if not self._take_data(received):
                    return False
            elif not self._take_size(received):
                return False
        return self._take_trailers(received)

    def _take_size(self, received: bytearray) -> bool:
        end = received.find(b"\r\n", 0, MAX_SIZE_LINE)
        if end < 0:
            if len(received) >= MAX_SIZE_LINE or b"\n" in received:
                raise BadRequest(Message("the size of a chunk ends with CR and LF"))
            return False
        line = _SIZE.fullmatch(received[:end])
        if line is None:
            raise BadRequest(Message("the size of a chunk is a hexadecimal number"))
        size = int(line[1], 16)
        if len(self.body) + size > self.limit:
            raise TooLarge(self.limit)
        del received[: end + 2]
        self._missing = size + 2 if size else 0
        self._is_last = not size
        return True

    def _take_data(self, received: bytearray) -> bool:
        data = min(len(received), self._missing - 2)
        if data > 0:
            self.body += received[:data]
            del received[:data]
            self._missing -= data
        if self._missing > 2 or len(received) < 2:
            return False
        if received[:2] != b"\r\n":
            raise BadRequest(Message("the data of a chunk ends with CR and LF"))
        del received[:2]
        self._missing = 0
        return True

    def _take_trailers(self, received: bytearray) -> bool:
        if received.startswith(b"\r\n"):
            del received[:2]
            return True
        end = received.find(b"\r\n\r\n")
        if end < 0:
            if len(received) > MAX_TRAILERS:
                raise HeadTooLarge(MAX_TRAILERS)
            return False
        self.trailers = bytes(received[:end])
        del received[: end + 4]
        return True
