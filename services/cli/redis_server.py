"""Finds and starts a Redis server: the one on PATH, the bundled one, or none."""

import contextlib
import random
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from services.cli.forked import Process
from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis

BUNDLED = "seedlog-redis-server"
NONE_FOUND = (
    "there is no redis-server on PATH and none bundled, and nothing is kept without "
    "one: install redis-server, or set REDIS_URL and QUEUE_URL"
)
UNASKED_PORTS = (10_240, 32_000)
_CHANCE = random.SystemRandom()  # nobody seeds it
_given = set[int]()

# What "nothing acknowledged is lost" rests on; a test asks the running server for it.
DURABLE = {
    "appendonly": "yes",
    "appendfsync": "always",
    "stream-node-max-bytes": "2048",
    "maxmemory-policy": "noeviction",
    "save": "",  # the append-only file is the truth, and enough
}
VOLATILE = {"appendonly": "no", "save": ""}


@dataclass(frozen=True, slots=True)
class ServerBinary:
    """A redis-server program and where it was found, in words."""

    path: Path
    origin: str


def find_server() -> ServerBinary | None:
    """Return the redis-server on PATH, else the one beside Python, else None."""
    if path := shutil.which("redis-server"):
        return ServerBinary(Path(path), "redis-server on PATH")
    bundled = Path(sys.executable).parent / BUNDLED
    if bundled.exists():
        return ServerBinary(bundled, "the bundled redis-server")
    return None


def arguments(
    binary: ServerBinary, folder: Path, port: int, settings: dict[str, str]
) -> list[str]:
    """Return the command line that serves *folder* on a port of this host only."""
    command = [str(binary.path), "--port", str(port), "--bind", "127.0.0.1"]
    command += ["--dir", str(folder), "--logfile", "redis.log", "--daemonize", "no"]
    for name, value in settings.items():
        command += [f"--{name}", value]
    return command


def start(
    folder: Path, port: int, settings: dict[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a server and wait until it answers; for tests and short-lived use.

    :raises RuntimeError: there is no server, or it did not start.
    """
    binary = find_server()
    if binary is None:
        raise RuntimeError(NONE_FOUND)
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(arguments(binary, folder, port, settings))  # noqa: S603
    wait_until_ready(f"redis://127.0.0.1:{port}/0", process)
    return process


def wait_until_ready(
    url: str, process: Process | None = None, timeout_s: float = 30
) -> None:
    """Return when the server answers PING.

    :raises RuntimeError: it died, or does not answer in time.
    """
    redis = connect_redis(url)
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"redis-server ended with code {process.returncode}")
        try:
            redis.ping()
        except LogUnavailable:
            time.sleep(0.02)
        else:
            redis.close()
            return
    raise RuntimeError(f"Redis at {url} did not answer within {timeout_s} s")


def free_port() -> int:
    """Return a port of this host that nobody listens on at the moment.

    It is one that the system gives to no outgoing connection, which could take it
    before whoever asked can, and that this process has not asked for before.
    """
    while True:
        port = _CHANCE.randrange(*UNASKED_PORTS)
        if port in _given:
            continue
        _given.add(port)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
