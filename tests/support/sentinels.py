"""A master, its replicas and three Sentinels: real ones, that fail over themselves."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.cli import redis_server
from services.eventlog import LogUnavailable
from tests.support.deployed import DEPLOY
from tests.support.group import Group, shipped
from tests.support.network import Network
from tests.support.patience import wait_for

SERVICE = "seedlog"
NOBODY = 1
"""A port on which nobody listens: who follows it is no master, and has none yet."""
PATIENCE = "\n".join(
    shipped(
        "serve-sentinel",
        "sentinel down-after-milliseconds",
        "sentinel failover-timeout",
    )
).replace("$service", SERVICE)
"""How long Sentinels wait: as long as those that operators run."""
JOIN = DEPLOY / "join-log"
WATCH = f"""
set -eu
mark=/dev/null password= LOG_ID= LOG_KIND=replicated patience_s=4
say() {{ :; }}
ask() {{
    port=$1
    shift
    eval "address=\\$address_$port"
    timeout "$patience_s" redis-cli -h "$address" -p "$port" "$@" 2>/dev/null |
        tr -d '\\r'
}}
tell() {{
    asked=$LOG_NAME
    if [ "$1" = -h ]; then
        asked=$2
        shift 4
    fi
    case $1 in
    SENTINEL) ask "$asked" "$@" | awk 'NR == 2 {{ print $0 "\\n6379" }}' ;;
    REPLICAOF) eval "ask $asked REPLICAOF \\$address_$2 $2" ;;
    *) ask "$asked" "$@" ;;
    esac
}}
. "{JOIN}"
stay_joined
"""
"""The watch knows servers by names, on one port each. Here a port is the name."""

# A replica is served at once, not after others may have come, too.
REPLICATED = redis_server.DURABLE | {"repl-diskless-sync-delay": "0"}


class Sentinels(Group):
    """A master and its replicas, with Sentinels that watch them."""

    settings = REPLICATED

    def __init__(
        self, folder: Path, replicas: int = 2, network: Network | None = None
    ) -> None:
        super().__init__(folder, network)
        self._replicas = replicas
        self.sentinels: list[int] = []
        self._watches: list[subprocess.Popen[bytes]] = []

    def begin(self) -> None:
        """Start all, and return when they know each other."""
        for _ in range(1 + self._replicas):
            self._start_anywhere(REPLICATED)
        master, *others = self.servers
        for port in others:
            self.ask(port, "REPLICAOF", self._hosts[master].address, master)
        for number in range(3):
            self._watch(f"sentinel-{number}", master)
        self.settle()

    def end(self) -> None:
        for watch in self._watches:
            os.killpg(watch.pid, signal.SIGKILL)
            watch.wait()
        super().end()

    def see_to_all(self) -> None:
        """Let the watch of `deploy` run beside each server, on its host, until the end.

        One that was replaced follows; Sentinels leave it a master for eight seconds
        after it is back. No event is lost without it.
        """
        names = {f"address_{port}": host.address for port, host in self._hosts.items()}
        names["LOG_SENTINELS"] = " ".join(map(str, self.sentinels))
        for port in self.servers:
            command = [*self._hosts[port].within, "sh", "-c", WATCH]
            own = {**os.environ, **names, "LOG_NAME": str(port)}
            self._watches.append(
                subprocess.Popen(command, env=own, start_new_session=True)
            )

    @property
    def url(self) -> str:
        return self.url_by(*self.sentinels)

    def url_by(self, *sentinels: int) -> str:
        """How the log finds the master by some of the Sentinels."""
        nodes = ",".join(map(self.address, sentinels))
        return f"redis+sentinel://{nodes}/{SERVICE}/0"

    @property
    def master(self) -> int:
        """The port of the server that is the master, as soon as there is one."""
        return wait_for("a master", self._find_master)

    def _find_master(self) -> int | None:
        """Return whom all Sentinels take for the master, if it takes itself for one.

        A server that has been replaced goes on calling itself a master for a while.
        """
        named = {self._named_by(sentinel) for sentinel in self.sentinels}
        is_one = len(named) == 1 and self._is_master(*named)
        return named.pop() if is_one else None

    def _named_by(self, sentinel: int) -> int:
        told = self.ask(sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        return int(told[1])

    def _is_master(self, port: int) -> bool:
        try:
            return bool(self.ask(port, "ROLE")[0] == "master")
        except LogUnavailable:
            return False

    def masters(self) -> list[int]:
        """Return the ports of the servers that take writes: there is one."""
        return [self.master]

    def revive(self, port: int) -> None:
        """Start a server again, as a replica of the one that is the master now.

        It reads its file while the Sentinels are still about it; and a server that is
        told of a master while it runs connects at once, not within a second.
        """
        others = [other for other in self.running if other != port]
        wait_for("a promotion", lambda: any(map(self._is_master, others)))
        nobody = {"replicaof": f"{self._hosts[port].address} {NOBODY}"}
        self._start(port, {**REPLICATED, **nobody})
        master = self.master
        self.ask(port, "REPLICAOF", self._hosts[master].address, master)

    def settle(self) -> None:
        """Return when every Sentinel knows all, and all replicas keep up."""
        wait_for("the replicas", self._is_replicated)
        for port in self.sentinels:
            wait_for("the Sentinels", lambda port=port: self._knows_all(port))

    def _is_replicated(self) -> bool:
        try:
            facts = str(self.ask(self.master, "INFO", "replication"))
        except LogUnavailable:
            return False
        return facts.count("state=online") == len(self.running) - 1

    def _knows_all(self, sentinel: int) -> bool:
        """Tell whether a Sentinel finds all others, and everything, well."""
        master = _facts(self.ask(sentinel, "SENTINEL", "MASTER", SERVICE))
        replicas = self.ask(sentinel, "SENTINEL", "REPLICAS", SERVICE)
        well = [row for row in map(_facts, replicas) if row["flags"] == "slave"]
        return (
            int(master["num-other-sentinels"]) == len(self.sentinels) - 1
            and master["flags"] == "master"
            and len(well) == len(self.running) - 1
        )

    def _watch(self, name: str, master: int) -> None:
        """Start a Sentinel; it notes what it learns in the file that it begins with."""
        folder, host = self._folder / name, self._new_host()
        folder.mkdir()
        port, file = redis_server.free_port(), folder / "sentinel.conf"
        watched = f"{self._hosts[master].address} {master}"
        file.write_text(
            f"port {port}\nbind {host.address}\nprotected-mode no\n"
            f"dir {folder}\nlogfile sentinel.log\n"
            f"sentinel monitor {SERVICE} {watched} 2\n"
            f"{PATIENCE}\n"
        )
        server = redis_server.find_server()
        assert server is not None
        self._hosts[port] = host
        self._processes[port] = subprocess.Popen(
            [*host.within, str(server.path), str(file), "--sentinel"]
        )
        redis_server.wait_until_ready(f"redis://{self.address(port)}")
        self.sentinels.append(port)


def _facts(told: list[str]) -> dict[str, str]:
    return dict(zip(told[::2], told[1::2], strict=True))


@contextmanager
def watched_by_sentinels(
    folder: Path, replicas: int = 2, network: Network | None = None
) -> Iterator[Sentinels]:
    """Run a master, replicas and Sentinels."""
    group = Sentinels(folder, replicas, network)
    try:
        group.begin()
        yield group
    finally:
        group.end()
