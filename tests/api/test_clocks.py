"""Clocks over HTTP: opened with, shown, run out, and refused with a reason."""

from datetime import datetime
from typing import Any

import pytest

from services.bootstrap import Services
from tests.support.app import Client

BLITZ = {"initial_s": 300, "increment_s": 2}


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def play(client: Client, match: dict[str, Any], move: str) -> dict[str, Any]:
    body = {
        "move": move,
        "seat": match["to_move"],
        "expected_version": match["version"],
    }
    answer = client.post(f"/v1/matches/{match['id']}/moves", body)
    assert answer.status_code == 201, answer.text
    moved: dict[str, Any] = answer.get_json()["match"]
    return moved


@pytest.mark.parametrize(
    "control", [BLITZ, {"initial_s": 60, "delay_s": 5}, {"days_per_move": 3}]
)
def test_a_match_shows_the_clocks_it_was_opened_with(
    client: Client, control: dict[str, int]
) -> None:
    match = client.open_match(clock=control)

    clock = match["clock"]
    assert (clock["control"], clock["running"]) == (control, "south")
    given_ms = control.get("initial_s", 0) * 1000
    given_ms += control.get("days_per_move", 0) * 86_400_000
    assert clock["north"] == clock["south"] == {"remaining_ms": given_ms}
    assert clock["first_move_by"] is not None
    delay_ms = control.get("delay_s", 0) * 1000
    assert ms(clock["flag_at"]) - ms(clock["at"]) == given_ms + delay_ms


def test_a_match_without_a_clock_has_none(client: Client) -> None:
    for fields in ({}, {"clock": None}):
        match = client.open_match(**fields)
        assert (match["clock"], match["aborted_for"]) == (None, None)


def test_time_is_shown_as_it_is_and_as_it_was(client: Client) -> None:
    opened = client.open_match(clock=BLITZ)
    path = f"/v1/matches/{opened['id']}"
    moved = play(client, opened, "A")
    used = ms(moved["updated_at"]) - ms(opened["updated_at"])
    assert moved["clock"]["south"] == {"remaining_ms": 302_000 - used}
    assert moved["clock"]["at"] == moved["updated_at"]

    now = client.get(path).get_json()["clock"]
    then = client.get(f"{path}?version=3").get_json()["clock"]
    told = client.get(f"{path}/events?include=position").get_json()["data"]

    passed = ms(now["at"]) - ms(moved["clock"]["at"])
    assert now["north"] == {"remaining_ms": 300_000 - passed}
    assert then == opened["clock"]
    assert told[3]["clock"] == moved["clock"]
    assert told[0]["clock"]["running"] is None


def test_a_repeated_request_is_answered_with_the_same_clock(client: Client) -> None:
    opened = client.open_match(clock=BLITZ)
    body = {"move": "A", "seat": "south", "expected_version": 3}
    path = f"/v1/matches/{opened['id']}/moves"

    first = client.post(path, body, Idempotency_Key="once").get_json()
    play(client, first["match"], "a")
    again = client.post(path, body, Idempotency_Key="once").get_json()

    assert again == first


def test_a_move_after_the_flag_finds_the_match_over(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = client.open_match(clock={"initial_s": 1, "increment_s": 0})
    path, later = f"/v1/matches/{opened['id']}", ms(opened["updated_at"]) + 5_000
    monkeypatch.setattr(services.matches, "_now_ms", lambda: later)

    body = {"move": "A", "seat": "south", "expected_version": 3}
    refused = client.post(f"{path}/moves", body)

    assert refused.status_code == 409
    problem = refused.get_json()
    assert (problem["type"], problem["reason"]) == ("/problems/match-over", "time")
    match = client.get(path).get_json()
    assert match["outcome"]["winner"] == "north"
    assert match["outcome"]["reason"] == "time"
    assert match["clock"]["south"] == {"remaining_ms": 0}
    assert ms(match["updated_at"]) == ms(opened["updated_at"]) + 1_000
    assert match["clock"]["running"] is None
    assert client.get(f"{path}/audit").get_json()["ok"]


def test_who_does_not_come_is_told(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = client.open_match(clock=BLITZ)
    later = ms(opened["clock"]["first_move_by"])
    monkeypatch.setattr(services.matches, "_now_ms", lambda: later)

    assert services.matches.call_time(opened["id"])

    match = client.get(f"/v1/matches/{opened['id']}").get_json()
    assert (match["status"], match["aborted_for"]) == ("aborted", "no-show")
    assert match["outcome"] is None


def test_a_seat_calls_off_until_its_own_first_move(client: Client) -> None:
    opened = client.open_match(clock=BLITZ)
    play(client, opened, "A")
    path = f"/v1/matches/{opened['id']}/cancellation"
    south = client.holding(opened["seat_tokens"]["south"])
    north = client.holding(opened["seat_tokens"]["north"])

    assert south.post(path).get_json()["type"] == "/problems/already-begun"
    assert north.post(path).status_code == 201


def test_forks_and_guests_choose_a_clock_of_their_own(client: Client) -> None:
    opened = client.open_match(clock=BLITZ)
    path = f"/v1/matches/{opened['id']}/forks"

    assert client.post(path).get_json()["clock"] is None
    forked = client.post(path, {"clock": {"days_per_move": 2}}).get_json()
    assert forked["clock"]["control"] == {"days_per_move": 2}
    guest = {"game": "kalah", "level": 1, "clock": BLITZ}
    shown = client.post("/v1/guest-matches", guest).get_json()
    assert shown["clock"]["running"] == "south"


@pytest.mark.parametrize(
    ("clock", "member"),
    [
        ({}, None),
        ({"initial_s": 300}, None),
        ({"minutes": 5}, None),
        ({"initial_s": 0, "increment_s": 2}, "initial_s"),
        ({"initial_s": 5, "delay_s": 1.5}, "delay_s"),
        ({"days_per_move": True}, "days_per_move"),
        ({"days_per_move": 10**30}, "days_per_move"),
    ],
)
def test_what_is_no_time_control_is_told_what_would_be(
    client: Client, clock: dict[str, Any], member: str | None
) -> None:
    answer = client.post("/v1/matches", {"game": "kalah", "clock": clock})

    problem = answer.get_json()
    assert answer.status_code == 422, answer.text
    assert (problem["type"], problem["member"]) == ("/problems/invalid-clock", member)
    assert ["days_per_move"] in problem["controls"]
    for wrong in (5, "5+3", [300, 2]):
        told = client.post("/v1/matches", {"game": "kalah", "clock": wrong})
        assert told.get_json()["errors"][0]["pointer"] == "/clock"
