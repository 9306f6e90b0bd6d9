"""Clocks that run out while what keeps them is killed: each flag falls once, in time.

How late it is told is for the bench (`tests/bench/clocks.py`); what is on record says
the moment at which the time ran out, whoever noticed when.
"""

import os
import signal
import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from services.client import Seedlog, SeedlogError
from tests.support.patience import wait_for
from tests.support.proof import prove
from tests.support.stack import running_stack

CLOCKS = 24
HUMAN = {"kind": "human"}
OPENING: dict[str, Any] = {
    "game": "kalah",
    "seats": {"south": HUMAN, "north": HUMAN},
    "clock": {"initial_s": 4, "increment_s": 0},
}
VICTIMS = ("dispatcher", "gunicorn", "archiver", "dispatcher")


def test_every_flag_falls_once_at_its_time_whatever_is_killed(tmp_path: Path) -> None:
    with running_stack(tmp_path) as stack:
        client = stack.client
        opened = [client.open_match(**OPENING) for _ in range(CLOCKS)]
        first = datetime.fromisoformat(opened[0]["clock"]["flag_at"]).timestamp()
        time.sleep(max(first - 0.2 - time.time(), 0))
        for word in VICTIMS:
            for pid in stack.pids(word)[:1]:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.2)

        for match in opened:
            log = wait_for("a flag", partial(ended_log, client, match["id"]))
            [ended] = log[3:]
            assert (ended["type"], ended["data"]["reason"]) == ("match.ended", "time")
            assert ended["at"] == match["clock"]["flag_at"]


def ended_log(client: Seedlog, match_id: str) -> list[dict[str, Any]]:
    """Return the events of a match that is over, proved; none while the API is away."""
    try:
        is_over = client.match(match_id)["outcome"]
        return prove(client, match_id) if is_over else []
    except SeedlogError:
        return []
