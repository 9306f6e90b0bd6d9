"""Sends a request until it is answered: whatever writes has a key, made once.

A lost connection, a late answer, 429, 502, 503 and 504 are tried again, with the same
key, so that what was done meanwhile is not done again. Other answers are final.
"""

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx

from services.client.problems import Problem, Unreachable

RETRIED = frozenset({429, 502, 503, 504})
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 8.0
LONGEST_RETRY_AFTER_S = 30.0
"""Whoever is told to come back later than this is told so, and does not wait."""
LONGEST_RETRY_FOR_S = 3000.0
"""The server remembers a key for an hour; a retry after that could be a second move."""
CONNECT_WITHIN_S = 5.0

Body = Mapping[str, Any] | bytes | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def is_json(self) -> bool:
        """Tell whether the body is one JSON value."""
        told: str = self.headers.get("Content-Type", "")
        media_type = told.partition(";")[0].strip()
        return media_type == "application/json" or media_type.endswith("+json")

    def json(self) -> Any:
        """Return what the body says; None if there is none."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait: for one answer, and for an answer at all."""

    answer_within_s: float = 15.0
    retry_for_s: float = 60.0

    def __post_init__(self) -> None:
        """Refuse what the server's memory does not reach.

        :raises ValueError: retries could go on for longer than a key is known.
        """
        if not 0 <= self.retry_for_s <= LONGEST_RETRY_FOR_S:
            raise ValueError(f"retry_for_s has to be 0 to {LONGEST_RETRY_FOR_S:.0f}")
        if self.answer_within_s <= 0:
            raise ValueError("answer_within_s has to be more than 0")


class _Lost(Exception):
    """One attempt was not answered."""


class Sender:
    """Speaks with one server as the holder of one token."""

    def __init__(
        self, url: str, token: str, patience: Patience, http: httpx.Client
    ) -> None:
        """Send by *http*, whose connections others may share."""
        self.url = url.rstrip("/")
        self.token = token
        self.patience = patience
        self.http = http

    def send(
        self,
        method: str,
        path: str,
        body: Body = None,
        *,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        wait_s: float = 0.0,
        retry_for_s: float | None = None,
    ) -> Answer:
        """Send until it is answered; *wait_s* is what the server was asked to wait.

        :raises Problem: it was refused.
        :raises Unreachable: no answer came for as long as our patience lasts.
        """
        key = idempotency_key
        if method == "POST" and key is None:
            key = secrets.token_hex(16)
        sent = self.headers_of(body, headers or {}, key)
        patience_s = self.patience.retry_for_s if retry_for_s is None else retry_for_s
        deadline = time.monotonic() + patience_s
        was_lost = False
        for attempt in count(1):
            retry_after_s = None
            error: Problem | Unreachable
            try:
                answer = self._send_once(method, path, body, sent, wait_s)
            except _Lost as lost:
                was_lost = True
                error = Unreachable(f"{method} {path}: {lost}", key or "")
                error.__cause__ = lost.__cause__
            else:
                if answer.status < 300:
                    return answer
                error = problem_of(answer)
                if method == "DELETE" and was_lost and answer.status == 404:
                    # the attempt whose answer was lost has deleted it
                    return Answer(204, answer.headers, b"")
                if answer.status not in RETRIED:
                    raise error
                retry_after_s = error.retry_after_s
                was_lost |= answer.status != 429  # it may have been carried out
            pause_s = pause_before(attempt + 1, retry_after_s)
            if pause_s is None or time.monotonic() + pause_s > deadline:
                raise error
            time.sleep(pause_s)
        raise AssertionError("there is always another attempt")

    def headers_of(
        self, body: Body, headers: Mapping[str, str], key: str | None
    ) -> dict[str, str]:
        """Return all headers of a request."""
        sent = {"Accept": "application/json", "User-Agent": "seedlog-python"}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if isinstance(body, Mapping):
            sent["Content-Type"] = "application/json"
        if key is not None:
            sent["Idempotency-Key"] = key
        return sent | dict(headers)

    def _send_once(
        self,
        method: str,
        path: str,
        body: Body,
        headers: Mapping[str, str],
        wait_s: float,
    ) -> Answer:
        """Send once, and read the whole answer within its time.

        :raises _Lost: nothing, or no whole answer came.
        """
        within_s = self.patience.answer_within_s + wait_s
        deadline = time.monotonic() + within_s
        content = json.dumps(body).encode() if isinstance(body, Mapping) else body
        timeout = httpx.Timeout(within_s, connect=min(CONNECT_WITHIN_S, within_s))
        try:
            with self.http.stream(
                method,
                self.url + path,
                content=content,
                headers=dict(headers),
                timeout=timeout,
            ) as response:
                chunks = []
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    if time.monotonic() > deadline:
                        raise _Lost(f"no whole answer within {within_s:.0f} s")
                answer = Answer(
                    response.status_code, response.headers, b"".join(chunks)
                )
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
            raise  # our own mistake: it would be one again
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _Lost(f"{type(error).__name__} {error}") from error
        if answer.status < 300 and answer.is_json:
            try:
                answer.json()
            except ValueError as error:
                raise _Lost("the answer is not whole") from error
        return answer


def problem_of(answer: Answer) -> Problem:
    """Return what an answer that is none says, whoever gave it."""
    try:
        facts = json.loads(answer.body)
    except ValueError:
        facts = None
    if not isinstance(facts, dict):
        facts = {"detail": answer.body[:200].decode("utf-8", "replace")}
    retry_after = answer.headers.get("Retry-After", "")
    is_number = retry_after.isascii() and retry_after.isdigit()
    return Problem(answer.status, facts, float(retry_after) if is_number else None)


def pause_before(attempt: int, retry_after_s: float | None) -> float | None:
    """Return how long to wait before an attempt, 2 or later; None: too long.

    By chance a little longer or shorter, so that those who lost the same server do not
    all come back at once.
    """
    chance = secrets.randbelow(1000) / 1000
    if retry_after_s is not None:
        if retry_after_s > LONGEST_RETRY_AFTER_S:
            return None
        return retry_after_s + chance * max(0.25 * retry_after_s, FIRST_PAUSE_S)
    longest = min(FIRST_PAUSE_S * 2.0 ** min(attempt - 2, 10), LONGEST_PAUSE_S)
    return longest * (0.5 + chance / 2)
