"""Redis servers of our own, on ports that somebody else may take first."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from services.cli import redis_server
from services.settings import Settings
from tests.support.network import HERE, Host

TRIES = 8


def start_redis(
    folder: Path, settings: dict[str, str]
) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start a server on a free port; return its URL and its process.

    Between finding a port and listening on it, a connection of another test may leave
    from there: then it is another port's turn.
    """
    for _ in range(TRIES - 1):
        try:
            return _start(folder, settings)
        except RuntimeError:  # it ended, and says why in redis.log of the folder
            continue
    return _start(folder, settings)


def _start(
    folder: Path, settings: dict[str, str]
) -> tuple[str, "subprocess.Popen[bytes]"]:
    port = redis_server.free_port()
    process = redis_server.start(folder, port, settings)
    return f"redis://127.0.0.1:{port}/0", process


def serve(
    folder: Path, port: int, settings: dict[str, str], host: Host = HERE
) -> "subprocess.Popen[bytes]":
    """Start a server on a host, and wait until it answers.

    :raises RuntimeError: it did not start.
    """
    binary = redis_server.find_server()
    assert binary is not None
    folder.mkdir(parents=True, exist_ok=True)
    there = {"bind": host.address, "protected-mode": "no"}
    command = redis_server.arguments(binary, folder, port, {**settings, **there})
    process = subprocess.Popen([*host.within, *command])
    redis_server.wait_until_ready(f"redis://{host.address}:{port}/0", process)
    return process


@contextmanager
def two_servers(folder: Path) -> Iterator[Settings]:
    """Run a Redis for the log and one for the queue; yield settings that name them."""
    log_url, log = start_redis(folder / "log", redis_server.DURABLE)
    queue_url, queue = start_redis(folder / "queue", redis_server.VOLATILE)
    try:
        yield Settings(
            redis_url=log_url, queue_url=queue_url, secret="s" * 32, data=folder
        )
    finally:
        for server in (log, queue):
            server.kill()
            server.wait()
