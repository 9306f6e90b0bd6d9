"""Two hundred look for somebody at once, and half of them close their connections.

How long anybody waits beside somebody who fits is for the bench
(`tests/bench/lobby.py`).
"""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.support.patience import wait_for
from tests.support.seekers import seek_all
from tests.support.stack import Stack, running_stack

PLAYERS = 200


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Run a stack in which nobody else looks for an opponent."""
    folder = tmp_path_factory.mktemp("stack")
    with running_stack(folder, SEEDLOG_AI_WORKERS="0") as stack:
        yield stack


def test_nobody_gets_two_seats_and_nobody_is_left(stack: Stack) -> None:
    seekers = asyncio.run(seek_all(stack, PLAYERS, within_s=2, wait_s=6))
    matched = [s.told for s in seekers if s.told and s.told["status"] == "matched"]
    told = {each["match"]["id"] for each in matched}

    def listed() -> list[dict[str, Any]] | None:
        rows = list(stack.client.matches())
        return rows if told <= {row["id"] for row in rows} else None

    opened = wait_for("the list", listed)
    seated = [
        who["player"] for match in opened for who in match["seats"].values() if who
    ]
    stayed = [seeker for seeker in seekers if not seeker.vanishes]
    assert {status for s in seekers for status in s.statuses} <= {201, 202}
    assert len(seated) == len(set(seated)) == 2 * len(opened)
    left = [s for s in stayed if s.told is None or s.told["status"] != "matched"]
    assert len(left) <= 1, "two who fit were left beside each other"
    for seeker in seekers:
        if seeker.told and seeker.told["status"] == "matched":
            seat = seeker.told["match"]["seats"][seeker.told["seat"]]
            assert seat["player"] == seeker.player
            assert seeker.player in seated


def test_the_end_of_a_connection_does_not_end_the_same_request_by_another(
    stack: Stack,
) -> None:
    """A client whose connection broke sends its request again, with the same key."""
    headers = {"Authorization": f"Bearer {stack.api_key}", "Idempotency-Key": "k"}
    url, wanted = f"{stack.url}/v1/seeks", {"game": "oware", "wait_s": 20}
    with ThreadPoolExecutor() as pool:
        with httpx.Client() as broken:
            with pytest.raises(httpx.ReadTimeout):
                broken.post(url, json=wanted, headers=headers, timeout=1)
            again = pool.submit(
                httpx.post, url, json=wanted, headers=headers, timeout=30
            )
            time.sleep(0.3)
        time.sleep(1.5)  # the first connection is closed, and was missed by now
        found = stack.client.lobby.seek("oware")
    told = again.result()
    assert told.status_code == 201
    assert found["match"] is not None
    assert told.json()["match"]["id"] == found["match"]["id"]
