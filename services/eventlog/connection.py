"""One plain Redis connection per thread: commands in, replies out, nothing between.

The client library's pool, retries and reply conversion cost more than Redis itself on
the path of a move; here a command is packed, sent and read. Whoever calls decides
whether a failed command may be sent again.
"""

import socket
import struct
import threading
from collections.abc import Sequence
from typing import Any

from hiredis import pack_command
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.retry import Retry

from services.eventlog.errors import LogUnavailable, naming, unreached
from services.eventlog.pools import place_of, pool_of
from services.eventlog.refused import NO_REPLY, is_demoted, raise_refusal
from services.languages import Message

Argument = str | int | float | bytes


class LostConnection(LogUnavailable):
    """The reply did not come: the command may or may not have been carried out."""


class Connections:
    """Connections to one Redis server, one for each thread that asks.

    It may be the master that Sentinels name: each connection asks them when it opens.
    """

    def __init__(self, url: str, *, timeout_s: float = 2.0, script: str = "") -> None:
        """Remember where to connect; nothing is opened before the first command.

        A *script* is loaded whenever a connection opens: then EVALSHA finds it.
        """
        self.url = url
        self._pool = pool_of(url)  # Sentinels are found through it
        self._class: type[AbstractConnection] = self._pool.connection_class
        self._arguments: dict[str, Any] = dict(self._pool.connection_kwargs)
        self._arguments.update(
            protocol=2,
            decode_responses=True,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),
            maint_notifications_config=None,
        )
        self.place = place_of(self._pool)
        self._timeout_s = timeout_s
        self._script = script
        self._threads = threading.local()

    def call(self, *command: Argument) -> Any:
        """Send one command that may be carried out twice, and return its reply.

        :raises LogUnavailable: the server cannot be reached, or cannot serve now.
        """
        return self.call_all([command])[0]

    def call_all_once(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send several commands in one write, and never again.

        :raises LostConnection: no reply came; they may have been carried out.
        :raises LogUnavailable: the server cannot serve now; nothing was done.
        """
        return self._exchange(self._connection(), commands)

    def call_all_there(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send several commands as `call_all_once`, to nobody but who has their keys.

        Where a server of a cluster says that another has them now, that one is not
        asked: what it answers bears on nothing that was read from the first.
        """
        return self.call_all_once(commands)

    def groups_of(self, partitions: Sequence[int]) -> list[Sequence[int]]:
        """Return partitions in groups of which one command may name all keys."""
        return [partitions]

    def call_everywhere(self, *command: Argument) -> list[Any]:
        """Ask every server that takes writes, as `call` does; there is this one."""
        return [self.call(*command)]

    def converse(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send several commands, as `call_all_once`; a refusal is a value, not raised.

        :raises LostConnection: not all replies came.
        """
        return self._converse(self._connection(), commands)

    def open_apart(self) -> AbstractConnection:
        """Open a connection of its own, for whoever listens.

        :raises LogUnavailable: the server cannot be reached.
        """
        connection = self._class(**self._arguments)
        self._open(connection)
        return connection

    def call_waiting(self, wait_s: float, *command: Argument) -> Any:
        """Send one command that the server may hold back for some seconds."""
        connection = self._connection()
        connection.update_current_socket_timeout(wait_s + self._timeout_s)
        try:
            return self._exchange(connection, [command])[0]
        finally:
            if connection.is_connected:
                connection.update_current_socket_timeout(self._timeout_s)

    def call_all(self, commands: Sequence[Sequence[Argument]]) -> list[Any]:
        """Send several commands in one write, as `call` does one.

        A connection that broke while it was idle is noticed by its next command only;
        so a lost one is replaced, and the commands sent once more.
        """
        try:
            return self._exchange(self._connection(), commands)
        except LostConnection:
            return self._exchange(self._connection(), commands)

    def close(self) -> None:
        """Close the connection of this thread."""
        connection = getattr(self._threads, "connection", None)
        if connection is not None:
            connection.disconnect()

    def _connection(self) -> AbstractConnection:
        connection: AbstractConnection | None = getattr(
            self._threads, "connection", None
        )
        if connection is None:
            connection = self._class(**self._arguments)
            self._threads.connection = connection
        if not connection.is_connected:
            self._open(connection)
            if self._script:
                self._exchange(connection, [("SCRIPT", "LOAD", self._script)])
        return connection

    def _open(self, connection: AbstractConnection) -> None:
        try:
            connection.connect()
        except (RedisError, OSError) as error:
            connection.disconnect()
            raise unreached(error, self.place) from error
        except BaseException:  # an alarm of a job, or Ctrl-C, may strike anywhere
            connection.disconnect()
            raise
        _let_kernel_wait(connection, self._timeout_s)

    def _exchange(
        self, connection: AbstractConnection, commands: Sequence[Sequence[Argument]]
    ) -> list[Any]:
        replies = self._converse(connection, commands)
        for reply in replies:
            if isinstance(reply, ResponseError) and not isinstance(
                reply, NoScriptError
            ):
                if is_demoted(reply):
                    connection.disconnect()  # the next one finds the master
                raise_refusal(reply)
        return replies

    def _converse(
        self, connection: AbstractConnection, commands: Sequence[Sequence[Argument]]
    ) -> list[Any]:
        try:
            # What the library does around this takes longer than the packing itself.
            packed = [pack_command(tuple(c)) for c in commands]  # type: ignore[arg-type]
            connection.send_packed_command(packed, check_health=False)
            return [_read(connection) for _ in commands]
        except NO_REPLY as error:
            connection.disconnect()
            said = Message("Redis did not answer")
            is_late = isinstance(error.__context__, BlockingIOError)
            why = f"within {self._timeout_s:g} s" if is_late else str(error)
            raise LostConnection(said, naming(self.place, why)) from error
        except BaseException:  # the reply that is owed would be taken for the next one
            connection.disconnect()
            raise


def _let_kernel_wait(connection: AbstractConnection, timeout_s: float) -> None:
    """Let the kernel see that a read or write ends in time.

    Python asks before each whether it may begin: a call more to the system, for which
    a thread gives up the interpreter, and waits for its turn where there are others.
    """
    opened: Any = connection._sock
    if type(opened) is not socket.socket:  # TLS waits by itself
        return
    seconds, rest = divmod(timeout_s, 1)
    time_value = struct.pack("@ll", int(seconds), int(rest * 1e6))
    opened.settimeout(None)
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        opened.setsockopt(socket.SOL_SOCKET, option, time_value)


def _read(connection: AbstractConnection) -> Any:
    """Return the next reply; an error reply as a value, so that none is left unread."""
    try:
        return connection.read_response(disconnect_on_error=False)
    except ResponseError as error:
        return error
