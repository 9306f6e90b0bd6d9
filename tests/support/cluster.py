"""A Redis Cluster, a real one: three masters, with a replica each, or more."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis.crc import key_slot

from services.cli import redis_server
from services.eventlog import LogUnavailable
from services.eventlog.keys import keys_of
from tests.support.group import Group, shipped
from tests.support.network import Network
from tests.support.patience import wait_for

MASTERS = 3
SETTINGS = redis_server.DURABLE | {
    "cluster-enabled": "yes",
    **dict(map(str.split, shipped("join-log", "cluster-node-timeout"))),
    "repl-diskless-sync-delay": "0",
}


class Cluster(Group):
    """Masters that share the slots, with replicas."""

    settings = SETTINGS

    def __init__(
        self, folder: Path, replicas: int = 1, network: Network | None = None
    ) -> None:
        super().__init__(folder, network)
        self._replicas = replicas
        self._bus: dict[int, int] = {}

    def begin(self) -> None:
        """Start all, and return when they are one cluster."""
        for _ in range(MASTERS * (1 + self._replicas)):
            self._start_anywhere(SETTINGS)
        program = shutil.which("redis-cli")
        assert program is not None
        places = [f"{self.address(port)}@{self._bus[port]}" for port in self.servers]
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
        return f"redis+cluster://{','.join(map(self.address, self.servers))}"

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
        host = self._hosts[target].address
        self.ask(source, "MIGRATE", host, target, "", 0, 5000, "KEYS", *keys)
        yield
        for port in (target, source, *self.masters()):
            self.ask(port, "CLUSTER", "SETSLOT", slot, "NODE", names[target])

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

    def _start(self, port: int, settings: dict[str, str]) -> None:
        """Start a server; the port of its bus is the same whenever it starts."""
        bus = self._bus.setdefault(port, redis_server.free_port())
        super()._start(port, {**settings, "cluster-port": str(bus)})


@contextmanager
def running_cluster(
    folder: Path, replicas: int = 1, network: Network | None = None
) -> Iterator[Cluster]:
    """Run a cluster."""
    cluster = Cluster(folder, replicas, network)
    try:
        cluster.begin()
        yield cluster
    finally:
        cluster.end()
