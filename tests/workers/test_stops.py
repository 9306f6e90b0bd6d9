"""Workers killed, told to stop and stopped, under load: every turn is played."""

from pathlib import Path

from services.cli import redis_server
from tests.support.crew import KINDS
from tests.support.require import skip_without
from tests.workers.stops import run


def test_every_turn_is_played_whatever_happens_to_the_workers(tmp_path: Path) -> None:
    """The long run, which also says how soon, is in `tests.workers.stops`."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")

    waits = run(tmp_path, turns=50, stops=9, pause_s=0.4, at_once=2, workers=3)

    assert waits.unplayed == 0, str(waits)
    assert set(waits.stops) == set(KINDS)
