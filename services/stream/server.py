"""The process of the streams: a small HTTP server that writes one stream to many.

It answers one request on each connection. Flask takes the order, in a thread; from
there on everything is done by one event loop, which writes the same bytes to all.
"""

import asyncio
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog
from flask import Flask, Response
from werkzeug.middleware.proxy_fix import ProxyFix

from services import logs
from services.bootstrap import Services
from services.http.authentication import is_valid
from services.http.context import EXTENSION
from services.http.problems import answer_problem
from services.http.wire.answers import closing_head, refusal
from services.http.wire.framing import BadRequest, TooSlow, find_head
from services.http.wire.problems import wire_problem
from services.http.wire.request_id import choose_id, id_of
from services.languages import find_language
from services.limits.quotas import FOLLOWERS, QuotaExceeded
from services.metrics.figures import REFUSED
from services.stream.app import Following, Order, create_stream_app
from services.stream.follower import Follower
from services.stream.hub import Hub
from services.stream.reader import BellReader, FeedReader, NewsReader, Spread
from services.stream.requests import read_head
from services.stream.tails import AnalysisTail, FeedTail, MatchTail, Tail

THREADS = 8
BACKLOG = 4096
HEAD_WITHIN_S = 10.0
LINGER_S = 2.0
LEFT_S = 0.5
"""Of a request that has waited for so long it matters whether its client has gone."""
CLOSED_WITHIN_S = 0.5
MOST_UNREAD = 4096  # connections without a request; then the oldest has to go
# What may be under way to one reader, in the kernel and in this process.
KERNEL_BUFFER = 64 * 1024
OWN_BUFFER = 32 * 1024
SPARE_FILES = 128
LIVENESS = "/health/live"

log = structlog.get_logger()


class StreamServer:
    """Serves streams until it is told to stop."""

    def __init__(self, services: Services) -> None:
        """Use the services of this process."""
        self.services = services
        self.connections: set[Connection] = set()
        self.unread: dict[Connection, None] = {}
        self.refused = 0
        self.tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT.

        :raises OSError: the port cannot be used.
        """
        settings = self.services.settings
        loop = asyncio.get_running_loop()
        self.readers = ThreadPoolExecutor(THREADS, "reader")
        self.hub = Hub(
            self.readers,
            lambda token: is_valid(self.services, token),
            settings.heartbeat_s,
            _raise_file_limit() - SPARE_FILES,
        )
        self.app = create_stream_app(self.services, lambda: self.hub.is_full)
        server = await loop.create_server(
            lambda: Connection(self),
            settings.host,
            settings.stream_port,
            backlog=BACKLOG,
            reuse_address=True,
        )
        matches, tenants = self.hub.matches, self.hub.tenants

        def spread(tails: dict[str, Tail]) -> Spread:
            return lambda keys: loop.call_soon_threadsafe(self.hub.spread, tails, keys)

        log_, feed = self.services.event_log, self.services.tenant_feed
        FeedReader(log_, lambda: matches, spread(matches)).start()
        analyses = self.hub.analyses
        NewsReader(self.services.analyses, lambda: analyses, spread(analyses)).start()
        BellReader(feed, lambda: tenants, spread(tenants)).start()
        self.keep(self.hub.beat())
        self.keep(self.hub.check_keys())
        self.keep(self.hub.tell_counts(self.services.crowds.tell))
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopped.set)
        log.info("streams ready", port=settings.stream_port)
        await stopped.wait()
        server.close()
        await self._close()

    def tail(self, order: Order) -> Tail:
        """Return what is to be followed, made if nobody follows it yet."""
        services, hub = self.services, self.hub
        if order.analysis_id:
            found = AnalysisTail(services.analyses, order.analysis_id)
            return hub.analyses.setdefault(order.analysis_id, found)
        if not order.match_id:
            feed = FeedTail(services.tenant_feed, services.folds, order.tenant)
            return hub.tenants.setdefault(order.tenant, feed)
        match = MatchTail(services.event_log, order.match_id)
        return hub.matches.setdefault(order.match_id, match)

    def note_refusal(self, error: BadRequest, request_id: str) -> None:
        """Tell of one in the log, and of others of the same second by their number."""
        if not self.refused:
            log.warning("refused a request", reason=str(error), request=request_id)
            asyncio.get_running_loop().call_later(1, self._tell_refusals)
        self.refused += 1
        REFUSED.add(str(wire_problem(error).status))

    def _tell_refusals(self) -> None:
        if self.refused > 1:
            log.warning("refused more requests", count=self.refused - 1)
        self.refused = 0

    def keep(self, work: Any) -> None:
        """Run something beside everything else."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _close(self) -> None:
        self.hub.close()
        loop = asyncio.get_running_loop()
        until = loop.time() + CLOSED_WITHIN_S
        while self.connections and loop.time() < until:
            for connection in tuple(self.connections):
                if connection.is_idle:
                    connection.transport.close()
            await asyncio.sleep(0.01)
        for connection in tuple(self.connections):
            connection.transport.abort()


