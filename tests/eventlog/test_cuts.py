"""A master is cut off from its own, and a client still reaches it.

It takes what it is sent, and does not know that it is no master any more. So nothing is
acknowledged that its replicas do not hold, and whoever writes finds the next master.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli import redis_server
from tests.support.appending import new_stream
from tests.support.cluster import running_cluster
from tests.support.group import Group
from tests.support.network import Network, running_network
from tests.support.patience import wait_for
from tests.support.require import skip_without
from tests.support.sentinels import watched_by_sentinels
from tests.support.writer import Writer

PROMISED_S = 5.0
LATER_S = 1.0
"""So long the next master is written to before the former one is back."""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    with running_network() as network:
        yield network


def cut_the_master_off(group: Group, own_url: str, replicas: int) -> None:
    """Write to a master by the URL of all, and by its own, and cut it off meanwhile.

    Both writers still reach it, and all others; it reaches nobody else.
    """
    stream = new_stream()
    master = group.master_of(stream)
    others = [port for port in group.everybody if port != master]
    streams = iter(new_stream, "")
    beside = next(other for other in streams if group.master_of(other) == master)
    near = own_url.format(group.address(master))
    with (
        Writer(group.url, replicas, stream) as writer,
        Writer(near, replicas, beside) as at_master,
    ):
        wait_for("writes", lambda: min(writer.head.version, at_master.head.version))
        with group.cut(master, *others):
            began = time.monotonic()
            wait_for("refusals", lambda: writer.refused and at_master.refused)
            told = writer.head.version
            wait_for("a write", lambda: writer.head.version > told)
            refused_s = time.monotonic() - began
            time.sleep(LATER_S)
        group.settle()

    name, count = type(group).__name__, writer.head.version
    told_near = f"{at_master.head.version} by its own"
    print(f"{name}: no write for {refused_s:.2f} s, {count} written, {told_near}")
    assert refused_s < PROMISED_S
    assert not writer.lost(group.url)
    assert not at_master.lost(group.url)


def test_a_master_that_sentinels_lost_acknowledges_nothing(
    network: Network, tmp_path: Path
) -> None:
    with watched_by_sentinels(tmp_path, network=network) as group:
        cut_the_master_off(group, "redis://{}/0", 2)


def test_a_master_that_its_cluster_lost_acknowledges_nothing(
    network: Network, tmp_path: Path
) -> None:
    with running_cluster(tmp_path, network=network) as group:
        cut_the_master_off(group, "redis+cluster://{}", 1)
