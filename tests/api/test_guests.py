"""Guests: who has no key plays against an AI, somebody invited, or at one screen."""

from typing import Any

import pytest

from tests.support.app import Client

HUMANS = {"south": {"kind": "human"}, "north": {"kind": "human"}}


@pytest.fixture
def guest(client: Client) -> Client:
    return client.holding("")


def open_guest(guest: Client, **wanted: Any) -> dict[str, Any]:
    body = {"game": "kalah", **wanted}
    answer = guest.post("/v1/guest-matches", body)
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.get_json()
    return shown


def seat_of(guest: Client, match: dict[str, Any], seat: str = "south") -> Client:
    return guest.holding(match["seat_tokens"][seat])


def test_against_an_ai_a_guest_has_one_seat(guest: Client) -> None:
    match = open_guest(guest, level=2, seat="north", hints=True)

    assert list(match["seat_tokens"]) == ["north"]
    assert match["seats"]["south"]["level"] == 2
    assert match["hints"] is True


def test_at_one_screen_a_guest_has_both_seats(guest: Client) -> None:
    match = open_guest(guest, opponent="same-screen", starter="fist")
    path = f"/v1/matches/{match['id']}"

    assert set(match["seat_tokens"]) == {"south", "north"}
    guesser = match["fist"]["guesser"]
    guessed = seat_of(guest, match, guesser).post(f"{path}/guess", {"fist": "left"})
    assert guessed.status_code == 201
    begins = guessed.get_json()["match"]["to_move"]
    move = {"move": "A" if begins == "south" else "a", "expected_version": 4}
    played = seat_of(guest, match, begins).post(f"{path}/moves", move)
    assert played.status_code == 201


def test_a_guest_invites_whoever_has_the_link(guest: Client) -> None:
    match = open_guest(guest, opponent="invited")
    path = f"/v1/matches/{match['id']}"
    assert match["seats"]["north"] is None

    invited = seat_of(guest, match).post(f"{path}/invitations", {})
    token = invited.get_json()["token"]
    sat = guest.holding(token).post(f"{path}/invitations/acceptance", {}).get_json()

    assert sat["seat"] == "north"
    move = {"move": "A", "expected_version": 3}
    assert seat_of(guest, match).post(f"{path}/moves", move).status_code == 201
    late = guest.holding(token).post(f"{path}/invitations/acceptance", {})
    assert late.status_code == 409


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ({}, "/level"),
        ({"opponent": "ai"}, "/level"),
        ({"opponent": "invited", "level": 3}, "/level"),
        ({"opponent": "cat"}, "/opponent"),
    ],
)
def test_an_opponent_has_a_level_or_is_none(
    guest: Client, wanted: dict[str, Any], pointer: str
) -> None:
    refused = guest.post("/v1/guest-matches", {"game": "kalah", **wanted})

    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == pointer


def test_whoever_knows_its_id_watches_a_match_of_guests(guest: Client) -> None:
    match = open_guest(guest, level=1)
    path = f"/v1/matches/{match['id']}"

    token = guest.post(f"{path}/spectator-tokens", {}).get_json()["token"]
    spectator = guest.holding(token)
    assert spectator.get(path).get_json()["id"] == match["id"]
    move = {"move": "A", "expected_version": 3}
    assert spectator.post(f"{path}/moves", move).status_code == 403


def test_nobody_watches_the_match_of_an_app_without_its_leave(
    client: Client, guest: Client
) -> None:
    """Whether there is such a match is not told either."""
    for match_id in (client.open_match()["id"], "mat_none"):
        refused = guest.post(f"/v1/matches/{match_id}/spectator-tokens", {})
        assert refused.status_code == 401


def test_a_match_of_guests_is_forked_by_who_sees_it(guest: Client) -> None:
    match = open_guest(guest, level=1)
    path = f"/v1/matches/{match['id']}"
    token = guest.post(f"{path}/spectator-tokens", {}).get_json()["token"]

    for who in (seat_of(guest, match), guest.holding(token)):
        forked = who.post(f"{path}/forks", {"version": 3, "seats": HUMANS})
        assert forked.status_code == 201
        fork = forked.get_json()
        assert set(fork["seat_tokens"]) == {"south", "north"}
        assert fork["origin"]["match"] == match["id"]
    assert guest.post(f"{path}/forks", {"seats": HUMANS}).status_code == 401


