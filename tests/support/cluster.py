"""A Redis Cluster, a real one: three masters, with a replica each, or more."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from redis.crc import key_slot

from services.cli import redis_server
from services.eventlog import LogUnavailable
from services.eventlog.connection import Connections
from services.eventlog.keys import keys_of
from tests.support.patience import wait_for
from tests.support.servers import TRIES

MASTERS = 3
DOWN_AFTER_MS = 1000
SETTINGS = redis_server.DURABLE | {
    "cluster-enabled": "yes",
    "cluster-node-timeout": str(DOWN_AFTER_MS),
    "repl-diskless-sync-delay": "0",
}


class Cluster:
    """Servers of one log, each on a folder and a port of its own."""

    def __init__(self, folder: Path, replicas: int = 1) -> None:
        self._folder = folder
        self._replicas = replicas
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._bus: dict[int, int] = {}
        self.servers: list[int] = []

    def begin(self) -> None:
        """Start all, and return when they are one cluster."""
        count = MASTERS * (1 + self._replicas)
        self.servers = [self._start_anywhere(f"node-{n}") for n in range(count)]
        program = shutil.which("redis-cli")
        assert program is not None
        places = [f"127.0.0.1:{port}@{self._bus[port]}" for port in self.servers]
        command = [program, "--cluster", "create", *places, "--cluster-yes"]
        made = subprocess.run(
            [*command, "--cluster-replicas", str(self._replicas)],
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        self.settle()

    @property
    def url(self) -> str:
        nodes = ",".join(f"127.0.0.1:{port}" for port in self.servers)
        return f"redis+cluster://{nodes}"

    def ask(self, port: int, *command: str | int) -> Any:
        """Ask one of the servers, whatever its role."""
        return Connections(f"redis://127.0.0.1:{port}").call(*command)

    @property
    def running(self) -> list[int]:
        """The ports of all servers that run."""
        return [port for port in self.servers if self._processes[port].poll() is None]

    def master_of(self, stream: str) -> int:
        """Return the port of the server that has a stream now."""
        return self._server_of(key_slot(keys_of(stream).events.encode()))

    def masters(self) -> list[int]:
        """Return the ports of the servers that have slots."""
        asked = self.ask(self.running[0], "CLUSTER", "SLOTS")
        return sorted({int(master[1]) for _, _, master, *_ in asked})

    def flush(self) -> None:
        """Empty every server."""
        for port in self.masters():
            self.ask(port, "FLUSHALL")

    def kill(self, port: int) -> None:
        self._processes[port].kill()
        self._processes[port].wait()

    def pid(self, port: int) -> int:
        """Return the process of a server, which may have ended."""
        return self._processes[port].pid

    def revive(self, port: int) -> None:
        """Start a server again; it remembers its cluster, and learns who is master."""
        self._start(port, f"node-{self.servers.index(port)}")

    def settle(self) -> None:
        """Return when every server knows all others, and all replicas keep up."""
        for port in self.running:
            wait_for("the cluster", lambda port=port: self._is_whole(port))

    @contextmanager
    def moving(self, stream: str) -> Iterator[None]:
        """Let the slot of a stream be on its way to another server; complete it then.

        All of its keys are there already, and none of the servers is told so.
        """
        slot = key_slot(keys_of(stream).events.encode())
        source = self._server_of(slot)
        target = next(port for port in self.masters() if port != source)
        names = {port: self.ask(port, "CLUSTER", "MYID") for port in (source, target)}
        self.ask(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
        self.ask(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
        keys = self.ask(source, "CLUSTER", "GETKEYSINSLOT", slot, 1000)
        self.ask(source, "MIGRATE", "127.0.0.1", target, "", 0, 5000, "KEYS", *keys)
        yield
        for port in (target, source, *self.masters()):
            self.ask(port, "CLUSTER", "SETSLOT", slot, "NODE", names[target])

    def end(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()

    def _server_of(self, slot: int) -> int:
        for first, last, master, *_ in self.ask(self.running[0], "CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return int(master[1])
        raise AssertionError(f"nobody has slot {slot}")

    def _is_whole(self, port: int) -> bool:
        try:
            told = str(self.ask(port, "CLUSTER", "INFO"))
            nodes = str(self.ask(port, "CLUSTER", "NODES"))
            facts = str(self.ask(port, "INFO", "replication"))
        except LogUnavailable:
            return False
        is_held = facts.count("state=online") >= self._replicas
        return (
            "cluster_state:ok" in told
            and nodes.count(" connected") == len(self.running)
            and "fail" not in nodes
            and (is_held or "master_link_status:up" in facts)
        )

    def _start_anywhere(self, name: str) -> int:
        for attempt in range(TRIES):
            port = redis_server.free_port()
            self._bus[port] = redis_server.free_port()
            try:
                self._start(port, name)
            except RuntimeError:  # somebody took one of the ports
                if attempt == TRIES - 1:
                    raise
                continue
            break
        return port

    def _start(self, port: int, name: str) -> None:
        settings = {**SETTINGS, "cluster-port": str(self._bus[port])}
        self._processes[port] = redis_server.start(self._folder / name, port, settings)


@contextmanager
def running_cluster(folder: Path, replicas: int = 1) -> Iterator[Cluster]:
    """Run a cluster."""
    cluster = Cluster(folder, replicas)
    try:
        cluster.begin()
        yield cluster
    finally:
        cluster.end()
