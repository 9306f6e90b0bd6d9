"""The Python client on a bad network: one effect of each act, each event told once."""

import random
import threading
from collections.abc import Iterator

import pytest

from services.client import Seedlog, Unreachable
from services.client.shapes import Match
from tests.client.world import AGAINST_AI, HUMANS, SHORT, World
from tests.support.proof import prove


@pytest.fixture
def client(world: World) -> Iterator[Seedlog]:
    with world.client() as client:
        yield client


def play_to_the_end(client: Seedlog, match: Match, chance: random.Random) -> int:
    """Play both seats; return how many moves were acknowledged."""
    moves = 0
    while not match["outcome"]:
        match = client.play(
            match["id"],
            chance.choice(match["legal_moves"]),
            version=match["version"],
            seat=match["to_move"],
        )["match"]
        moves += 1
    return moves


@pytest.mark.parametrize(
    ("cut_requests", "cut_answers"),
    [(0.3, 0.0), (0.0, 0.3), (0.2, 0.2)],
    ids=["before the append", "after the append", "both"],
)
def test_each_act_has_one_effect_however_often_it_is_sent(
    world: World, client: Seedlog, cut_requests: float, cut_answers: float
) -> None:
    before = len(list(client.matches()))
    world.api.cut_requests, world.api.cut_answers = cut_requests, cut_answers
    world.api.cuts, chance = 0, random.Random(7)
    opened = [client.open_match("kalah", HUMANS, options=SHORT) for _ in range(4)]

    moves = {m["id"]: play_to_the_end(client, m, chance) for m in opened[1:]}
    client.offer_draw(opened[0]["id"], "south")
    client.answer_draw(opened[0]["id"], True, "north")
    while world.api.cuts <= 3:  # chance may have spared them
        opened.append(client.open_match("kalah", HUMANS, options=SHORT))

    assert world.api.cuts > 3
    world.mend()
    assert len({match["id"] for match in opened}) == len(opened) >= 4
    world.stack.client.wait_for_end(opened[3]["id"])
    for match_id, count in moves.items():
        log = prove(client, match_id)
        assert sum(event["type"] == "match.move_played" for event in log) == count
    agreed = [event["type"] for event in prove(client, opened[0]["id"])]
    assert agreed[3:] == ["match.draw_offered", "match.draw_accepted", "match.ended"]
    count = before + len(opened)
    assert len(await_rows(client, count)) == count


def await_rows(client: Seedlog, count: int) -> list[str]:
    """Return the ids of the list of matches, once it has as many."""
    for _ in range(200):
        rows = [row["id"] for row in client.matches()]
        if len(rows) >= count:
            break
        threading.Event().wait(0.05)
    return rows


def test_a_match_is_followed_without_gap_or_repetition(
    world: World, client: Seedlog
) -> None:
    """Frames are cut in their middle, and the stream is taken up where it was."""
    match = client.open_match("oware", HUMANS)
    world.streams.cut_answers, world.streams.cuts = 0.4, 0
    player = threading.Thread(
        target=play_to_the_end, args=(world.stack.client, match, random.Random(3))
    )
    player.start()

    told = list(client.follow(match["id"], within_s=120))

    player.join()
    world.mend()
    log = list(client.events(match["id"], position=True))
    assert world.streams.cuts > 0
    assert told == log


def test_what_an_app_follows_is_whole_while_streams_and_api_are_cut(
    world: World, client: Seedlog
) -> None:
    begin = max([0, *(entry["seq"] for entry in client.feed())])
    world.streams.cut_answers = world.api.cut_answers = 0.2
    wanted = [client.open_match("kalah", AGAINST_AI)["id"] for _ in range(3)]
    for match_id in wanted:
        client.resign(match_id, "south")

    told = []
    for entry in client.follow_all(begin, within_s=120):
        told.append(entry)
        if len({e["match"] for e in told if e["type"] == "match.ended"}) == 3:
            break

    world.mend()
    assert [entry["seq"] for entry in told] == list(
        range(begin + 1, begin + 1 + len(told))
    )
    assert told == [e for e in client.feed(begin) if e["seq"] <= told[-1]["seq"]]


def test_a_match_is_followed_where_there_are_no_streams(
    world: World, client: Seedlog
) -> None:
    """Where the stream is not reached, the log is read by pages."""
    match = client.open_match("kalah", AGAINST_AI)
    world.streams.cut_requests = 1.0
    client.resign(match["id"], "south")

    told = [event["type"] for event in client.follow(match["id"], within_s=60)]

    assert told[-2:] == ["match.resigned", "match.ended"]


def test_a_stream_that_falls_silent_is_noticed(world: World, client: Seedlog) -> None:
    """It is open, and not even a heartbeat comes: a stream that does is followed."""
    match = client.open_match("kalah", HUMANS)
    world.streams.mute, world.streams.connections = 1, 0
    world.api.mute = 0

    entries = client.follow(match["id"], match["version"], within_s=60)
    client.play(match["id"], "C", version=match["version"], seat="south")

    assert next(entries)["data"]["move"] == "C"
    entries.close()
    assert world.streams.mute == 0


def test_whoever_cannot_be_reached_is_told_so_with_the_key(world: World) -> None:
    """So that the same request can be sent again later, and is not a second one."""
    with world.client(retry_for_s=0.5) as client:
        match = client.open_match("kalah", HUMANS)
        world.api.cut_answers = 1.0
        with pytest.raises(Unreachable) as lost:
            client.play(match["id"], "C", version=3, seat="south")
        world.mend()

        played = client.play(
            match["id"],
            "C",
            version=3,
            seat="south",
            idempotency_key=lost.value.idempotency_key,
        )

        assert [event["version"] for event in played["events"]] == [4]
        assert client.match(match["id"])["version"] == 4