def test_forks_of_guests_are_counted_once_for_each_key(guest: Client) -> None:
    match = open_guest(guest, level=1)
    south, path = seat_of(guest, match), f"/v1/matches/{match['id']}/forks"
    body = {"seats": HUMANS}

    same = [south.post(path, body, Idempotency_Key="k").status_code for _ in range(4)]
    assert same == [201, 200, 200, 200]
    assert south.post(path, body).status_code == 201
    refused = south.post(path, body)
    assert refused.status_code == 429
    assert refused.get_json()["type"].endswith("/too-many-guests")


def test_guests_have_no_names_and_no_ids(guest: Client) -> None:
    """What an app calls its players would be kept for whoever comes along."""
    match = open_guest(guest, opponent="invited")
    south, path = seat_of(guest, match), f"/v1/matches/{match['id']}"
    named = {"south": {"kind": "human", "name": "Amara", "player": "u-1"}}

    fork = south.post(f"{path}/forks", {"seats": named})
    invitation = south.post(f"{path}/invitations", {"player": "u-1"})
    for refused in (fork, invitation):
        assert refused.status_code == 422
    assert len(fork.get_json()["errors"]) == 2


@pytest.mark.parametrize("act", ["forks", "invitations", "spectator-tokens"])
def test_seats_of_an_app_decide_nothing_about_its_matches(
    client: Client, act: str
) -> None:
    match = client.open_match()
    south = client.holding(match["seat_tokens"]["south"])

    assert south.post(f"/v1/matches/{match['id']}/{act}", {}).status_code == 403


def seek(guest: Client, key: str, **wanted: Any) -> dict[str, Any]:
    body = {"game": "kalah", **wanted}
    answer = guest.post("/v1/guest-seeks", body, Idempotency_Key=key)
    shown: dict[str, Any] = answer.get_json()
    return shown


def test_who_cannot_ask_again_does_not_look_for_anybody(guest: Client) -> None:
    answer = guest.post("/v1/guest-seeks", {"game": "kalah"})

    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.get_json()["detail"]
    assert seek(guest, "other", wait_s=0)["status"] == "waiting"


def test_two_strangers_get_a_match_and_whoever_looks_on_finds_it(
    guest: Client,
) -> None:
    """Sent again a request goes on looking, and then tells of the seat it came to."""
    assert seek(guest, "one")["status"] == "waiting"
    other = seek(guest, "two")
    one = seek(guest, "one")

    assert one["match"]["id"] == other["match"]["id"]
    assert {one["seat"], other["seat"]} == {"south", "north"}
    assert one["match"]["rated"] is False
    listed = guest.get("/v1/guest-matches").get_json()["data"]
    assert [each["id"] for each in listed] == [one["match"]["id"]]
    assert listed[0]["followers"] == 0
    assert "seats" not in listed[0]

    path = f"/v1/matches/{one['match']['id']}"
    guest.holding(one["seat_token"]).post(f"{path}/resignation", {})
    assert guest.get("/v1/guest-matches").get_json()["data"] == []


def test_no_other_match_of_guests_is_listed(guest: Client) -> None:
    """Whoever plays a friend, or the computer, is looked on by whom they tell."""
    for opponent in (
        {"opponent": "invited"},
        {"level": 1},
        {"opponent": "same-screen"},
    ):
        open_guest(guest, **opponent)

    assert guest.get("/v1/guest-matches").get_json()["data"] == []


def test_who_goes_on_looking_is_counted_once(guest: Client) -> None:
    """As a match that is opened: a few for each address, whatever is sent again."""
    for _ in range(9):
        assert seek(guest, "one")["status"] == "waiting"
    answers = [seek(guest, f"k{n}", game="oware") for n in range(9)]

    assert [told.get("type") for told in answers][-1] == "/problems/too-many-guests"
