"""Follows a match or a feed: every entry once, in order, whatever is lost meanwhile.

The stream is followed while there is one. While it is away, the log is read by pages,
again and again, and the stream is tried from time to time.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from services.client.problems import FollowingEnded, Problem, Unreachable
from services.client.sending import (
    CONNECT_WITHIN_S,
    RETRIED,
    Answer,
    Sender,
    pause_before,
    problem_of,
)

NDJSON = "application/x-ndjson"
LONGEST_LINE = 16 * 1024 * 1024
LONGEST_POLL_S = 1.5
STREAM_AGAIN_S = 30.0
"""So long a stream that is away is left alone at most."""

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """Entries after a number, and whether these were the last that will ever be."""

    entries: Sequence[Entry]
    is_last: bool


@dataclass(frozen=True, slots=True)
class Followed:
    """What is followed: where its stream is, its pages, and the number of an entry."""

    stream_url: Callable[[], str]
    read: Callable[[int], Page]
    number: str


class _Away(Exception):
    """The stream cannot be followed now."""

    def __init__(self, why: str, retry_after_s: float = 0.0) -> None:
        super().__init__(why)
        self.retry_after_s = retry_after_s


class Follower:
    """One who follows, and the number of the last entry that was heard."""

    def __init__(
        self,
        sender: Sender,
        followed: Followed,
        after: int | None,
        *,
        silence_s: float,
        within_s: float | None = None,
    ) -> None:
        """Begin after a number; None: now. End with TimeoutError after *within_s*."""
        self._sender = sender
        self._followed = followed
        self._after = after
        self._silence_s = silence_s
        self._deadline = None if within_s is None else time.monotonic() + within_s

    def run(self) -> Iterator[Entry]:
        """Yield every entry as it comes, until the last.

        :raises Problem: it may not be followed, or not from there.
        :raises TimeoutError: there is a deadline, and it is past.
        """
        stream_failures, failures, stream_at = 0, 0, 0.0
        while True:
            self._check_deadline()
            if time.monotonic() >= stream_at:
                try:
                    for entry in self._stream():
                        stream_failures = failures = 0
                        yield entry
                except _Away as away:
                    stream_failures += 1
                    longest = min(2.0 ** (stream_failures - 2), STREAM_AGAIN_S)
                    wait_s = longest if stream_failures > 1 else 0.0
                    stream_at = time.monotonic() + max(wait_s, away.retry_after_s)
                else:
                    return
            if self._after is not None:
                try:
                    page = self._followed.read(self._after)
                except (Unreachable, Problem) as error:
                    if isinstance(error, Problem) and error.status not in RETRIED:
                        raise
                else:
                    if page.entries:
                        failures = 0
                    yield from filter(self._is_next, page.entries)
                    if page.is_last:
                        return
            failures += 1
            pause_s = pause_before(failures + 1, None) or 0.0
            time.sleep(min(pause_s, LONGEST_POLL_S))

    def _stream(self) -> Iterator[Entry]:
        """Yield what the stream tells; it returns when everything was told.

        :raises _Away: it is not there, not any more, or silent for too long.
        """
        for frame in self._frames():
            kind = frame.get("type")
            if kind == "end":
                return
            if kind == "snapshot":
                self._after = int(frame[self._followed.number])
            elif kind == "failed":
                raise FollowingEnded(str(frame.get("detail")))
            elif self._followed.number in frame and self._is_next(frame):
                yield frame

    def _frames(self) -> Iterator[Entry]:
        headers = self._sender.headers_of(None, {"Accept": NDJSON}, None)
        if self._after is not None:
            headers["Last-Event-ID"] = str(self._after)
        try:
            url = self._followed.stream_url()
            with self._sender.http.stream(
                "GET", url, headers=headers, timeout=self._timeout()
            ) as response:
                if response.status_code == 204:  # its end was seen already
                    yield {"type": "end"}
                    return
                if response.status_code != 200:
                    said = (response.status_code, response.headers, response.read())
                    raise problem_of(Answer(*said))
                yield from self._lines(response)
        except Problem as refused:
            # Where pages can be read, they tell what is refused for good.
            if self._after is None and refused.status not in RETRIED:
                raise
            raise _Away(str(refused), refused.retry_after_s or 0.0) from refused
        except (httpx.TransportError, httpx.DecodingError, ValueError) as error:
            raise _Away(str(error)) from error
        except Unreachable as error:
            raise _Away(str(error)) from error
        raise _Away("the stream has ended")

    def _lines(self, response: httpx.Response) -> Iterator[Entry]:
        """Yield whole lines alone: the last one may be half of one."""
        rest = b""
        for chunk in response.iter_bytes():
            self._check_deadline()
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)
            if len(rest) > LONGEST_LINE:
                raise ValueError("a line of the stream is too long")

    def _is_next(self, entry: Entry) -> bool:
        """Tell whether an entry was not told yet, and note that it is."""
        number = int(entry[self._followed.number])
        if self._after is not None and number <= self._after:
            return False
        self._after = number
        return True

    def _timeout(self) -> httpx.Timeout:
        """Return how long the stream may be silent."""
        left_s = self._silence_s
        if self._deadline is not None:
            left_s = max(min(left_s, self._deadline - time.monotonic()), 0.001)
        return httpx.Timeout(left_s, connect=min(CONNECT_WITHIN_S, left_s))

    def _check_deadline(self) -> None:
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise TimeoutError("what was waited for did not happen in time")
