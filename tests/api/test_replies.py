"""A move that waits for the reply of an AI: it gets it, and holds up nobody."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.api.replies import Replies
from services.bootstrap import Services
from services.match import Handled, PlayMove
from tests.support.app import Client
from tests.support.contract import check_schema
from tests.support.serving import Client as Wire
from tests.support.serving import Server, get, post, serving

AI = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": 1}}
MOVE = {"move": "A", "seat": "south", "expected_version": 3}
WORKER = "services.http.wire.worker.Worker"
LAST_MOVE, LATER_MOVES = "b", ("c", "b")  # c of north ends in its store: once more


@pytest.fixture
def server(services: Services, tmp_path: Path) -> Iterator[Server]:
    """Run the API on two threads, beside the services of this process."""
    settings = {
        "REDIS_URL": services.settings.redis_url,
        "SEEDLOG_DATA": str(tmp_path),
        "SEEDLOG_SECRET": services.settings.secret,
    }
    with (
        (tmp_path / "log").open("w+b") as output,
        serving(
            output,
            "--threads=2",
            worker=WORKER,
            app="services.api.wsgi:app()",
            **settings,
        ) as running,
    ):
        yield running


def reply(services: Services, match_id: str, move: str) -> Handled:
    """Play as the AI does."""
    command = PlayMove(seat="north", move=move)
    return services.matches.handle(match_id, command, by="ai:1")


def asked(client: Client, match_id: str, wait_s: int, *headers: str) -> bytes:
    body = json.dumps({**MOVE, "wait_for_reply_s": wait_s}).encode()
    token = f"Authorization: Bearer {client.token}"
    sent = ("Content-Type: application/json", token, *headers)
    return post(body, *sent, path=f"/v1/matches/{match_id}/moves")


def heard(wire: Wire) -> dict[str, Any]:
    answer = wire.receive()
    assert answer is not None
    assert answer.status in (200, 201), answer
    check_schema({"$ref": "#/components/schemas/Acted"}, answer.json)
    assert answer.headers["etag"] == f'"{answer.json["match"]["version"]}"'
    body: dict[str, Any] = answer.json
    return body


def test_more_moves_wait_than_there_are_threads(
    client: Client, services: Services, server: Server
) -> None:
    """Others are answered meanwhile; each hears all that its AI has done."""
    ids = [client.open_match(seats=AI)["id"] for _ in range(6)]
    wires = [server.connect() for _ in ids]
    for wire, match_id in zip(wires, ids, strict=True):
        wire.send(asked(client, match_id, 10))
    with server.connect() as other:
        for match_id in ids:
            path = f"/v1/matches/{match_id}"
            while True:  # until the move is on record
                answer = other.ask(get(path, f"Authorization: Bearer {client.token}"))
                if answer.json["version"] == 4:
                    break
        for move in LATER_MOVES:
            for match_id in ids:
                reply(services, match_id, move)

    for wire, match_id in zip(wires, ids, strict=True):
        body = heard(wire)
        wire.close()
        events = client.get(f"/v1/matches/{match_id}/events?after=4&include=position")
        assert body["reply"] == events.get_json()["data"]
        assert [e["data"]["move"] for e in body["reply"]] == [*LATER_MOVES]
        match = client.get(f"/v1/matches/{match_id}").get_json()
        assert match.pop("stream_url")
        assert body["match"] == match
        assert [event["version"] for event in body["events"]] == [4]


def test_a_reply_that_does_not_come_leaves_the_plain_answer(
    client: Client, server: Server
) -> None:
    """So does the end of the server; a connection goes on after it."""
    first, second = (client.open_match(seats=AI)["id"] for _ in range(2))
    with server.connect() as wire:
        wire.send(asked(client, first, 1))
        plain = heard(wire)
        wire.send(asked(client, second, 10))
        with server.connect() as other:
            path = f"/v1/matches/{second}"
            token = f"Authorization: Bearer {client.token}"
            while other.ask(get(path, token)).json["version"] < 4:
                pass
        server.stop()
        ended = heard(wire)

    for body in (plain, ended):
        assert (body["reply"], body["match"]["version"]) == ([], 4)


def test_a_retry_is_answered_alike(
    client: Client, services: Services, server: Server
) -> None:
    """Whether the reply came in time for the first one, or after it."""
    match_id = client.open_match(seats=AI)["id"]
    key = "Idempotency-Key: k"
    with server.connect() as wire:
        wire.send(asked(client, match_id, 0, key))
        plain = heard(wire)
        wire.send(asked(client, match_id, 0, key))
        again = heard(wire)
        reply(services, match_id, LAST_MOVE)
        late = PlayMove(seat="south", move="B")
        services.matches.handle(match_id, late, by="seat")
        wire.send(asked(client, match_id, 0, key))
        with_reply = heard(wire)

    assert again == plain
    assert plain["reply"] == []
    assert [event["version"] for event in with_reply["reply"]] == [5]
    assert with_reply["match"]["version"] == 5
    assert with_reply["events"] == plain["events"]
    assert with_reply["steps"] == plain["steps"]


def test_who_has_nobody_to_wait_for_is_answered_at_once(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}/moves"

    answer = client.post(path, {**MOVE, "wait_for_reply_s": 10})

    assert answer.status_code == 201
    assert answer.get_json()["reply"] == []
    assert "reply" not in client.post(path, {**MOVE, "seat": "north"}).get_json()


def test_a_reply_that_ends_the_match_brings_its_end(
    client: Client, services: Services, server: Server
) -> None:
    """The end is an event of its own, by the server; a retry hears it, too."""
    ending = "3,0,0,0,1,1/1,0,0,0,0,0 18,24 S"
    match_id = client.open_match(seats=AI, position=ending)["id"]
    key = "Idempotency-Key: k"
    with server.connect() as wire, server.connect() as other:
        wire.send(asked(client, match_id, 10, key))
        path = f"/v1/matches/{match_id}"
        token = f"Authorization: Bearer {client.token}"
        while other.ask(get(path, token)).json["version"] < 4:
            pass
        reply(services, match_id, "a")
        told = heard(wire)
        wire.send(asked(client, match_id, 10, key))
        again = heard(wire)

    assert [e["type"] for e in told["reply"]] == ["match.move_played", "match.ended"]
    assert told["match"]["outcome"]["reason"] == "seeds"
    assert again == told


@pytest.mark.parametrize("wrong", [11, -1, 1.5, "5", True, None])
def test_a_wait_is_a_whole_number_up_to_ten(client: Client, wrong: object) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"

    answer = client.post(f"{path}/moves", {**MOVE, "wait_for_reply_s": wrong})

    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/wait_for_reply_s"
    assert client.get(path).get_json()["version"] == 3


def test_so_many_wait_and_the_rest_is_answered_at_once(
    client: Client, services: Services
) -> None:
    """Each that waits is woken once: by its reply, or when its time is over."""
    woken: list[tuple[str, bool]] = []

    def waker(name: str) -> Callable[[bool], None]:
        return lambda is_there: woken.append((name, is_there))

    replies = Replies(services.event_log, services.matches, services.folds, most=2)
    ids = [client.open_match(seats=AI)["id"] for _ in range(2)]
    for match_id in ids:
        client.post(f"/v1/matches/{match_id}/moves", MOVE)
    one, two = map(services.matches.load, ids)

    assert replies.wait(one, 60, waker("reply"))
    assert replies.wait(two, 0.01, waker("late"))
    assert not replies.wait(one, 60, waker("refused"))
    reply(services, one.id, LAST_MOVE)
    while len(woken) < 2:
        pass
    assert sorted(woken) == [("late", False), ("reply", True)]
    assert replies.wait(one, 60, waker("there already"))
    assert woken[2:] == [("there already", True)]


def test_an_earlier_reply_is_not_taken_for_the_one_that_is_waited_for(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The feed tells of it when the next move waits already, where the log is busy."""
    match_id = client.open_match(seats=AI)["id"]
    client.post(f"/v1/matches/{match_id}/moves", MOVE)
    reply(services, match_id, LAST_MOVE)
    move = PlayMove(seat="south", move="C")
    match = services.matches.handle(match_id, move, by="seat").match
    monkeypatch.setattr(type(services.event_log), "feed_ends", lambda _: {})
    replies = Replies(services.event_log, services.matches, services.folds)
    woken: list[bool] = []

    replies.wait(match, 0.5, woken.append)
    while not woken:
        pass
    assert woken == [False]

    replies.wait(match, 60, woken.append)
    assert match.position is not None
    reply(services, match_id, match.position.legal_moves[0])
    while len(woken) < 2:
        pass
    assert woken == [False, True]