class Connection(asyncio.Protocol):
    """One request, and its answer or stream."""

    transport: asyncio.Transport

    def __init__(self, server: StreamServer) -> None:
        """Wait for the head of a request."""
        self._server = server
        self._received = bytearray()
        self._is_read = False
        self._has_said_all = False
        self._follower: Follower | None = None

    @property
    def is_idle(self) -> bool:
        """Tell whether no request has come."""
        return not self._is_read

    # -- what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101
        self.transport = transport
        transport.set_write_buffer_limits(high=OWN_BUFFER)
        connected = transport.get_extra_info("socket")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER)
        self._server.connections.add(self)
        self._server.unread[self] = None
        if len(self._server.unread) > MOST_UNREAD:
            next(iter(self._server.unread)).transport.abort()
        self._deadline = asyncio.get_running_loop().call_later(
            HEAD_WITHIN_S, self._end_late
        )

    def data_received(self, data: bytes) -> None:
        """Collect the head of the request; whatever follows it is ignored."""
        if self._is_read:
            return
        self._received += data
        try:
            head = find_head(self._received)
            if head is None:
                return
            peer = self.transport.get_extra_info("peername")
            environ = read_head(head, peer[0] if peer else "")
        except BadRequest as error:
            self._refuse(error)
            return
        self._begin()
        self._server.keep(self._answer(environ))

    def eof_received(self) -> bool:
        """Hear that nothing more comes; a whole request is answered all the same."""
        self._has_said_all = True
        return self._is_read and self._follower is None

    def pause_writing(self) -> None:
        """Hear that the reader does not keep up."""
        if self._follower is not None:
            self._follower.pause()

    def resume_writing(self) -> None:
        """Hear that the reader has read."""
        if self._follower is not None:
            self._follower.resume()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget a connection."""
        self._deadline.cancel()
        self._server.connections.discard(self)
        self._server.unread.pop(self, None)
        if self._follower is not None:
            self._server.hub.leave(self._follower)

    # -- answering

    def _end_late(self) -> None:
        if self._received:
            self._refuse(TooSlow(HEAD_WITHIN_S))
        else:
            self.transport.abort()

    def _refuse(self, error: BadRequest) -> None:
        request_id = choose_id()  # that of the client cannot be read
        self._server.note_refusal(error, request_id)
        self._begin()
        self.transport.write(refusal(error, request_id, find_language(None)))
        self.transport.write_eof()  # to close with something unread could take it back
        self._deadline = asyncio.get_running_loop().call_later(
            LINGER_S, self.transport.abort
        )

    def _begin(self) -> None:
        self._is_read = True
        self._deadline.cancel()
        self._server.unread.pop(self, None)

    async def _answer(self, environ: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        server = self._server
        logs.request_id.set(id_of(environ))  # of this task alone
        response: Response | None
        if asks_whether_alive(environ):  # the threads may all be waiting for the log
            response = dispatch(server.app, environ)
        else:
            response = await loop.run_in_executor(
                server.readers, self._dispatch, environ, time.monotonic()
            )
        if response is None:
            self.transport.close()
        if response is None or self.transport.is_closing():
            return
        if isinstance(response, Following) and environ["REQUEST_METHOD"] == "GET":
            await self._follow(response, environ)
        else:
            self._write(response, environ)

    def _dispatch(self, environ: dict[str, Any], asked_at: float) -> Response | None:
        """Let Flask answer, in a thread; None if nobody waits for it any more.

        Who only says that nothing more will come is answered, unless it is that busy.
        """
        waited_s = time.monotonic() - asked_at
        has_left = self._has_said_all and waited_s > LEFT_S
        if has_left or self.transport.is_closing():
            return None
        return dispatch(self._server.app, environ)

    async def _follow(self, response: Following, environ: dict[str, Any]) -> None:
        order, hub = response.order, self._server.hub
        used = hub.count(order.tenant) + order.elsewhere
        if order.limit is not None and used >= order.limit:
            self._write_problem(QuotaExceeded(FOLLOWERS, order.limit, used), environ)
            return
        follower = Follower(
            self.transport,
            self._server.tail(order),
            order.form,
            order.after,
            order.token,
            order.claim,
            order.tenant,
        )
        self._follower = follower
        hub.join(follower)
        headers = response.headers.to_wsgi_list()
        first = closing_head(response.status_code, headers) + order.first
        try:
            await hub.open(follower, first)
        except Exception as error:  # noqa: BLE001
            self._write_problem(error, environ)

    def _write_problem(self, error: Exception, environ: dict[str, Any]) -> None:
        app = self._server.app
        with app.request_context(environ):
            self._write(app.process_response(answer_problem(error)), environ)

    def _write(self, response: Response, environ: dict[str, Any]) -> None:
        """Write a whole answer, and close."""
        body = b"" if isinstance(response, Following) else response.get_data()
        if body:
            response.headers["Content-Length"] = str(len(body))
        headers = response.headers.to_wsgi_list()
        self.transport.write(closing_head(response.status_code, headers))
        if environ["REQUEST_METHOD"] != "HEAD":
            self.transport.write(body)
        self.transport.close()


def _no_app(*_: object) -> tuple[bytes, ...]:
    return ()


def _no_answer(*_: object) -> Callable[[bytes], object]:
    return bytes


def dispatch(app: Flask, environ: dict[str, Any]) -> Response:
    """Let Flask answer a request, or order a stream."""
    if hops := app.extensions[EXTENSION].settings.trusted_proxies:
        ProxyFix(_no_app, x_for=hops)(environ, _no_answer)  # writes the address into it
    with app.request_context(environ):
        return app.full_dispatch_request()


def asks_whether_alive(environ: Mapping[str, Any]) -> bool:
    """Tell whether a request is for what needs nothing but this process.

    Not that of a page: whether its origin is let in may have to be looked up.
    """
    is_read = environ["REQUEST_METHOD"] in ("GET", "HEAD")
    is_of_page = "HTTP_ORIGIN" in environ
    return environ["PATH_INFO"] == LIVENESS and is_read and not is_of_page


def serve(services: Services) -> None:
    """Serve streams until a signal comes.

    :raises OSError: the port cannot be used.
    """
    sys.setswitchinterval(0.001)  # whoever folds a match must not hold up the writing
    asyncio.run(StreamServer(services).run())
    # A thread may be waiting for the log; nothing it could bring is of use any more.
    sys.stderr.flush()
    os._exit(0)


def _raise_file_limit() -> int:
    """Let this process hold as many sockets as it may; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = max(soft, 65_536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard
