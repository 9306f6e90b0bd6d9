"""The lean connections to a cluster: each command goes to the server that has its key.

To whom uses it, it is `Connections`. A command that was redirected was not carried out,
so it is sent on at once; a `WAIT` counts for the command before it and goes with it.
"""

import threading
import time
from collections.abc import Sequence
from typing import Any

from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    NoScriptError,
    ResponseError,
    TryAgainError,
)

from services.eventlog.cluster_map import ClusterMap, slot_of
from services.eventlog.connection import Argument, Connections, LostConnection
from services.eventlog.errors import LogUnavailable
from services.eventlog.keys import META
from services.eventlog.refused import is_demoted, raise_refusal

REDIRECTS = 5
AGAIN_S = 0.02
"""While a slot moves, what is for several of its keys is refused for a moment."""

Command = Sequence[Argument]


class _Unit:
    """A command, the `WAIT` that follows it, and where they go."""

    __slots__ = ("asked_at", "commands", "replies", "slot", "url")

    def __init__(self, command: Command) -> None:
        self.commands = [command]
        self.slot = slot_of(_key(command))
        self.replies: list[Any] = []
        self.url = ""
        self.asked_at = False


class _Told(threading.local):
    """Which server told a thread last of what is in a slot."""

    def __init__(self) -> None:
        self.by = dict[int, str]()


class ClusterConnections(Connections):
    """Connections to every server of a cluster, one for each thread that asks."""

    def __init__(
        self, url: str, servers: ClusterMap, *, timeout_s: float, script: str
    ) -> None:
        """Remember where to ask; nothing is opened before the first command."""
        self.url = url
        self.servers = servers
        self._timeout_s = timeout_s
        self._script = script
        self._of: dict[str, Connections] = {}
        self._told = _Told()

    def at(self, url: str) -> Connections:
        """Return the connections to one of the servers."""
        known = self._of.get(url)
        if known is None:
            known = Connections(url, timeout_s=self._timeout_s, script=self._script)
            known = self._of.setdefault(url, known)
        return known

    def call_all(self, commands: Sequence[Command]) -> list[Any]:
        """Send several commands, each to where its key is; those of one at once.

        What was sent to a server that did not answer is sent once more.
        """
        return self._send(commands, is_repeatable=True)

    def call_all_once(self, commands: Sequence[Command]) -> list[Any]:
        """Send several commands, none of which may be carried out twice."""
        return self._send(commands, is_repeatable=False)

    def call_all_there(self, commands: Sequence[Command]) -> list[Any]:
        """Send several commands as `call_all_once`, to who told this thread last.

        Another thread may have learned meanwhile who has the keys now.
        """
        return self._send(commands, is_repeatable=False, there=True)

    def groups_of(self, partitions: Sequence[int]) -> list[Sequence[int]]:
        """Return each partition by itself: it has a slot of its own."""
        return [(partition,) for partition in partitions]

    def call_everywhere(self, *command: Argument) -> list[Any]:
        """Ask every server that takes writes."""
        return [self.at(url).call(*command) for url in self.servers.all_urls()]

    def close(self) -> None:
        """Close the connections of this thread."""
        for connections in list(self._of.values()):  # others may open some meanwhile
            connections.close()

    def _send(
        self, commands: Sequence[Command], *, is_repeatable: bool, there: bool = False
    ) -> list[Any]:
        units = _units(commands)
        waiting, told_by = units, self._told.by
        # Taken out: who does not answer, or refuses, is not asked again.
        known = {slot: told_by.pop(slot, "") for slot in {u.slot for u in units}}
        for _ in range(REDIRECTS):
            for unit in waiting:
                if not unit.asked_at:
                    told = known[unit.slot] if there else ""
                    unit.url = told or self.servers.url_of(unit.slot)
            for url in dict.fromkeys(unit.url for unit in waiting):
                here = [unit for unit in waiting if unit.url == url]
                is_repeatable = self._exchange_units(url, here, is_repeatable)
            waiting = [unit for unit in units if self._is_to_go_on(unit)]
            if there or not waiting:
                break
        replies = [reply for unit in units for reply in unit.replies]
        for reply in replies:
            if isinstance(reply, ResponseError) and not isinstance(
                reply, NoScriptError
            ):
                raise_refusal(reply)
        told_by.update((unit.slot, unit.url) for unit in units)
        return replies

    def _exchange_units(
        self, url: str, units: list[_Unit], is_repeatable: bool
    ) -> bool:
        """Send what is for one server; return whether a lost one may be repeated.

        :raises LostConnection: it did not answer, and may have done what was asked.
        """
        commands: list[Command] = []
        for unit in units:
            commands += (
                [("ASKING",), *unit.commands] if unit.asked_at else unit.commands
            )
        try:
            replies = iter(self.at(url).converse(commands))
        except LogUnavailable as error:
            self.servers.look_again()
            if not (is_repeatable and isinstance(error, LostConnection)):
                raise
            for unit in units:
                unit.replies, unit.asked_at = [], False
            return False
        for unit in units:
            if unit.asked_at:
                next(replies)
            unit.replies = [next(replies) for _ in unit.commands]
            unit.asked_at = False
        return is_repeatable

    def _is_to_go_on(self, unit: _Unit) -> bool:
        """Tell whether a unit was not carried out, but can be elsewhere, or at once."""
        if not unit.replies:
            return True
        refusal = unit.replies[0]
        if isinstance(refusal, MovedError):
            self.servers.note_moved(refusal)
        elif isinstance(refusal, AskError):
            unit.url, unit.asked_at = self.servers.follow(refusal), True
        elif isinstance(refusal, TryAgainError):
            time.sleep(AGAIN_S)
        else:
            is_gone = isinstance(refusal, ResponseError) and is_demoted(refusal)
            if is_gone or isinstance(refusal, ClusterDownError):
                self.servers.look_again()  # for the next one; this one is refused
            return False
        return True


def _units(commands: Sequence[Command]) -> list[_Unit]:
    units: list[_Unit] = []
    for command in commands:
        if command[0] == "WAIT":
            units[-1].commands.append(command)
        else:
            units.append(_Unit(command))
    return units


def _key(command: Command) -> str:
    """Return the key of a command, by which it finds its server."""
    match command[0]:
        case "EVAL" | "EVALSHA":
            return str(command[3])
        case "XGROUP" | "XINFO":
            return str(command[2])
        case "XREAD" | "XREADGROUP":
            return str(command[command.index("STREAMS") + 1])
        case "TIME" | "INFO":
            return META
    return str(command[1])
