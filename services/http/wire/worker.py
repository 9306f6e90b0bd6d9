"""The gunicorn worker of the API: waiting for a client never costs a thread.

One loop reads heads and bodies as they come, each with a deadline in total, and hands
whole requests to the threads. What a client does not take of its answer is written by
the loop, too. So a thread only ever computes, and thousands of clients that send or
read slowly, or not at all, hold up nobody.
"""

import contextlib
import io
import math
import os
import select
import socket
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, ClassVar

from gunicorn.http import errors, wsgi
from gunicorn.http.body import ChunkedReader
from gunicorn.http.parser import RequestParser
from gunicorn.workers import base

from services.http.wire import answers, framing
from services.http.wire.connections import NOTHING, Connection, Connections, State
from services.http.wire.later import LATER, Later
from services.http.wire.limits import BEHIND_PROXY, BODY_LIMITS, ORIGIN_HEADERS
from services.http.wire.outgoing import Outgoing
from services.http.wire.parsing import as_refusal, check_coding
from services.http.wire.problems import wire_problem
from services.http.wire.request_id import KEPT, choose_id, id_of
from services.http.wire.threads import HELD_UP_S, Threads
from services.http.wire.times import WHOLE_AT
from services.languages import Message, find_language
from services.metrics.figures import REFUSED

DEFAULT_BODY_LIMIT = 64 * 1024
STOPPING_IDLE_S = 0.5
RECEIVE = 64 * 1024
KERNEL_BUFFER = 64 * 1024  # on its way to one client; with half of it, answers stall
ACCEPT_AT_ONCE = 64
SAID_ONCE = ("AUTHORIZATION", "IDEMPOTENCY-KEY", "IF-MATCH")


