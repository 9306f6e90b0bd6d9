"""Finding each other over HTTP: seeks, invitations, rematches."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from services.bootstrap import Services
from services.eventlog.library import connect_redis
from services.lobby import Lobby, Seek
from services.lobby.lobby import SEEKS
from tests.support.app import Client

SEEK = {"game": "kalah"}


def seeking(client: Client, player: str = "", **given: Any) -> dict[str, Any]:
    body = SEEK | ({"player": player} if player else {}) | given
    answer = client.post("/v1/seeks", body)
    assert answer.status_code in (200, 201, 202), answer.text
    told: dict[str, Any] = answer.get_json()
    return told


def test_two_who_seek_get_a_match_together(client: Client) -> None:
    first = seeking(client, "u-1", name="Amara")
    assert (first["status"], first["match"]) == ("waiting", None)
    second = seeking(client, "u-2")
    assert second["status"] == "matched"
    told = client.get(f"/v1/seeks/{first['id']}").get_json()
    assert told["status"] == "matched"
    assert told["match"]["id"] == second["match"]["id"]
    assert {told["seat"], second["seat"]} == {"south", "north"}
    mine = told["match"]["seats"][told["seat"]]
    assert (mine["player"], mine["name"]) == ("u-1", "Amara")
    for each in (told, second):
        token = client.holding(each["seat_token"])
        resigned = f"/v1/matches/{each['match']['id']}"
        assert token.get(resigned).status_code == 200
    assert client.get(f"/v1/matches/{told['match']['id']}/audit").get_json()["ok"]


def test_a_repeated_request_is_the_same_seek(client: Client) -> None:
    first = client.post("/v1/seeks", SEEK, Idempotency_Key="k")
    again = client.post("/v1/seeks", SEEK, Idempotency_Key="k")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.get_json()["id"] == again.get_json()["id"]
    other = client.post("/v1/seeks", SEEK | {"rated": False}, Idempotency_Key="k")
    assert other.status_code == 422
    matched = seeking(client)
    told = client.post("/v1/seeks", SEEK, Idempotency_Key="k")
    assert told.status_code == 200
    assert told.get_json()["match"]["id"] == matched["match"]["id"]
    other = client.post("/v1/seeks", SEEK | {"rated": False}, Idempotency_Key="k")
    assert other.status_code == 422


def test_who_was_paired_just_now_is_told_of_that_match(client: Client) -> None:
    seeking(client, "u-1")
    matched = seeking(client, "u-2")
    again = seeking(client, "u-1")
    assert again["match"]["id"] == matched["match"]["id"]
    path = f"/v1/matches/{matched['match']['id']}/cancellation"
    assert client.post(path).status_code == 201
    assert seeking(client, "u-1")["status"] == "waiting"


def test_who_seeks_something_else_is_not_told_of_another_match(client: Client) -> None:
    seeking(client, "u-1")
    seeking(client, "u-2")
    assert seeking(client, "u-1", game="oware")["status"] == "waiting"
    assert seeking(client, "u-2", rated=False)["status"] == "waiting"


def test_a_seek_is_ended(client: Client, stranger: Client) -> None:
    first = seeking(client)
    path = f"/v1/seeks/{first['id']}"
    for foreign in (stranger.get(path), stranger.call("DELETE", path)):
        assert foreign.status_code == 404
    assert client.call("DELETE", path).status_code == 204
    assert client.call("DELETE", path).status_code == 404
    assert client.get(path).status_code == 404
    assert seeking(client)["status"] == "waiting"


def test_what_was_found_is_not_ended(client: Client, stranger: Client) -> None:
    first, second = seeking(client), seeking(client)
    path = f"/v1/seeks/{first['id']}"
    assert stranger.get(path).status_code == 404
    assert stranger.call("DELETE", path).status_code == 404
    refused = client.call("DELETE", path)
    assert refused.status_code == 409
    assert refused.get_json()["match"] == second["match"]["id"]


def test_a_key_that_may_only_read_gets_no_seat(client: Client) -> None:
    first, _ = seeking(client), seeking(client)
    made = client.post("/v1/keys", {"role": "read"}).get_json()
    reader = client.holding(made["key"])
    assert reader.get(f"/v1/seeks/{first['id']}").status_code == 403
    assert reader.post("/v1/seeks", SEEK).status_code == 403


def test_apps_do_not_meet(client: Client, stranger: Client) -> None:
    seeking(client)
    assert seeking(stranger)["status"] == "waiting"


def test_two_who_want_something_else_do_not_meet(client: Client) -> None:
    seeking(client, "u-1")
    assert seeking(client, "u-2", options={"seeds": 6})["status"] == "waiting"
    clock = {"initial_s": 60, "increment_s": 0}
    assert seeking(client, "u-3", clock=clock)["status"] == "waiting"
    assert seeking(client, "u-4", options={"seeds": 4})["status"] == "matched"
    match = seeking(client, "u-5", clock=clock)["match"]
    assert match["clock"]["control"] == clock


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"game": "chess"},
        {"game": "kalah", "options": {"pits": 0}},
        {"game": "kalah", "clock": {"initial_s": 0}},
        {"game": "kalah", "player": "ai:3"},
        {"game": "kalah", "wait_s": 26},
        {"game": "kalah", "rating_within": 0},
        {"game": "kalah", "seat": "south"},
    ],
)
def test_what_cannot_be_sought(client: Client, body: dict[str, Any]) -> None:
    assert client.post("/v1/seeks", body).status_code == 422


# -- invitations


def invitation(client: Client, match_id: str, **given: Any) -> str:
    answer = client.post(f"/v1/matches/{match_id}/invitations", given)
    assert answer.status_code == 201, answer.text
    return str(answer.get_json()["token"])


def test_an_invitation_seats_its_holder_once(client: Client) -> None:
    match = client.open_match(seats={"south": {"kind": "human"}})
    token = invitation(client, match["id"])
    path = f"/v1/matches/{match['id']}/invitations/acceptance"
    guest = client.holding(token)
    seated = guest.post(path, {"name": "Beth"}, Idempotency_Key="k")
    assert seated.status_code == 201
    told = seated.get_json()
    assert (told["seat"], told["match"]["seats"]["north"]["name"]) == ("north", "Beth")
    again = guest.post(path, {"name": "Beth"}, Idempotency_Key="k")
    assert again.status_code == 200
    assert again.get_json()["seat_token"] == told["seat_token"]
    north = client.holding(told["seat_token"])
    assert north.get(f"/v1/matches/{match['id']}").status_code == 200
    assert client.get(f"/v1/matches/{match['id']}/audit").get_json()["ok"]


def test_an_invitation_is_no_key_to_the_seat(client: Client) -> None:
    """Whoever else has it is not told the token, whatever becomes of that."""
    match = client.open_match(seats={})
    token = invitation(client, match["id"])
    path = f"/v1/matches/{match['id']}"
    accept, renew = f"{path}/invitations/acceptance", f"{path}/players/south/token"
    guest = client.holding(token)
    first = guest.post(accept, Idempotency_Key="k").get_json()
    for key in ("", "another"):
        sent = {"Idempotency_Key": key} if key else {}
        refused = guest.post(accept, **sent)
        assert refused.status_code == 409
        assert "seat_token" not in refused.text
    assert client.get(path).get_json()["seats"]["north"] is None
    renewed = client.post(renew).get_json()["seat_token"]
    again = guest.post(accept, Idempotency_Key="k").get_json()
    assert again["seat_token"] == first["seat_token"] != renewed
    assert client.holding(again["seat_token"]).get(path).status_code == 401


def test_no_two_invitations_are_the_same(client: Client) -> None:
    match = client.open_match(seats={})
    path = f"/v1/matches/{match['id']}/invitations"
    tokens = [invitation(client, match["id"]) for _ in range(3)]
    assert len(set(tokens)) == 3
    seats = [
        client.holding(token).post(f"{path}/acceptance").get_json().get("seat")
        for token in tokens
    ]
    assert seats == ["south", "north", None]
    match = client.open_match(seats={})
    path = f"/v1/matches/{match['id']}/invitations"
    sent = [client.post(path, Idempotency_Key=key).get_json() for key in "aab"]
    assert sent[0] == sent[1] != sent[2]


def test_an_invited_player_is_that_player(client: Client) -> None:
    match = client.open_match(seats={})
    token = invitation(client, match["id"], seat="north", player="u-7")
    path = f"/v1/matches/{match['id']}/invitations/acceptance"
    assert client.holding(token).post(path, {"name": "Eve"}).status_code == 422
    told = client.holding(token).post(path).get_json()
    assert told["match"]["seats"]["north"]["player"] == "u-7"


def test_an_invitation_comes_too_late(client: Client) -> None:
    match = client.open_match(seats={"south": {"kind": "human"}})
    tokens = [invitation(client, match["id"]) for _ in range(2)]
    path = f"/v1/matches/{match['id']}/invitations/acceptance"
    seat = {"kind": "ai", "level": 1}
    assert client.post(f"/v1/matches/{match['id']}/players", seat).status_code == 201
    assert client.holding(tokens[0]).post(path).status_code == 409
    refused = client.post(f"/v1/matches/{match['id']}/invitations")
    assert refused.status_code == 409
    off = client.open_match(seats={})
    client.post(f"/v1/matches/{off['id']}/cancellation")
    refused = client.post(f"/v1/matches/{off['id']}/invitations")
    assert refused.get_json()["type"] == "/problems/match-over"


def test_what_is_no_invitation(client: Client) -> None:
    match = client.open_match(seats={})
    other = client.open_match(seats={})
    path = f"/v1/matches/{match['id']}/invitations/acceptance"
    token = invitation(client, match["id"])
    assert client.post(path).status_code == 403
    assert client.holding("sk_wrong").post(path).status_code == 401
    assert client.holding("").post(path).status_code == 401
    assert client.holding(token[:-1] + "!").post(path).status_code == 401
    foreign = client.holding(invitation(client, other["id"]))
    assert foreign.post(path).status_code == 403
    assert client.holding(token).get(f"/v1/matches/{match['id']}").status_code == 401
    late = client.post(
        f"/v1/matches/{match['id']}/invitations", {"expires_in_s": 60}
    ).get_json()
    ends = datetime.fromisoformat(late["expires_at"])
    assert ends < datetime.now(UTC) + timedelta(seconds=62)
    with patch("services.http.authentication.now_ms", lambda: 1000 * ends.timestamp()):
        assert client.holding(late["token"]).post(path).status_code == 401


# -- rematches


def over(client: Client, **given: Any) -> dict[str, Any]:
    match = client.open_match(**given)
    seat = next(iter(match["seats"]))
    path = f"/v1/matches/{match['id']}/resignation"
    assert client.post(path, {"seat": seat}).status_code == 201
    return match


def test_an_app_opens_a_rematch_with_seats_changed(client: Client) -> None:
    seats = {
        "south": {"kind": "human", "player": "u-1"},
        "north": {"kind": "human", "player": "u-2"},
    }
    clock = {"initial_s": 300, "increment_s": 2}
    match = over(client, seats=seats, options={"seeds": 6}, clock=clock, rated=False)
    path = f"/v1/matches/{match['id']}/rematches"
    assert client.get(path).get_json()["data"] == []
    answer = client.post(path)
    assert answer.status_code == 201
    rematch = answer.get_json()
    assert rematch["rematch_of"] == match["id"]
    assert rematch["seats"]["south"]["player"] == "u-2"
    assert rematch["seats"]["north"]["player"] == "u-1"
    assert (rematch["options"], rematch["rated"]) == (match["options"], False)
    assert rematch["clock"]["control"] == clock
    assert set(rematch["seat_tokens"]) == {"south", "north"}
    again = client.post(path)
    assert (again.status_code, again.get_json()["id"]) == (200, rematch["id"])
    assert [m["id"] for m in client.get(path).get_json()["data"]] == [rematch["id"]]
    assert client.get(f"/v1/matches/{rematch['id']}/audit").get_json()["ok"]


def test_players_agree_on_a_rematch_by_sitting_down(client: Client) -> None:
    match = over(client)
    south, north = (client.holding(t) for t in match["seat_tokens"].values())
    path = f"/v1/matches/{match['id']}/rematches"
    first = south.post(path)
    assert first.status_code == 201
    assert set(first.get_json()["seat_tokens"]) == {"north"}
    assert first.get_json()["status"] == "open"
    assert north.get(path).get_json()["data"][0]["status"] == "open"
    second = north.post(path)
    assert (second.status_code, second.get_json()["status"]) == (200, "running")
    assert set(second.get_json()["seat_tokens"]) == {"south"}
    assert second.get_json()["id"] == first.get_json()["id"]
    assert client.get(f"/v1/matches/{first.get_json()['id']}/audit").get_json()["ok"]


def test_an_ai_always_plays_again(client: Client) -> None:
    match = over(
        client, seats={"south": {"kind": "human"}, "north": {"kind": "ai", "level": 2}}
    )
    south = client.holding(match["seat_tokens"]["south"])
    rematch = south.post(f"/v1/matches/{match['id']}/rematches").get_json()
    assert rematch["status"] == "running"
    assert rematch["seats"]["south"] == {"kind": "ai", "level": 2}


@pytest.mark.parametrize(
    "given",
    [
        {"game": "reversi"},
        {"game": "kalah", "starter": "north"},
        {"game": "kalah", "position": "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"},
        {"game": "oware", "starter": "random"},
    ],
)
def test_a_rematch_begins_as_the_match_did(
    client: Client, given: dict[str, Any]
) -> None:
    if given.get("starter") == "fist":
        given = {"game": "reversi"}
    match = over(client, **given)
    rematch = client.post(f"/v1/matches/{match['id']}/rematches").get_json()
    assert rematch["starter_by"] == match["starter_by"]
    if match["starter_by"] is None:
        assert rematch["starter"] == match["starter"]
    assert rematch["position"] is not None
    if "position" in given:
        assert rematch["position"] == given["position"]


def test_no_rematch_before_the_end(client: Client, stranger: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}/rematches"
    refused = client.post(path)
    assert refused.status_code == 409
    assert refused.get_json()["type"] == "/problems/match-not-over"
    assert stranger.post(path).status_code == 404


# -- what belongs to others


def test_a_seat_of_a_rematch_that_somebody_else_was_given_stays_theirs(
    client: Client,
) -> None:
    """Whoever sat there before is not told the token of the one who does now."""
    for newcomer in ({"kind": "human", "player": "u-9"}, {"kind": "ai", "level": 1}):
        match = client.open_match()
        path = f"/v1/matches/{match['id']}"
        client.post(f"{path}/resignation", {"seat": "south"})
        south, north = (client.holding(t) for t in match["seat_tokens"].values())
        rematch = south.post(f"{path}/rematches").get_json()
        assert client.post(f"/v1/matches/{rematch['id']}/players", newcomer).json

        refused = north.post(f"{path}/rematches")

        assert refused.status_code == 409
        assert refused.get_json()["type"] == "/problems/seat-taken"


def test_an_invitation_ends_when_the_token_of_its_seat_is_renewed(
    client: Client,
) -> None:
    """Or nobody could take back a seat from whoever found the invitation."""
    match = client.open_match(seats={"south": {"kind": "human"}})
    guest = client.holding(invitation(client, match["id"]))
    path = f"/v1/matches/{match['id']}"
    seat = guest.post(f"{path}/invitations/acceptance").get_json()["seat"]
    client.post(f"{path}/players/{seat}/token")

    assert guest.post(f"{path}/invitations/acceptance").status_code == 409


def test_who_finds_nobody_leaves_no_name_behind(
    client: Client, services: Services
) -> None:
    redis = connect_redis(services.settings.redis_url)
    seek = seeking(client, name="Amara")
    assert not list(redis.scan_iter("player:ply_*"))
    other = seeking(client, "u-2")
    told = client.get(f"/v1/seeks/{seek['id']}").get_json()
    assert told["match"]["seats"][told["seat"]]["name"] == "Amara"
    assert other["match"]["id"] == told["match"]["id"]


def test_a_seek_whose_place_another_takes_at_that_moment_has_ended(
    client: Client, services: Services
) -> None:
    """The player sought again on another device: this request found nobody."""
    redis = connect_redis(services.settings.redis_url)

    def withdraw(**_: Any) -> int:
        [key] = redis.scan_iter(f"{SEEKS}:*")
        [seek] = map(Seek.read, redis.hvals(key))
        return int(services.lobby.of(seek.tenant).withdraw(seek))

    with patch.object(Lobby, "match_up", lambda *_, **__: withdraw()):
        told = client.post("/v1/seeks", SEEK)

    assert (told.status_code, told.get_json()["status"]) == (202, "ended")


@pytest.mark.parametrize(
    "wrong", [{"game": "chess"}, {"starter": "x"}, {"seats": {"east": {}}}]
)
def test_a_match_that_is_not_opened_leaves_no_player_behind(
    client: Client, services: Services, wrong: dict[str, Any]
) -> None:
    redis = connect_redis(services.settings.redis_url)
    named = {"kind": "human", "player": "u-9", "name": "Eve"}
    seats = {"south": named, **dict.fromkeys(wrong.get("seats", {}), named)}
    body = {"game": "kalah", **wrong, "seats": seats}

    assert client.post("/v1/matches", body).status_code == 422

    assert not list(redis.scan_iter("player:*"))


def test_nobody_who_was_invited_to_no_seat_leaves_a_name(
    client: Client, services: Services
) -> None:
    match = client.open_match(seats={"south": {"kind": "human"}})
    guest = client.holding(invitation(client, match["id"]))
    path = f"/v1/matches/{match['id']}"
    client.post(f"{path}/players", {"kind": "ai", "level": 1})

    refused = guest.post(f"{path}/invitations/acceptance", {"name": "Eve"})

    assert refused.status_code == 409
    redis = connect_redis(services.settings.redis_url)
    assert not list(redis.scan_iter("player:*"))
