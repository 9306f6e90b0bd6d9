"""Hosts of our own: who is cut off is not reached, and nothing is left behind."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from services.cli import redis_server
from services.eventlog import LogUnavailable
from tests.support.group import single_server
from tests.support.network import NAMES, NAMESPACES, reason_for_none, running_network
from tests.support.require import skip_without

BEGUN = """
import time
from tests.support.network import Network
network = Network()
network.begin()
network.host()
print("begun", flush=True)
time.sleep(60)
"""


def test_who_is_cut_off_is_not_reached_and_then_again(tmp_path: Path) -> None:
    """No connection is closed: what was sent meanwhile comes late."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    with (
        running_network() as network,
        single_server(tmp_path, redis_server.VOLATILE, network) as server,
    ):
        [port] = server.servers
        host = server.address(port).partition(":")[0]
        with socket.create_connection((host, port), timeout=0.3) as open_before:
            with server.cut(port):
                with pytest.raises(LogUnavailable):
                    server.ask(port, "PING")
                open_before.sendall(b"PING\r\n")
                with pytest.raises(TimeoutError):
                    open_before.recv(100)
            open_before.settimeout(10)
            assert open_before.recv(100) == b"+PONG\r\n"
        assert server.ask(port, "PING")


def test_what_a_killed_run_has_left_is_removed_by_the_next() -> None:
    if reason := reason_for_none():
        skip_without("namespaces", reason)
    command = [sys.executable, "-c", BEGUN]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"begun\n"
        killed.kill()
    left = f"{NAMES}{killed.pid}-*"
    assert len([*NAMESPACES.glob(left)]) == 2

    with running_network():
        assert not [*NAMESPACES.glob(left)]
