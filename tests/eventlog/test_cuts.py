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

LATER_S = 3.0
"""So long the former master stays away: another one has taken over by then."""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    with running_network() as network:
        yield network


def cut_the_master_off(group: Group, own_url: str, *, goes_on: bool) -> None:
    """Write to a master by the URL of all, and by its own, and cut it off meanwhile.

    Both writers reach it all the time, and all others, too; it reaches nobody else.
    *goes_on*: the next master has a replica, so that it can be written to at once.
    """
    stream = new_stream()
    master = group.master_of(stream)
    streams = iter(new_stream, "")
    beside = next(other for other in streams if group.master_of(other) == master)
    near = own_url.format(group.address(master))
    with Writer(group.url, 1, stream) as writer, Writer(near, 1, beside) as at_master:
        wait_for("writes", lambda: min(writer.head.version, at_master.head.version))
        with group.cut(master, but_here=True):
            wait_for("refusals", lambda: writer.refused and at_master.refused)
            told, kept = writer.head.version, at_master.head.version
            if goes_on:
                wait_for("a write", lambda: writer.head.version > told)
            time.sleep(LATER_S)
            is_kept = at_master.head.version == kept
        wait_for("a write", lambda: writer.head.version > told)
        group.settle()

    assert is_kept
    assert not writer.lost(group.url)
    assert not at_master.lost(group.url)


def test_a_master_that_sentinels_lost_acknowledges_nothing(
    network: Network, tmp_path: Path
) -> None:
    """Of its two replicas one has to hold an event; so has that of the next master."""
    with watched_by_sentinels(tmp_path, network=network) as group:
        cut_the_master_off(group, "redis://{}/0", goes_on=True)


def test_a_master_that_its_cluster_lost_acknowledges_nothing(
    network: Network, tmp_path: Path
) -> None:
    """Its one replica is the next master, and waits for it: there is no other."""
    with running_cluster(tmp_path, network=network) as group:
        cut_the_master_off(group, "redis+cluster://{}", goes_on=False)
