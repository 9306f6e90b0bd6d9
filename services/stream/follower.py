"""One open stream: it writes what comes next, as fast as its reader takes it.

Nothing is queued for a reader but what the tail keeps for all. A reader who falls
behind that is told to come back, and resumes from the log.
"""

import asyncio
import time
from collections.abc import Callable

from services.match.seat_tokens import SeatClaim
from services.stream.frames import END, Form
from services.stream.tails import Chunk, Tail

STALLED_S = 60.0
READ_WITHIN_S = 10.0  # the last words


class Follower:
    """Whoever reads one stream, and how far it was written for them."""

    def __init__(
        self,
        transport: asyncio.Transport,
        tail: Tail,
        form: Form,
        number: int,
        token: str = "",
        claim: SeatClaim | None = None,
        tenant: str = "",
    ) -> None:
        """Begin after a number; nothing is written before `start`."""
        self.transport = transport
        self.descriptor: int = transport.get_extra_info("socket").fileno()
        self.tail = tail
        self.form = form
        self.number = number
        self.token = token
        self.claim = claim
        self.tenant = tenant
        self.is_started = False
        self.is_ended = False
        self._is_live = False
        self._is_reading = False
        self._paused_at: float | None = None

    def start(self, first: bytes, read: Callable[["Follower"], None]) -> None:
        """Write the first bytes, and go on; *read* gets older frames from the log."""
        self._read = read
        self.is_started = True
        self.transport.write(first)
        self.pump()

    def pump(self) -> None:
        """Write what comes next, until the reader or the stream is at its end."""
        if not self.is_started or self.is_ended or self._is_reading:
            return
        if self.claim is not None and not self.tail.allows(self.claim):
            self.end("revoked")
            return
        if self._paused_at is not None:
            if self._is_live and self.tail.recent(self.number, self.form) is None:
                self.end("dropped")
            return
        chunk = self.tail.recent(self.number, self.form)
        if chunk is None and self.tail.has_vanished:
            self.end("gone")  # there is nothing older to be read either
            return
        if chunk is None:
            self._is_reading = True
            self._read(self)
            return
        if chunk.data:
            self.number = chunk.number
            self.transport.write(chunk.data)
        if self._paused_at is None:
            self._is_live = True
            if self.tail.has_failed:
                self.end("failed")
            elif self.tail.has_vanished:
                self.end("gone")
            elif self.tail.is_over and self.number >= self.tail.number:
                self.end(END)

    @property
    def keeps_up(self) -> bool:
        """Tell whether what is new can go into its socket at once, past `pump`."""
        return (
            self._is_live
            and self._paused_at is None
            and not self.is_ended
            and not self._is_reading
            and not self.transport.get_write_buffer_size()
            and (self.claim is None or self.tail.allows(self.claim))
        )

    def was_sent(self, chunk: Chunk, size: int) -> None:
        """Go on behind a chunk of which its socket has taken so many bytes."""
        self.number = chunk.number
        if size < len(chunk.data):
            self.transport.write(chunk.data[size:])

    def take_in(self, chunk: Chunk) -> None:
        """Write frames that were read from the log."""
        self._is_reading = False
        if self.is_ended:
            return
        self.number = chunk.number
        self.transport.write(chunk.data)
        self.pump()

    def pause(self) -> None:
        """Wait: the reader has enough to read."""
        self._paused_at = time.monotonic()

    def resume(self) -> None:
        """Go on: the reader has read."""
        self._paused_at = None
        self.pump()

    def beat(self) -> None:
        """Say that the stream is alive; end it if nobody reads it."""
        if self.is_ended or not self.is_started:
            return
        if self._paused_at is None:
            self.transport.write(self.form.heartbeat)
        elif time.monotonic() - self._paused_at > STALLED_S:
            self.end("dropped")

    def end(self, kind: str) -> None:
        """Say why the stream ends, and close it once that is read."""
        if self.is_ended:
            return
        self.is_ended = True
        if self.is_started:
            self.transport.write(self.form.last_words(kind, self.number))
        self.transport.close()
        asyncio.get_running_loop().call_later(READ_WITHIN_S, self.transport.abort)
