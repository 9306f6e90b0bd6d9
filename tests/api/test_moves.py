"""Moves, seats and resignations over HTTP."""

from typing import Any

import pytest

from services.bootstrap import Services
from tests.support.app import Client


@pytest.fixture
def match(client: Client) -> dict[str, Any]:
    return client.open_match()


@pytest.fixture
def south(client: Client, match: dict[str, Any]) -> Client:
    return client.holding(match["seat_tokens"]["south"])


@pytest.fixture
def moves(match: dict[str, Any]) -> str:
    return f"/v1/matches/{match['id']}/moves"


def test_a_move_answers_with_match_events_and_steps(south: Client, moves: str) -> None:
    answer = south.post(moves, {"move": "C"}, If_Match='"3"')

    body = answer.get_json()
    assert answer.status_code == 201
    assert answer.headers["ETag"] == '"4"'
    assert body["match"]["position"] == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    assert [event["type"] for event in body["events"]] == ["match.move_played"]
    assert body["events"][0]["by"] == "seat"
    assert body["steps"][0] == {"kind": "lift", "at": "C", "count": 4}


def test_the_etag_of_a_read_may_be_used_for_a_move(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    tag = client.get(f"/v1/matches/{match['id']}").headers["ETag"]

    assert "-" in tag
    assert south.post(moves, {"move": "A"}, If_Match=tag).status_code == 201


def test_an_app_speaks_for_its_human_seats(client: Client, moves: str) -> None:
    move = {"move": "A", "seat": "south", "expected_version": 3}

    answer = client.post(moves, move)

    assert answer.status_code == 201
    assert answer.get_json()["events"][0]["by"].startswith("key:")


def test_an_app_must_name_the_seat(client: Client, moves: str) -> None:
    answer = client.post(moves, {"move": "A", "expected_version": 3})

    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == "/seat"


def test_nobody_speaks_for_an_ai(client: Client) -> None:
    seats = {"south": {"kind": "ai", "level": 1}, "north": {"kind": "human"}}
    match = client.open_match(seats=seats)
    path = f"/v1/matches/{match['id']}"

    move = {"move": "A", "seat": "south", "expected_version": 3}
    assert client.post(f"{path}/moves", move).status_code == 403
    assert client.post(f"{path}/resignation", {"seat": "south"}).status_code == 403


def test_a_token_acts_for_its_seat_alone(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    other = client.open_match()
    foreign = client.holding(other["seat_tokens"]["south"])

    move = {"move": "A", "expected_version": 3}
    assert foreign.post(moves, move).status_code == 403
    assert foreign.get(f"/v1/matches/{match['id']}").status_code == 403
    assert south.post(moves, {**move, "seat": "north"}).status_code == 403
    forged = south.token[:-2] + ("AA" if south.token[-2:] != "AA" else "BB")
    assert client.holding(forged).post(moves, move).status_code == 401
    assert client.holding("sk_wrong").post(moves, move).status_code == 401
    assert client.holding("").post(moves, move).status_code == 401


def test_a_renewed_token_replaces_the_earlier_ones(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    path = f"/v1/matches/{match['id']}/players/south/token"
    renewed = client.post(path, Idempotency_Key="k").get_json()["seat_token"]
    again = client.post(path, Idempotency_Key="k")

    assert (again.status_code, again.get_json()["seat_token"]) == (200, renewed)
    move = {"move": "A", "expected_version": 3}
    assert south.post(moves, move).status_code == 401
    assert south.get(f"/v1/matches/{match['id']}").status_code == 401
    # The position is still that of version 3: a renewed token is not a move.
    assert client.holding(renewed).post(moves, move).status_code == 201


def test_a_revoked_key_is_refused(client: Client, services: Services) -> None:
    secret, key = services.tenants.create_key("ten_a")
    services.tenants.revoke_key(key.id)

    assert client.holding(secret).get("/v1/matches").status_code == 401


def test_the_stale_version_is_answered_with_the_current_one(
    client: Client, south: Client, moves: str
) -> None:
    south.post(moves, {"move": "C"}, If_Match='"3"')

    answer = south.post(moves, {"move": "A"}, If_Match='"3"')

    assert answer.status_code == 412
    assert answer.get_json()["version"] == 4


def test_a_move_without_a_version_is_asked_for_one(south: Client, moves: str) -> None:
    assert south.post(moves, {"move": "A"}).status_code == 428


@pytest.mark.parametrize("header", ["3", 'W/"3"', '"3", "4"', '"x"', "*"])
def test_an_if_match_that_cannot_be_read_is_refused(
    south: Client, moves: str, header: str
) -> None:
    answer = south.post(moves, {"move": "A"}, If_Match=header)

    assert answer.get_json()["type"] == "/problems/invalid-header"


def test_header_and_body_must_not_disagree(south: Client, moves: str) -> None:
    answer = south.post(moves, {"move": "A", "expected_version": 2}, If_Match='"3"')

    assert answer.status_code == 422


def test_a_version_of_the_future_is_not_there(south: Client, moves: str) -> None:
    assert south.post(moves, {"move": "A"}, If_Match='"9"').status_code == 404


def test_an_illegal_move_is_answered_with_the_legal_ones(
    south: Client, moves: str
) -> None:
    problem = south.post(moves, {"move": "a"}, If_Match='"3"').get_json()

    assert problem["type"] == "/problems/illegal-move"
    assert problem["legal_moves"] == ["A", "B", "C", "D", "E", "F"]


def test_the_other_seat_waits_its_turn(
    client: Client, match: dict[str, Any], moves: str
) -> None:
    north = client.holding(match["seat_tokens"]["north"])

    answer = north.post(moves, {"move": "a"}, If_Match='"3"')

    assert answer.status_code == 409
    assert answer.get_json()["to_move"] == "south"


def test_a_match_with_a_free_seat_has_not_begun(client: Client) -> None:
    match = client.open_match(seats={"south": {"kind": "human"}})
    south = client.holding(match["seat_tokens"]["south"])

    path = f"/v1/matches/{match['id']}/moves"
    answer = south.post(path, {"move": "A"}, If_Match='"2"')

    assert answer.get_json()["type"] == "/problems/match-not-started"
    assert answer.get_json()["free_seats"] == ["north"]


def test_a_match_that_is_over_accepts_nothing(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    path = f"/v1/matches/{match['id']}/resignation"
    resigned = south.send("POST", path, headers=south.authorization())
    assert resigned.status_code == 201
    assert resigned.get_json()["match"]["outcome"]["winner"] == "north"

    move = south.post(moves, {"move": "A"}, If_Match='"3"')

    assert move.get_json()["reason"] == "resignation"
    assert south.post(path).status_code == 409
    assert client.post(path, {}).status_code == 422


def test_a_retry_is_answered_as_the_first_time(south: Client, moves: str) -> None:
    first = south.post(moves, {"move": "C"}, If_Match='"3"', Idempotency_Key="k")
    south.post(moves, {"move": "A"}, If_Match='"4"')

    again = south.post(moves, {"move": "C"}, If_Match='"3"', Idempotency_Key="k")

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.get_json() == first.get_json()
    assert again.headers["ETag"] == first.headers["ETag"]


def test_a_key_used_for_something_else_is_refused(south: Client, moves: str) -> None:
    south.post(moves, {"move": "C"}, If_Match='"3"', Idempotency_Key="k")

    answer = south.post(moves, {"move": "A"}, If_Match='"4"', Idempotency_Key="k")
    too_long = south.post(moves, {"move": "A"}, Idempotency_Key="k" * 201)

    assert answer.get_json()["type"] == "/problems/idempotency-key-reused"
    assert too_long.status_code == 400


def test_two_players_may_use_the_same_key(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    north = client.holding(match["seat_tokens"]["north"])
    south.post(moves, {"move": "A"}, If_Match='"3"', Idempotency_Key="1")

    answer = north.post(moves, {"move": "a"}, If_Match='"4"', Idempotency_Key="1")

    assert answer.status_code == 201


def test_players_sit_down_until_every_seat_is_taken(client: Client) -> None:
    match = client.open_match(seats={})
    path = f"/v1/matches/{match['id']}/players"

    first = client.post(path, {"kind": "human", "name": "Amara"}, Idempotency_Key="k")
    again = client.post(path, {"kind": "human", "name": "Amara"}, Idempotency_Key="k")
    second = client.post(path, {"kind": "ai", "level": 8, "seat": "north"})
    third = client.post(path, {"kind": "human"})

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.get_json() == again.get_json()
    assert first.get_json()["seat"] == "south"
    assert second.get_json()["match"]["status"] == "running"
    assert "seat_token" not in second.get_json()
    assert third.get_json()["type"] == "/problems/seat-taken"
    nowhere = client.post(path, {"kind": "human", "seat": "east"})
    assert nowhere.get_json()["seats"] == ["south", "north"]


def test_the_events_tell_the_whole_match(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    south.post(moves, {"move": "C"}, If_Match='"3"')
    path = f"/v1/matches/{match['id']}/events"

    plain = client.get(path).get_json()
    page = south.get(f"{path}?after=1&limit=2").get_json()
    shown = south.get(f"{path}?after=3&include=position").get_json()["data"]

    assert [event["version"] for event in plain["data"]] == [1, 2, 3, 4]
    assert [event["version"] for event in page["data"]] == [2, 3]
    assert page["next_cursor"] == "3"
    assert page["data"] == plain["data"][1:3]
    assert shown[0]["position"] == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    assert shown[0]["steps"][0]["kind"] == "lift"
    assert client.get(f"{path}?after=9").get_json()["data"] == []
    assert client.get(f"{path}?include=all").status_code == 400


def test_the_events_as_they_were_at_a_version_never_change(
    client: Client, south: Client, match: dict[str, Any], moves: str
) -> None:
    path = f"/v1/matches/{match['id']}/events"
    then = client.get(f"{path}?version=3")
    south.post(moves, {"move": "C"}, If_Match='"3"')

    now = client.get(f"{path}?version=3")

    assert "immutable" in now.headers["Cache-Control"]
    assert now.headers["ETag"] == then.headers["ETag"]
    assert now.get_json() == then.get_json()
    assert [event["version"] for event in now.get_json()["data"]] == [1, 2, 3]
    page = client.get(f"{path}?version=3&limit=2").get_json()
    assert page["next_cursor"] == "2"
    rest = client.get(f"{path}?version=3&after=2").get_json()
    assert [event["version"] for event in rest["data"]] == [3]
    assert rest["next_cursor"] is None
    assert client.get(f"{path}?version=3&after=3").get_json()["data"] == []
    unknown = client.get(f"{path}?version=5")
    assert unknown.status_code == 404
    assert unknown.get_json()["type"].endswith("no-such-version")
    assert client.get(f"{path}?version=0").status_code == 400


def test_a_guest_gets_one_seat_and_no_more_matches_than_allowed(
    client: Client,
) -> None:
    nobody = client.holding("")
    body = {"game": "reversi", "seat": "white", "level": 2}

    match = nobody.post("/v1/guest-matches", body).get_json()

    assert match["seat"] == "white"
    assert set(match["seat_tokens"]) == {"white"}
    guest = client.holding(match["seat_tokens"]["white"])
    assert guest.get(f"/v1/matches/{match['id']}").status_code == 200
    assert guest.get("/v1/matches").status_code == 403
    assert client.get(f"/v1/matches/{match['id']}").status_code == 404
    for _ in range(2):
        assert nobody.post("/v1/guest-matches", body).status_code == 201
    refused = nobody.post("/v1/guest-matches", body)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 2 * 3600  # a window that slides
    nowhere = nobody.post("/v1/guest-matches", {**body, "seat": "south"})
    assert nowhere.status_code == 422
