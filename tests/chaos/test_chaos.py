"""Nothing acknowledged is lost, doubled, stuck or miscounted, whatever dies or hangs.

A killed process does not test fsync; that the server is told to sync every append is
asserted from the running server. `make chaos` does the same for as long as you like,
with more who play: here few do, and slowly, beside all other tests.
"""

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from services.cli import redis_server
from services.client import Seedlog
from services.client.shapes import MatchSummary
from services.eventlog.connection import Connections
from tests.chaos.beside import SIGNED, shared
from tests.chaos.parts import parts_of
from tests.chaos.run import HEARTBEAT_S, WORKERS, Result, audit, run, tell
from tests.support.commands import seedlog
from tests.support.crowd import Orders
from tests.support.ledger import judge, miscounted
from tests.support.patience import wait_for
from tests.support.stack import Stack, running_stack

SECONDS = float(os.environ.get("SEEDLOG_CHAOS_S", "180"))
CLIENTS = 4
REST_S = 0.2
PROBE_EVERY_S = 0.5
LONGEST_REPLY_S = 30.0  # longer, and a turn was lost; how soon one comes the run tells
LEAST_FAULTS_A_MINUTE = 12
LEAST_MOVES_A_MINUTE = 120
AROUND_S = 300.0
"""What starting, judging and coming to rest may take besides."""

pytestmark = pytest.mark.timeout(SECONDS + AROUND_S)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("chaos")
    with running_stack(folder, **WORKERS, **SIGNED) as running:
        yield running


@pytest.fixture(scope="module")
def result(stack: Stack) -> Result:
    orders = Orders(
        stack.url, stack.api_key, CLIENTS, 0.5, HEARTBEAT_S, seed=7, rest_s=REST_S
    )
    wait = lambda: time.sleep(SECONDS)  # noqa: E731
    with shared(stack, SIGNED) as beside:
        parts = parts_of(stack, beside)
        return run(stack.url, stack.api_key, parts, wait, orders, PROBE_EVERY_S)


def test_every_append_is_synced(stack: Stack) -> None:
    redis = Connections(stack.facts["redis_url"])
    for name, value in redis_server.DURABLE.items():
        assert redis.call("CONFIG", "GET", name) == [name, value]


def is_sound(stack: Stack) -> bool:
    """Tell whether the doctor finds nothing wrong; workers sign on within seconds."""
    doctor = seedlog("doctor", SEEDLOG_DATA=str(stack.data))
    print(doctor.output)
    return doctor.exit_code == 0


def test_what_was_acknowledged_is_there_once_and_everything_goes_on(
    stack: Stack, result: Result
) -> None:
    tell(result, SECONDS)
    assert not any(result.wrong.values()), result.wrong
    assert len(result.faults) > LEAST_FAULTS_A_MINUTE * SECONDS / 60
    assert len(result.ledger.moves) > LEAST_MOVES_A_MINUTE * SECONDS / 60
    waits = [delay.seconds for delays in result.replies.values() for delay in delays]
    assert max(waits) < LONGEST_REPLY_S
    assert audit(stack)
    wait_for("a sound stack", lambda: is_sound(stack))
    said = (stack.data / "output.txt").read_text()
    assert said.count("SIGKILL); starting it again") >= 3


def test_a_lost_and_a_doubled_move_would_be_found(stack: Stack, result: Result) -> None:
    """What judges the run is judged itself."""
    (match_id, version), move = next(iter(result.ledger.moves.items()))
    result.ledger.moves[match_id, version] = "no such move"
    told = judge(stack.client, result.ledger, [match_id])
    assert [line.split(": ")[1] for line in told.lost] == [
        f"no such move, {move} there"
    ]

    del result.ledger.moves[match_id, version]
    told = judge(stack.client, result.ledger, [match_id])
    assert told.doubled == [f"{match_id} version {version}"]
    assert not told.is_clean


def test_a_view_that_is_behind_or_counts_twice_would_be_found(
    stack: Stack, result: Result
) -> None:
    versions = result.verdict.versions
    match_id, version = next(iter(versions.items()))
    assert miscounted(stack.client, versions) == []
    assert len(miscounted(stack.client, {match_id: version + 1})) == 1

    class Twice(Seedlog):
        def matches(self, **_: Any) -> Iterator[MatchSummary]:
            first, *others = super().matches()
            yield from [first, first, *others]

    with Twice(stack.url, stack.api_key) as client:
        assert len(miscounted(client, versions)) == 1
