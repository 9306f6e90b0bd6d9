"""A master, its replicas and three Sentinels: real ones, that fail over themselves."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from services.cli import redis_server
from services.eventlog import LogUnavailable
from services.eventlog.connection import Connections
from tests.support.patience import wait_for
from tests.support.servers import start_redis

SERVICE = "seedlog"
DOWN_AFTER_MS = 1000
# A replica is served at once, not after others may have come, too.
REPLICATED = redis_server.DURABLE | {"repl-diskless-sync-delay": "0"}


class Sentinels:
    """Servers of one log, each on a folder and a port of its own."""

    def __init__(self, folder: Path, replicas: int = 2) -> None:
        self._folder = folder
        self._replicas = replicas
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._watching: dict[int, subprocess.Popen[bytes]] = {}
        self.servers: list[int] = []

    def begin(self) -> None:
        """Start all, and return when they know each other."""
        self.servers = [self._start(f"server-{n}") for n in range(1 + self._replicas)]
        for port in self.servers[1:]:
            self.ask(port, "REPLICAOF", "127.0.0.1", self.servers[0])
        for number in range(3):
            self._watch(f"sentinel-{number}", self.servers[0])
        self.settle()

    @property
    def url(self) -> str:
        nodes = ",".join(f"127.0.0.1:{port}" for port in self._watching)
        return f"redis+sentinel://{nodes}/{SERVICE}/0"

    def ask(self, port: int, *command: str | int) -> Any:
        """Ask one of the servers, or Sentinels, whatever its role."""
        return Connections(f"redis://127.0.0.1:{port}").call(*command)

    @property
    def master(self) -> int:
        """The port of the server that is the master, as soon as there is one."""
        return wait_for("a master", self._find_master)

    def _find_master(self) -> int | None:
        return next((p for p in self.running if self._is_master(p)), None)

    def _is_master(self, port: int) -> bool:
        try:
            return bool(self.ask(port, "ROLE")[0] == "master")
        except LogUnavailable:
            return False

    def master_of(self, stream: str) -> int:
        """Return the master that holds a stream: there is one for all."""
        return self.master

    def masters(self) -> list[int]:
        """Return the ports of the servers that take writes: there is one."""
        return [self.master]

    @property
    def replicas(self) -> list[int]:
        """The ports of the others that run."""
        return [port for port in self.running if port != self.master]

    @property
    def running(self) -> list[int]:
        """The ports of all servers that run."""
        return [port for port in self.servers if self._processes[port].poll() is None]

    def kill(self, port: int) -> None:
        self._processes[port].kill()
        self._processes[port].wait()

    def pid(self, port: int) -> int:
        """Return the process of a server, which may have ended."""
        return self._processes[port].pid

    def revive(self, port: int) -> None:
        """Start a server again, as a replica of the one that is the master now."""
        number = self.servers.index(port)
        replica = {**REPLICATED, "replicaof": f"127.0.0.1 {self.master}"}
        self._processes[port] = redis_server.start(
            self._folder / f"server-{number}", port, replica
        )

    def settle(self) -> None:
        """Return when every Sentinel knows all, and all replicas keep up."""
        wait_for("the replicas", self._is_replicated)
        for port in self._watching:
            wait_for("the Sentinels", lambda port=port: self._knows_all(port))

    def end(self) -> None:
        for process in (*self._watching.values(), *self._processes.values()):
            process.kill()
            process.wait()

    def _is_replicated(self) -> bool:
        try:
            facts = str(self.ask(self.master, "INFO", "replication"))
        except LogUnavailable:
            return False
        return facts.count("state=online") == len(self.running) - 1

    def _knows_all(self, sentinel: int) -> bool:
        told = self.ask(sentinel, "SENTINEL", "MASTER", SERVICE)
        facts = dict(zip(told[::2], told[1::2], strict=True))
        others = int(facts["num-other-sentinels"])
        return others == len(self._watching) - 1 and facts["flags"] == "master"

    def _start(self, name: str) -> int:
        url, process = start_redis(self._folder / name, REPLICATED)
        port = int(url.rpartition(":")[2].removesuffix("/0"))
        self._processes[port] = process
        return port

    def _watch(self, name: str, master: int) -> None:
        """Start a Sentinel; it notes what it learns in the file that it begins with."""
        folder = self._folder / name
        folder.mkdir()
        port, file = redis_server.free_port(), folder / "sentinel.conf"
        file.write_text(
            f"port {port}\nbind 127.0.0.1\ndir {folder}\nlogfile sentinel.log\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {master} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}\n"
            f"sentinel failover-timeout {SERVICE} 4000\n"
        )
        server = redis_server.find_server()
        assert server is not None
        self._watching[port] = subprocess.Popen(
            [str(server.path), str(file), "--sentinel"]
        )
        redis_server.wait_until_ready(f"redis://127.0.0.1:{port}")


@contextmanager
def watched_by_sentinels(folder: Path, replicas: int = 2) -> Iterator[Sentinels]:
    """Run a master, replicas and Sentinels."""
    group = Sentinels(folder, replicas)
    try:
        group.begin()
        yield group
    finally:
        group.end()
