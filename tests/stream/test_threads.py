"""The threads that take requests: what needs none of them, and who has left."""

import asyncio
import socket
import struct
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from flask import Flask, Response

from services.bootstrap import connect
from services.settings import Settings
from services.stream import server as servers
from services.stream.app import create_stream_app
from services.stream.server import Connection, StreamServer
from tests.stream.inside import met
from tests.stream.streams import SECRET
from tests.support.patience import WITHIN_S

LEAVING = {"closed": b"", "reset": struct.pack("ii", 1, 0)}
"""How a client can go, by how its socket lingers."""


class Busy:
    """A server whose one thread waits until it is let go, and one client of it."""

    def __init__(self, redis_url: str) -> None:
        services = connect(Settings(redis_url=redis_url, secret=SECRET))
        self.server = StreamServer(services)
        self.server.app = create_stream_app(services, lambda: False)
        self.server.readers = ThreadPoolExecutor(1)
        self.has_heard_all = False
        self._may_go_on = threading.Event()

    @asynccontextmanager
    async def asked(self, path: str) -> AsyncIterator["Busy"]:
        """Serve, and ask for something."""
        loop = asyncio.get_running_loop()
        self.server.readers.submit(self._may_go_on.wait, WITHIN_S)
        listening = await loop.create_server(lambda: Heard(self), "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        try:
            yield self
        finally:
            self._may_go_on.set()
            self.writer.transport.abort()
            await met(lambda: not self.server.connections)
            listening.close()
            self.server.readers.shutdown()

    async def go_on(self) -> None:
        """Let the thread go on, and wait until it has done all there is."""
        self._may_go_on.set()
        await asyncio.get_running_loop().run_in_executor(self.server.readers, bytes)

    async def answer(self) -> bytes:
        """Return the first line of the answer."""
        return await asyncio.wait_for(self.reader.readline(), 5)


class Heard(Connection):
    """A connection that tells when its client will say no more."""

    def __init__(self, busy: Busy) -> None:
        super().__init__(busy.server)
        self._busy = busy

    def eof_received(self) -> bool:
        self._busy.has_heard_all = True
        return super().eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._busy.has_heard_all = True
        super().connection_lost(error)


def test_a_process_whose_threads_all_wait_tells_that_it_lives(redis_url: str) -> None:
    """Else a log that hangs for long enough would be the end of all followers."""

    async def ask() -> bytes:
        async with Busy(redis_url).asked("/health/live") as busy:
            return await busy.answer()

    assert asyncio.run(ask()) == b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize("lingering", LEAVING.values(), ids=LEAVING)
def test_nothing_is_begun_for_who_has_left(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, lingering: bytes
) -> None:
    """Many who ask and leave while the log hangs hold up nobody when it is back."""
    monkeypatch.setattr(servers, "LEFT_S", 0)
    begun = []

    def dispatch(app: Flask, environ: dict[str, str]) -> Response:
        begun.append(environ["PATH_INFO"])
        return Response()

    async def ask_and_leave() -> None:
        async with Busy(redis_url).asked("/v1/stream") as busy:
            await met(lambda: busy.server.tasks)
            if lingering:
                client: socket.socket = busy.writer.get_extra_info("socket")
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingering)
            busy.writer.transport.abort()
            await met(lambda: busy.has_heard_all)
            await busy.go_on()

    monkeypatch.setattr(servers, "dispatch", dispatch)
    asyncio.run(ask_and_leave())

    assert begun == []


def test_who_only_ends_their_own_half_is_answered(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is so busy here that they wait for long."""
    monkeypatch.setattr(servers, "LEFT_S", WITHIN_S)

    async def ask() -> bytes:
        async with Busy(redis_url).asked("/v1/nothing") as busy:
            busy.writer.write_eof()
            await met(lambda: busy.has_heard_all)
            await busy.go_on()
            return await busy.answer()

    assert asyncio.run(ask()) == b"HTTP/1.1 404 Not Found\r\n"
