"""Sends one message to one URL: a POST to an address that was checked just before.

Every attempt looks the name up anew, refuses what is not public, and connects to the
very address that it has judged; the certificate must still be that of the name. No
redirect is followed, no proxy asked, little of an answer read, and all of it together
has one limit of time.
"""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Self

import httpx

from services.webhooks.addresses import (
    NotPublic,
    Target,
    UnusableUrl,
    check_public,
    parse_url,
)
from services.webhooks.delivery import Attempt
from services.webhooks.schedule import parse_retry_after

TOTAL_S = 15.0
CONNECT_S = 5.0
MOST_READ = 16_384
"""So many bytes of an answer are read, so that its connection can be used again."""
ADDRESSES_TRIED = 3
CONNECTIONS = 32

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
Check = Callable[[Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of an attempt, and how long the receiver asked to be left alone."""

    attempt: Attempt
    retry_after_ms: int | None = None


class Sender:
    """Sends messages for as long as its block lasts; connections are used again."""

    def __init__(
        self,
        now_ms: Callable[[], int],
        *,
        allow_private: bool = False,
        resolve: Resolve | None = None,
        check: Check = check_public,
    ) -> None:
        """Refuse addresses that *check* does, unless private ones are allowed."""
        self._now_ms = now_ms
        self._allow_private = allow_private
        self._resolve = resolve or look_up
        self._check = check
        self._client = httpx.AsyncClient(
            verify=_tls(),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(TOTAL_S, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=CONNECTIONS),
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        limit_s: float | None = None,
    ) -> Sent:
        """Make one attempt, and return what came of it, whatever that is."""
        limit_s = limit_s or TOTAL_S
        at_ms, began = self._now_ms(), time.monotonic()
        status, retry_after_ms, error = None, None, ""
        try:
            async with asyncio.timeout(limit_s):
                answer = await self._post(url, headers, body)
            status = answer.status_code
            error = _refusal(answer)
            if after := answer.headers.get("Retry-After"):
                retry_after_ms = parse_retry_after(after, self._now_ms())
        except TimeoutError:
            error = f"no answer within {limit_s:g} s"
        except (NotPublic, UnusableUrl) as refused:
            error = str(refused)
        except socket.gaierror as unknown:
            error = f"the name of the host leads nowhere: {unknown.strerror}"
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as broken:
            error = f"no answer: {str(broken) or type(broken).__name__}"[:300]
        took_ms = int((time.monotonic() - began) * 1_000)
        return Sent(Attempt(at_ms, took_ms, status, error), retry_after_ms)

    async def _post(
        self, url: str, headers: Mapping[str, str], body: bytes
    ) -> httpx.Response:
        target = parse_url(url, allow_private=self._allow_private)
        addresses = list(dict.fromkeys(await self._resolve(target.host, target.port)))
        if not self._allow_private:
            self._check(addresses)
        *others, last = addresses[:ADDRESSES_TRIED]
        for address in others:
            try:
                return await self._post_to(address, target, headers, body)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._post_to(last, target, headers, body)

    async def _post_to(
        self, address: str, target: Target, headers: Mapping[str, str], body: bytes
    ) -> httpx.Response:
        host = f"[{address}]" if ":" in address else address
        request = self._client.build_request(
            "POST",
            httpx.URL(f"{target.scheme}://{host}:{target.port}").copy_with(
                raw_path=target.path.encode()
            ),
            content=body,
            headers={"Host": target.authority, **headers},
            extensions={"sni_hostname": target.host},
        )
        answer = await self._client.send(request, stream=True)
        try:
            read = 0
            async for chunk in answer.aiter_raw():
                read += len(chunk)
                if read > MOST_READ:
                    break
        except httpx.HTTPError:  # it was answered: what follows the head is no matter
            pass
        finally:
            await answer.aclose()
        return answer


async def look_up(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name.

    In a thread that nobody waits for: where the servers of a name do not answer, the
    system goes on asking for half a minute, and a loop ends when its own threads have.
    """
    found: Future[list[Any]] = Future()
    found.set_running_or_notify_cancel()

    def look() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:  # noqa: BLE001
            found.set_exception(error)

    threading.Thread(target=look, daemon=True).start()
    return [str(place[0]) for *_, place in await asyncio.wrap_future(found)]


def _refusal(answer: httpx.Response) -> str:
    """Return in words why an answer is not one that takes a message."""
    if answer.is_success:
        return ""
    if answer.has_redirect_location:
        return f"answered {answer.status_code}: redirects are not followed"
    return f"answered {answer.status_code}"


@cache
def _tls() -> ssl.SSLContext:
    """Return what certificates are checked by; SSL_CERT_FILE may name others."""
    return httpx.create_ssl_context(trust_env=True)
