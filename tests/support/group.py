"""Redis servers that hold one log: started, asked, killed, cut off, started again."""

import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from services.cli import redis_server
from services.eventlog.connection import Connections
from tests.support.deployed import DEPLOY
from tests.support.network import HERE, Host, Network
from tests.support.patience import wait_for
from tests.support.servers import TRIES, serve


def shipped(file: str, *names: str) -> list[str]:
    """Return the lines of a file of `deploy` that begin so: tests keep to them, too."""
    lines = (DEPLOY / file).read_text("utf-8").splitlines()
    found = [next(line for line in lines if line.startswith(name)) for name in names]
    return [line.strip() for line in found]


class Group:
    """Servers, each on a folder and a port of its own; a port is their name.

    With a network each is on a host of its own, too, and can be cut off.
    """

    settings: dict[str, str]

    def __init__(self, folder: Path, network: Network | None = None) -> None:
        self._folder = folder
        self._network = network
        self._hosts: dict[int, Host] = {}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self.servers: list[int] = []

    def address(self, port: int) -> str:
        """Return where a server is, as a URL has it."""
        return f"{self._hosts[port].address}:{port}"

    def ask(self, port: int, *command: str | int) -> Any:
        """Ask one of the servers, whatever its role."""
        return Connections(f"redis://{self.address(port)}").call(*command)

    @property
    def url(self) -> str:
        """How the log finds them."""
        raise NotImplementedError

    @property
    def running(self) -> list[int]:
        """The ports of all servers that run."""
        return [port for port in self.servers if self._processes[port].poll() is None]

    def masters(self) -> list[int]:
        """Return the ports of the servers that take writes."""
        return self.running

    def replicas(self) -> list[int]:
        """Return the ports of the others that run."""
        masters = self.masters()
        return [port for port in self.running if port not in masters]

    @property
    def is_apart(self) -> bool:
        """Tell whether each is on a host of its own, which can be cut off."""
        return self._network is not None

    def master_of(self, stream: str) -> int:
        """Return the port of the server that holds a stream now."""
        return self.masters()[0]

    def pid(self, port: int) -> int:
        """Return the process of a server, which may have ended."""
        return self._processes[port].pid

    def kill(self, port: int) -> None:
        self._processes[port].kill()
        self._processes[port].wait()

    def cut(self, port: int, *, but_here: bool = False) -> AbstractContextManager[None]:
        """Let a server be reached by nobody, or only from here, while a block lasts."""
        assert self._network is not None, "without a network nothing can be cut off"
        return self._network.cut(self._hosts[port], but_here=but_here)

    def revive(self, port: int) -> None:
        """Start a server again, with what it has on its disk."""
        self._start(port, self.settings)

    def settle(self) -> None:
        """Return when all is well."""
        for port in self.running:
            wait_for("an answer", lambda port=port: self.ask(port, "PING"))

    def end(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()

    def _new_host(self) -> Host:
        return self._network.host() if self._network else HERE

    def _start_anywhere(self, settings: dict[str, str]) -> int:
        """Start a server on a port that is free, and return the port."""
        host = self._new_host()
        for attempt in range(TRIES):
            port = redis_server.free_port()
            self._hosts[port] = host
            self.servers.append(port)
            try:
                self._start(port, settings)
            except RuntimeError:  # somebody took it
                self.servers.remove(port)
                if attempt == TRIES - 1:
                    raise
                continue
            break
        return port

    def _start(self, port: int, settings: dict[str, str]) -> None:
        folder = self._folder / f"server-{self.servers.index(port)}"
        self._processes[port] = serve(folder, port, settings, self._hosts[port])


class Single(Group):
    """One server, of the log or of the queue."""

    def __init__(
        self, folder: Path, settings: dict[str, str], network: Network | None = None
    ) -> None:
        super().__init__(folder, network)
        self.settings = settings

    def begin(self) -> None:
        """Start it."""
        self._start_anywhere(self.settings)

    @property
    def url(self) -> str:
        return f"redis://{self.address(self.servers[0])}/0"


@contextmanager
def single_server(
    folder: Path, settings: dict[str, str], network: Network | None = None
) -> Iterator[Single]:
    """Run one server."""
    server = Single(folder, settings, network)
    try:
        server.begin()
        yield server
    finally:
        server.end()