class Worker(base.Worker):  # type: ignore[misc]
    """Serves a WSGI app: one loop for the clients, some threads for the app.

    ``within_s``: how long a client may take for each thing, in total. ``hung_s``: no
    request takes so long; if all threads are in one, this process is started again.
    ``left_s``: of a request that has waited for so long it is asked whether anybody
    still waits for the answer.
    """

    within_s: ClassVar[Mapping[State, float]] = {
        State.HEAD: 10.0,
        State.BODY: 30.0,
        State.IDLE: 75.0,
        State.WRITING: 30.0,
        State.LINGERING: 2.0,
    }
    hung_s: ClassVar[float] = 60.0
    left_s: ClassVar[float] = 0.5
    most_connections: ClassVar[int] = 16_384

    def init_process(self) -> None:
        """Open what the loop needs; gunicorn calls this in the new process."""
        self._connections = Connections(self.within_s, self.most_connections)
        self._handled: dict[Connection, float] = {}
        self._later: dict[Later, tuple[Connection, bytearray]] = {}
        self._refused = self._left = 0
        super().init_process()

    # -- the loop

    def run(self) -> None:
        """Serve until gunicorn says that it is enough."""
        config = getattr(self.wsgi, "config", {})
        self._plain_cfg = as_plain(self.cfg)
        self._body_limits = config.get(BODY_LIMITS, {})
        self._origin_headers = config.get(ORIGIN_HEADERS, no_headers)
        self._connections.has_shares = not config.get(BEHIND_PROXY, False)
        self._threads = Threads(self.cfg.threads, self._handle)
        poller = self._connections.poller
        poller.register(self.PIPE[0], select.EPOLLIN)  # a signal wakes the loop
        for listener in self.sockets:
            listener.setblocking(False)
            poller.register(listener, select.EPOLLIN | select.EPOLLEXCLUSIVE)
        self._listeners = {listener.fileno(): listener for listener in self.sockets}
        looked = 0.0
        while self.alive:
            now = time.monotonic()
            if now - looked >= 1:
                looked = now
                self._look_around(now)
            is_busy = self._handled or self._later
            self._turn(HELD_UP_S if is_busy else 1.0)
            self._threads.look_around()
        self._stop()

    def _look_around(self, now: float) -> None:
        if self.ppid != os.getppid():
            self.log.info("Parent changed, shutting down: %s", self)
            self.alive = False
        if not self._is_hung(now):
            self.notify()
        if self._refused > 1:
            self.log.warning("refused %d more requests", self._refused - 1)
        if self._left:
            self.log.warning("%d clients left before their turn came", self._left)
        self._refused = self._left = 0
        self._end_late(now)

    def _is_hung(self, now: float) -> bool:
        """Tell whether every thread is in a request that should be over long ago."""
        begun = list(self._handled.values())[: self.cfg.threads]
        hung = len(begun) == self.cfg.threads and now - max(begun) > self.hung_s
        if hung:
            self.log.error("every thread hangs; waiting to be started again")
        return hung

    def _turn(self, wait_s: float) -> None:
        for number, _ in self._connections.poller.poll(wait_s):
            if listener := self._listeners.get(number):
                self._accept(listener)
            elif number == self.PIPE[0]:
                os.read(number, 1024)
            elif connection := self._connections.find(number):
                self._go_on(connection)

    def _go_on(self, connection: Connection) -> None:
        """Do what a connection waited for."""
        state = connection.state
        if not self._connections.take(connection):
            return
        if state is State.WRITING:
            self._write(connection)
        elif state is State.LINGERING:
            self._discard(connection)
        else:
            self._read(connection)

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(ACCEPT_AT_ONCE):
            try:
                connected, client = listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            connected.setblocking(False)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BUFFER)
            connection = Connection(connected, client, listener.getsockname())
            self._connections.add(connection)
            self._read(connection)  # most clients have sent something already

    def _end_late(self, now: float) -> None:
        """Refuse or close whoever takes longer than there is time for."""
        for connection, state in self._connections.late(now):
            is_begun = state is State.BODY or connection.received
            if is_begun and state in (State.HEAD, State.BODY):
                self._refuse(connection, framing.TooSlow(self.within_s[state]))
            else:
                self._connections.close(connection)

    def _stop(self) -> None:
        """Let what was begun come to its end; idle clients may still ask once."""
        for number, listener in self._listeners.items():
            self._connections.poller.unregister(number)
            self._accept(listener)  # who is connected already would be cut off
            listener.close()
        self._listeners = {}
        for later in list(self._later):
            self._wake(later, is_there=False)
        now = time.monotonic()
        until, idle_until = now + self.cfg.graceful_timeout - 1, now + STOPPING_IDLE_S
        while now < until:
            idle = self._connections.count(State.IDLE)
            if idle == len(self._connections) and (not idle or now > idle_until):
                break
            self.notify()
            self._end_late(now)
            self._turn(HELD_UP_S)
            self._threads.look_around()
            now = time.monotonic()
        for connection in self._connections:
            self._connections.close(connection)

    # -- reading

    def _read(self, connection: Connection) -> None:
        try:
            data = connection.socket.recv(RECEIVE)
        except BlockingIOError:
            self._connections.wait(connection, connection.state or State.HEAD)
            return
        except OSError:
            data = b""
        if not data:
            self._connections.close(connection)
            return
        connection.received += data
        self._advance(connection)

    def _advance(self, connection: Connection) -> None:
        """Hand the next request over if it is whole, otherwise wait for more of it."""
        try:
            waits_for = self._collect(connection)
        except framing.BadRequest as error:
            self._refuse(connection, error)
        except errors.ParseException as error:
            self._refuse(connection, as_refusal(error))
        else:
            if waits_for is not None:
                self._connections.wait(connection, waits_for)
                return
            if not self._connections.hand_over(connection):
                self._refuse(connection, framing.TooBusy())
                return
            self._handled[connection] = time.monotonic()
            self._threads.hand(connection)

    def _collect(self, connection: Connection) -> State | None:
        """Take the next request from what came; return what is still waited for."""
        if connection.request is None:
            head = framing.find_head(connection.received)
            if head is None:
                is_idle = connection.was_served and not connection.received
                return State.IDLE if is_idle else State.HEAD
            self._read_head(connection, head)
        body = connection.body
        assert body is not None, "a head says how its body is read"  # noqa: S101
        if not body.take(connection.received):
            return State.BODY
        if body.trailers:
            connection.request.parse_headers(body.trailers, from_trailer=True)
        return None

    def _read_head(self, connection: Connection, head: bytes) -> None:
        request = next(RequestParser(self._plain_cfg, [head], connection.address))
        connection.request = request  # a refusal tells it by its id
        names = [name for name, _ in request.headers]
        if len(set(names)) < len(names):
            for name in SAID_ONCE:
                if names.count(name) > 1:
                    said = Message("{header} is given twice", header=name.title())
                    raise framing.BadRequest(said)
        if request.version >= (1, 1) and "HOST" not in names:
            raise framing.BadRequest(Message("HTTP/1.1 needs a Host header"))
        request.version = min(request.version, (1, 1))  # what is answered, and no more
        other = self._body_limits.get("", DEFAULT_BODY_LIMIT)
        limit = self._body_limits.get(request.path, other)
        reader = request.body.reader
        if isinstance(reader, ChunkedReader):
            check_coding(request)
            connection.body = framing.Chunks(limit)
        else:
            connection.body = framing.KnownLength(reader.length, limit)
        if request._expected_100_continue:
            request._expected_100_continue = False  # said here, and not once more
            if not connection.received:
                with contextlib.suppress(OSError):
                    connection.socket.send(answers.CONTINUE)

    def _refuse(self, connection: Connection, error: framing.BadRequest) -> None:
        """Answer what is no request, and close: where the next begins is unknown."""
        sent = dict(connection.request.headers) if connection.request else {}
        request_id = choose_id(sent.get("X-REQUEST-ID", ""))
        if not self._refused:  # a crowd of them is counted, and told once a second
            self.log.warning("refused a request: %s; request=%s", error, request_id)
        self._refused += 1
        REFUSED.add(str(wire_problem(error).status))
        connection.request = connection.body = None
        connection.received.clear()
        connection.closes = True
        further = self._further(sent)
        language = find_language(sent.get("ACCEPT-LANGUAGE"))
        self._send(connection, answers.refusal(error, request_id, language, further))

    def _further(self, sent: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return the headers that let a page read what no app has answered."""
        return list(self._origin_headers(sent.get("ORIGIN", ""), sent.get("HOST", "")))

    # -- writing

    def _send(self, connection: Connection, data: bytes | bytearray) -> None:
        connection.unsent = memoryview(data)
        self._write(connection)

    def _write(self, connection: Connection) -> None:
        try:
            sent = connection.socket.send(connection.unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._connections.close(connection)
            return
        connection.unsent = connection.unsent[sent:]
        if connection.unsent:
            self._connections.wait(connection, State.WRITING)
            return
        connection.unsent = NOTHING  # an empty rest would keep the whole answer
        if connection.closes:
            with contextlib.suppress(OSError):  # the client may be gone already
                connection.socket.shutdown(socket.SHUT_WR)
            self._connections.wait(connection, State.LINGERING)
        else:
            connection.was_served = True
            self._advance(connection)

    def _discard(self, connection: Connection) -> None:
        """Read on after the last answer: to close at once could take it back."""
        try:
            is_open = bool(connection.socket.recv(RECEIVE))
        except BlockingIOError:
            is_open = True
        except OSError:
            is_open = False
        if is_open:
            self._connections.wait(connection, State.LINGERING)
        else:
            self._connections.close(connection)

    # -- the threads

    def _handle(self, connection: Connection) -> None:
        later, connection.later = connection.later, None
        if later is None:
            if self._is_left(connection):
                return
            later = Later(connection.request, connection.take_body())
            later.is_gone = connection.is_gone
            connection.request = None
            self._connections.release(connection)
        try:
            data = self._answer(later, connection)
        except Exception as error:
            request, known = later.request, later.request_id or choose_id()
            told = (request.method, request.uri, known)
            self.log.exception("no answer to %s %s; request=%s", *told)
            connection.closes, later.begin = True, None
            sent = dict(request.headers)
            language = find_language(sent.get("ACCEPT-LANGUAGE"))
            further = self._further(sent)
            data = bytearray(answers.failure(error, known, language, further))
        self._handled.pop(connection, None)
        if later.begin is not None and self.alive:
            self._wait_for(later, connection, data)
        else:
            self._send(connection, data)

    def _is_left(self, connection: Connection) -> bool:
        """Drop a request that waited for long if its client has gone meanwhile.

        Computed all the same, what nobody waits for would hold up everybody else. Who
        only says that nothing more will come is answered, unless it is that busy here.
        """
        waited_s = time.monotonic() - self._handled.get(connection, math.inf)
        if waited_s < self.left_s or not connection.is_gone():
            return False
        self._left += 1
        self._handled.pop(connection, None)
        self._connections.close(connection)
        return True

    def _wait_for(self, later: Later, connection: Connection, data: bytearray) -> None:
        """Let a request wait for its answer without a thread; *data* is the other."""
        begin, later.begin = later.begin, None
        assert begin is not None, "it has said what it waits for"  # noqa: S101
        self._later[later] = (connection, data)
        try:
            is_waiting = begin(lambda is_there: self._wake(later, is_there=is_there))
        except Exception:
            self.log.exception("no wait; request=%s", later.request_id)
            is_waiting = False
        if not is_waiting:
            self._wake(later, is_there=False)

    def _wake(self, later: Later, *, is_there: bool) -> None:
        """Answer who waits: whoever comes first, the app, its time or the end."""
        waiting = self._later.pop(later, None)
        if waiting is None:
            return
        connection, data = waiting
        if is_there:
            connection.later = later
            self._handled[connection] = time.monotonic()
            self._threads.hand(connection)
        else:
            self._send(connection, data)

    def _answer(self, later: Later, connection: Connection) -> bytearray:
        """Return the whole answer of the app to a whole request."""
        began = datetime.now(UTC)
        request, body = later.request, later.body
        request.body = io.BytesIO(body)
        framed = ("CONTENT-LENGTH", "TRANSFER-ENCODING")
        request.headers = [h for h in request.headers if h[0] not in framed]
        request.headers.append(("CONTENT-LENGTH", str(len(body))))
        outgoing = Outgoing()
        response, environ = wsgi.create(
            request, outgoing, connection.address, connection.server, self._plain_cfg
        )
        environ["wsgi.multithread"] = True
        environ[WHOLE_AT] = self._handled.get(connection, time.monotonic())
        if later.kept is not None:  # the same request, for the second time
            environ[KEPT] = later.request_id
        later.request_id = id_of(environ)
        environ[LATER] = later
        host, _ = framing.split_target(request.uri)
        if host is not None:
            environ["HTTP_HOST"] = host
        self.nr += 1
        if self.nr >= self.max_requests:
            self.alive = False
        parts = self.wsgi(environ, response.start_response)
        if not self.alive:
            response.force_close()
        try:
            for part in parts:
                response.write(part)
            response.close()
        finally:
            self.log.access(response, request, environ, datetime.now(UTC) - began)
            if hasattr(parts, "close"):
                parts.close()
        connection.closes = bool(response.should_close())
        return outgoing.data


def as_plain(cfg: Any) -> SimpleNamespace:
    """Return gunicorn's settings as attributes; it looks up dozens for each request.

    As it keeps them, each look-up is a call, and half of what its parser takes.
    """
    settings = {name: getattr(cfg, name) for name in cfg.settings}
    computed = ("is_ssl", "forwarded_allow_networks")
    return SimpleNamespace(
        **settings, **{name: getattr(cfg, name) for name in computed}
    )


def no_headers(_origin: str, _host: str) -> tuple[()]:
    """Return nothing: no page of another origin may read the answers."""
    return ()
