"""Hosts of our own, each a network namespace with a cable to a router between them.

What is cut off goes on running, and every packet from and to it vanishes at the router:
nobody is told, and no connection is closed. It takes root and iproute2::

    here .1 ---- router .254 ---- hosts .129, .130, ...     (198.18.N.0/24)
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.require import skip_without

NAMES = "seedlog-test-"
NAMESPACES = Path("/run/netns")
NETWORKS = 256
BEFORE_HOSTS = 128
RULES_BEFORE_MAIN = 100


@dataclass(frozen=True, slots=True)
class Host:
    """Where a process can run: its address, and what its command begins with."""

    address: str = "127.0.0.1"
    within: tuple[str, ...] = ()


HERE = Host()


class Network:
    """Hosts that reach each other, and this one; its names hold the process id."""

    def __init__(self) -> None:
        self._names = f"{NAMES}{os.getpid()}-"
        self._router = f"{self._names}router"
        self._cable = f"slt{os.getpid()}"
        self._count = BEFORE_HOSTS

    def begin(self) -> None:
        """Connect this host to a router."""
        _ip("netns", "add", self._router)
        forward = ("sysctl", "-qw", "net.ipv4.ip_forward=1")
        _ip("netns", "exec", self._router, *forward)
        cable = self._cable
        peer = ("peer", "host1", "netns", self._router)
        _ip("link", "add", cable, "type", "veth", *peer)
        for number in range(NETWORKS):
            self._network = f"198.18.{(os.getpid() + number) % NETWORKS}"
            _ip("addr", "replace", f"{self._network}.1/32", "dev", cable)
            _ip("link", "set", cable, "up")
            try:
                _ip("route", "add", f"{self._network}.0/24", *self._via_router(cable))
            except OSError:  # another run of tests has that one
                _ip("addr", "del", f"{self._network}.1/32", "dev", cable)
            else:
                self._plug_in(1)
                return
        raise OSError("198.18.0.0/16 is in use")

    def host(self) -> Host:
        """Return a new host."""
        self._count += 1
        number, name = self._count, f"{self._names}{self._count}"
        _ip("netns", "add", name)
        peer = ("peer", f"host{number}", "netns", self._router)
        _ip("-n", name, "link", "add", "eth0", "type", "veth", *peer)
        _ip("-n", name, "addr", "add", f"{self._network}.{number}/32", "dev", "eth0")
        for link in ("lo", "eth0"):
            _ip("-n", name, "link", "set", link, "up")
        _ip("-n", name, "route", "add", "default", *self._via_router("eth0"))
        self._plug_in(number)
        address = f"{self._network}.{number}"
        return Host(address, ("ip", "netns", "exec", name))

    @contextmanager
    def cut(self, host: Host, *, but_here: bool = False) -> Iterator[None]:
        """Let all packets to and from a host vanish, or all but those of this one."""
        others = f"{self._network}.128/25" if but_here else "all"
        # To it first: what it still sends is not acknowledged to it any more.
        ways = [
            ("from", others, "to", host.address),
            ("from", host.address, "to", others),
        ]
        rules = [(*way, "pref", str(RULES_BEFORE_MAIN), "blackhole") for way in ways]
        try:
            for rule in rules:
                _ip("-n", self._router, "rule", "add", *rule)
            yield
        finally:
            for rule in rules:
                _ip("-n", self._router, "rule", "del", *rule)

    def end(self) -> None:
        """Remove all hosts, and the processes that still run there."""
        with suppress(OSError):  # it was not made
            _ip("link", "del", self._cable)
        _remove(self._names)

    def _via_router(self, cable: str) -> tuple[str, ...]:
        return ("via", f"{self._network}.254", "dev", cable, "onlink")

    def _plug_in(self, number: int) -> None:
        port, router = f"host{number}", ("-n", self._router)
        _ip(*router, "addr", "add", f"{self._network}.254/32", "dev", port)
        _ip(*router, "link", "set", port, "up")
        _ip(*router, "route", "add", f"{self._network}.{number}", "dev", port)


def reason_for_none() -> str:
    """Return why there can be no hosts of our own here; nothing if there can be."""
    if os.geteuid() != 0:
        return "network namespaces take root"
    if shutil.which("ip") is None:
        return "there is no `ip` (iproute2) on PATH"
    probe = f"{NAMES}{os.getpid()}-probe"
    try:
        _ip("netns", "add", probe)
        _ip("-n", probe, "link", "add", "eth0", "type", "veth", "peer", "eth1")
    except OSError as error:
        return f"no network namespaces: {error}"
    finally:
        _remove(probe)
    return ""


@contextmanager
def running_network() -> Iterator[Network]:
    """Run a network, after what killed runs have left is removed; skip without one."""
    if reason := reason_for_none():
        skip_without("namespaces", reason)
    _remove_what_was_left()
    network = Network()
    try:
        network.begin()
        yield network
    finally:
        network.end()


def _remove_what_was_left() -> None:
    for path in [*NAMESPACES.glob(f"{NAMES}*")]:
        owner = path.name.removeprefix(NAMES).partition("-")[0]
        if not Path(f"/proc/{owner}").exists():
            _remove(path.name)


def _remove(names: str) -> None:
    """Remove the namespaces whose names begin so; cables go with them."""
    for path in [*NAMESPACES.glob(f"{names}*")]:
        with suppress(OSError):  # somebody else was quicker
            for pid in _ip("netns", "pids", path.name).split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            _ip("netns", "del", path.name)


def _ip(*arguments: str) -> str:
    """Run `ip`, and return what it prints.

    :raises OSError: it failed; says why.
    """
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
