"""The clients of a server process: who they are, what each waits for, and how long.

A connection belongs to one thread at a time. What waits for its client belongs to the
loop, and is armed in epoll for one event.
"""

import enum
import resource
import select
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from services.http.wire import framing
from services.http.wire.later import Later

HELD_BYTES = 64 * 1024 * 1024
"""So much of unfinished requests and answers is kept, of all clients together."""

SPARE_FILES = 128
NOTHING = memoryview(b"")
SHARE_OF_HOST = 0.5


class State(enum.Enum):
    """What a connection waits for: a request, the next one, its client to read, ..."""

    HEAD = enum.auto()
    BODY = enum.auto()
    IDLE = enum.auto()
    WRITING = enum.auto()
    LINGERING = enum.auto()


# Who has to go first where there is no room: a whole request was never taken from it.
FIRST_TO_GO = (State.HEAD, State.BODY, State.LINGERING, State.WRITING, State.IDLE)


class Connection:
    """One client: what came of its request, and what is left of the answer."""

    __slots__ = (
        "address",
        "body",
        "closes",
        "held",
        "is_waiting",
        "later",
        "received",
        "request",
        "server",
        "socket",
        "state",
        "unsent",
        "until",
        "was_served",
    )

    def __init__(self, connected: socket.socket, client: Any, server: Any) -> None:
        """Begin with nothing received."""
        self.socket = connected
        self.address = client
        self.server = server
        self.received = bytearray()
        self.request: Any = None
        self.body: framing.KnownLength | framing.Chunks | None = None
        self.later: Later | None = None
        self.unsent = NOTHING
        self.closes = False
        self.was_served = False
        self.held = 0
        self.state: State | None = None
        self.is_waiting = False
        self.until = 0.0

    def is_gone(self) -> bool:
        """Tell whether the client has closed it; for when nothing is read of it."""
        try:
            peek = socket.MSG_PEEK | socket.MSG_DONTWAIT
            return not self.socket.recv(1, peek)
        except BlockingIOError:
            return False
        except OSError:
            return True

    @property
    def host(self) -> str:
        """Return the address without the port; "" for a unix socket."""
        return str(self.address[0]) if isinstance(self.address, tuple) else ""

    def take_body(self) -> bytes:
        """Return the body that has come whole, and keep nothing of it."""
        body = bytes(self.body.body) if self.body else b""
        self.body = None
        return body

    def size(self) -> int:
        """Return how many bytes are kept for this client."""
        body = len(self.body.body) if self.body else 0
        # All of an answer is kept until its end was sent.
        return len(self.received) + body + memoryview(self.unsent.obj).nbytes


class Connections:
    """All connections of a process. Any thread may call; the loop alone polls."""

    def __init__(self, within_s: Mapping[State, float], most: int) -> None:
        """Take so many at the most, as far as this process may.

        *within_s* gives each state the seconds one may wait in it, in total.
        """
        self.poller = select.epoll()
        self.most = _raise_file_limit(most)
        self.has_shares = True
        self._within_s = within_s
        self._lock = threading.RLock()
        self._all: dict[int, Connection] = {}
        self._by_state: dict[State, dict[Connection, None]] = {s: {} for s in State}
        self._of_host: dict[str, int] = {}
        self._held = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._all)

    def __iter__(self) -> Iterator[Connection]:
        """Return those there are now."""
        with self._lock:
            return iter(list(self._all.values()))

    def count(self, state: State) -> int:
        """Return how many are in a state."""
        return len(self._by_state[state])

    def add(self, connection: Connection) -> None:
        """Take a new one, and close another where there is no room for both.

        Behind a proxy all clients have its address, so one has no share then.
        """
        host = connection.host
        with self._lock:
            alike = self._of_host.get(host, 0)
            if self.has_shares and host and alike >= self.most * SHARE_OF_HOST:
                self._evict(host)
            elif len(self._all) >= self.most:
                self._evict("")
            self._all[connection.socket.fileno()] = connection
            self._of_host[host] = self._of_host.get(host, 0) + 1
            self.poller.register(connection.socket, select.EPOLLONESHOT)

    def close(self, connection: Connection) -> None:
        """Close a connection and forget it; do so once or often."""
        with self._lock:
            self._leave(connection)
            if self._all.pop(connection.socket.fileno(), None) is not None:
                left = self._of_host[connection.host] - 1
                if left:
                    self._of_host[connection.host] = left
                else:
                    del self._of_host[connection.host]
                self._held -= connection.held
            connection.socket.close()

    def wait(self, connection: Connection, state: State) -> None:
        """Leave one to the loop until its client does something, or is late.

        The time begins with the state, not with every byte that comes.
        """
        events = select.EPOLLOUT if state is State.WRITING else select.EPOLLIN
        with self._lock:
            if state is not connection.state:
                self._leave(connection)
                connection.state = state
                connection.until = time.monotonic() + self._within_s[state]
                self._by_state[state][connection] = None
            connection.is_waiting = True
            self._hold(connection, connection.size())
            self.poller.modify(connection.socket, events | select.EPOLLONESHOT)
            if self._held > HELD_BYTES:
                self._evict_largest()

    def find(self, number: int) -> Connection | None:
        """Return the one with a file number."""
        return self._all.get(number)

    def take(self, connection: Connection) -> bool:
        """Take one that waits; False if it does not (any more)."""
        with self._lock:
            was_waiting, connection.is_waiting = connection.is_waiting, False
            return was_waiting

    def hand_over(self, connection: Connection) -> bool:
        """Let a thread have one whose request is whole; False if too much waits."""
        with self._lock:
            self._leave(connection)
            self._hold(connection, connection.size())
            return self._held <= HELD_BYTES

    def release(self, connection: Connection) -> None:
        """Count no longer what a thread has taken."""
        with self._lock:
            self._hold(connection, 0)

    def late(self, now: float) -> Iterator[tuple[Connection, State]]:
        """Take each that has waited for longer than its state allows."""
        for state, connections in self._by_state.items():
            while True:
                with self._lock:
                    first = next(iter(connections), None)
                    if first is None or first.until > now:
                        break
                    self._leave(first)
                yield first, state

    def _leave(self, connection: Connection) -> None:
        if connection.state is not None:
            self._by_state[connection.state].pop(connection, None)
        connection.state, connection.is_waiting = None, False

    def _hold(self, connection: Connection, size: int) -> None:
        self._held += size - connection.held
        connection.held = size

    def _evict(self, host: str) -> None:
        """Close whoever has waited longest, of one host or of all."""
        for state in FIRST_TO_GO:
            for connection in self._by_state[state]:
                if not host or connection.host == host:
                    self.close(connection)
                    return

    def _evict_largest(self) -> None:
        holding = [*self._by_state[State.BODY], *self._by_state[State.WRITING]]
        if holding:
            self.close(max(holding, key=lambda connection: connection.held))


def _raise_file_limit(most: int) -> int:
    """Let this process hold so many sockets, if it may; return how many it can."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + SPARE_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted - SPARE_FILES
