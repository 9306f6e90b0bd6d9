"""Senders, follower and receiver killed under load: each event arrives, in order."""

from pathlib import Path

from services.cli import redis_server
from tests.support.require import skip_without
from tests.webhooks.kills import run


def test_everything_arrives_in_order_whoever_is_killed(tmp_path: Path) -> None:
    """The long run is in `tests.webhooks.kills`."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")

    arrived = run(tmp_path, events=300, kills=8, matches=8, pause_s=0.5)

    assert arrived.missing == 0, str(arrived)
    assert arrived.out_of_order == 0, str(arrived)
    assert sum(arrived.expected.values()) > 300
