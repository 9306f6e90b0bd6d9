"""A whole stack on a Redis Cluster: what is played, told and archived.

One cluster and one stack for all tests here; what flushes the cluster stands in
`test_cluster_alone.py`, for a projector that runs would write into what follows. The
queue has a Redis of its own: RQ cannot be kept in a cluster.
"""

import time
from collections.abc import Iterator

import pytest

from tests.support.cluster import Cluster
from tests.support.commands import seedlog
from tests.support.patience import wait_for
from tests.support.receiver import Receiver, receiving
from tests.support.stack import ALL_KINDS, Stack, running_stack

SEATS = {
    "south": {"kind": "human", "name": "Amara", "player": "u-42"},
    "north": {"kind": "ai", "level": 1},
}


@pytest.fixture(scope="module")
def stack(
    redis_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    redis_cluster.flush()
    data = tmp_path_factory.mktemp("stack")
    settings = {
        "REDIS_URL": redis_cluster.url,
        "SEEDLOG_REPLICAS": "1",
        "SEEDLOG_WEBHOOK_PRIVATE": "1",
    }
    with running_stack(data, **ALL_KINDS, **settings) as stack:
        yield stack


def test_a_match_is_played_told_listed_analysed_and_archived(
    stack: Stack, redis_cluster: Cluster
) -> None:
    client = stack.client
    with receiving() as receiver:
        client.webhooks.create(receiver.url, ["*"])
        match_id = client.open_match("kalah", seats=SEATS)["id"]
        while (match := client.wait_for_turn(match_id, "south"))["legal_moves"]:
            move, version = match["legal_moves"][0], match["version"]
            client.play(match_id, move, seat="south", version=version)
        events = [event["version"] for event in client.events(match_id)]
        told = wait_for("all webhooks", lambda: told_whole(receiver, len(events)))

    assert events == [*range(1, match["version"] + 1)]
    assert {version for _, version in told} == {*events}
    assert client.audit(match_id)["ok"]
    [row] = wait_for("the list", lambda: [*client.matches(status="finished")])
    assert row["id"] == match_id
    assert client.players.read("u-42")["name"] == "Amara"
    asked = client.analyses.of_match(match_id, nodes=100)["id"]
    wait_for("the analysis", lambda: client.analyses.read(asked)["ended_at"])
    archived = seedlog(
        "archive",
        REDIS_URL=redis_cluster.url,
        SEEDLOG_DATA=str(stack.data),
        SEEDLOG_ARCHIVE_AFTER_HOURS="0",
    )
    assert "1 matches archived" in archived.output
    assert client.audit(match_id)["ok"]


def told_whole(receiver: Receiver, count: int) -> list[tuple[str, int]]:
    told = [message.said for message in receiver.messages]
    return told if len({*told}) == count else []


def test_a_page_of_followers_is_told_within_a_moment(stack: Stack) -> None:
    """By the bell of a feed: without it, it would be a second."""
    client = stack.client
    seats = {"south": {"kind": "human"}, "north": {"kind": "human"}}
    match = client.open_match("kalah", seats=seats)
    following = client.follow(match["id"], match["version"], within_s=20)
    waits = []
    for version in range(match["version"], match["version"] + 6):
        now = client.match(match["id"])
        began = time.monotonic()
        client.play(
            match["id"], now["legal_moves"][0], seat=now["to_move"], version=version
        )
        assert next(following)["version"] == version + 1
        waits.append(time.monotonic() - began)

    assert sorted(waits)[3] < 0.5, waits
