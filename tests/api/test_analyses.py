"""Asking for analyses and hints: who may, what is recorded, what is refused."""

from typing import Any

import pytest

from services.analysis import Analyses
from services.analysis.analysis import DEPTH
from services.bootstrap import Services
from services.tenants import GUEST_TENANT
from tests.support.app import Client

LINE = {"moves": ["C", "D"], "value": 2.5, "exact": False, "depth": 7}
FOUND = {"depth": 7, "nodes": 400, "time_ms": 3, "lines": [LINE]}


def think(analyses: Analyses) -> list[str]:
    """Think about all that waits, as a worker would; return which that were."""
    thought_about = []
    while (taken := analyses.take_next()) is not None:
        begun = analyses.begin(taken, "w")
        assert begun is not None
        analyses.tell(begun, "w", DEPTH, FOUND)
        analyses.finish(begun, "w")
        thought_about.append(taken)
    return thought_about


def hinted(client: Client, **given: Any) -> tuple[dict[str, Any], Client, Client]:
    """Return a match with hints, and who sits there."""
    match = client.open_match(hints=True, **given)
    return match, *(client.holding(match["seat_tokens"][s]) for s in ("south", "north"))


def problem(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json(force=True)["type"].rpartition("/")[2]


def test_a_position_is_asked_about_and_read(client: Client, services: Services) -> None:
    asked = client.post("/v1/positions/analyses", {"game": "kalah", "moves": ["C"]})
    assert (asked.status_code, asked.get_json()["status"]) == (202, "waiting")
    where = asked.headers["Location"]
    assert think(services.analyses) == [asked.get_json()["id"]]
    shown = client.get(where).get_json()
    assert (shown["status"], shown["version"]) == ("finished", 2)
    assert (shown["lines"], shown["depth"], shown["nodes"]) == ([LINE], 7, 400)
    assert shown["position"] == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    assert shown["budget"] == {"lines": 1, "time_ms": 1000, "nodes": None}
    told = client.get(f"{where}/events").get_json()["data"]
    assert [found["type"] for found in told] == [DEPTH, "analysis.finished"]
    page = client.get(f"{where}/events?limit=1").get_json()
    assert (page["data"], page["next_cursor"]) == (told[:1], "1")
    rest = client.get(f"{where}/events?after=1").get_json()
    assert (rest["data"], rest["next_cursor"]) == (told[1:], None)


def test_the_same_question_is_answered_at_once(
    client: Client, services: Services
) -> None:
    """However it is asked: by moves, by a position, with defaults or without."""
    first = client.post("/v1/positions/analyses", {"game": "kalah", "moves": ["C"]})
    think(services.analyses)
    text = "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    same = {"game": "kalah", "position": text, "options": {"seeds": 4}, "lines": 1}
    answer = client.post("/v1/positions/analyses", same)
    assert answer.status_code == 200
    assert answer.get_json() == client.get(first.headers["Location"]).get_json()
    other = client.post("/v1/positions/analyses", {**same, "lines": 2})
    assert other.status_code == 202


def test_a_position_in_which_the_game_is_over_is_refused(client: Client) -> None:
    asked = {"game": "kalah", "position": "0,0,0,0,0,1/0,0,0,0,0,1 29,17 S"}
    refused = client.post("/v1/positions/analyses", {**asked, "moves": ["F"]})
    assert problem(refused) == (422, "nothing-to-analyse")


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("time_ms", 0),
        ("time_ms", 60_001),
        ("lines", 0),
        ("lines", 11),
        ("nodes", 0),
        ("nodes", 10**9 + 1),
        ("moves", ["A"] * 1001),
    ],
)
def test_budgets_have_bounds_that_are_told(
    client: Client, member: str, value: Any
) -> None:
    refused = client.post("/v1/positions/analyses", {"game": "kalah", member: value})
    assert problem(refused) == (422, "invalid-body")
    [error] = refused.get_json()["errors"]
    assert error["pointer"] == f"/{member}"


def test_a_match_has_ten_minutes_however_many_moves(client: Client) -> None:
    """What each position can have is told."""
    match = client.open_match("oware-nam-nam")
    for _ in range(130):
        now = client.get(f"/v1/matches/{match['id']}").get_json()
        if now["to_move"] is None:
            break
        move = {"move": now["legal_moves"][0], "seat": now["to_move"]}
        path = f"/v1/matches/{match['id']}/moves"
        client.post(path, {**move, "expected_version": now["version"]})
    plies = client.get(f"/v1/matches/{match['id']}").get_json()["ply"]
    assert plies >= 120
    most = 600_000 // (plies + 1)
    path = f"/v1/matches/{match['id']}/analyses"
    refused = client.post(path, {"time_ms": most + 1})
    assert problem(refused) == (422, "invalid-body")
    assert f"from 1 to {most}: " in refused.get_json()["detail"]
    assert client.post(path, {"time_ms": most}).status_code == 202


def test_an_app_alone_asks_about_positions(client: Client) -> None:
    """A seat could ask for what to play in its match, where hints are forbidden."""
    match = client.open_match()
    spectator = client.post(f"/v1/matches/{match['id']}/spectator-tokens").get_json()
    reading = client.post("/v1/keys", {"role": "read"}).get_json()
    for token in (match["seat_tokens"]["south"], spectator["token"], reading["key"]):
        asked = client.holding(token).post("/v1/positions/analyses", {"game": "kalah"})
        assert problem(asked) == (403, "forbidden")


def test_a_match_without_hints_is_analysed_when_it_is_over(
    client: Client, services: Services
) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    spectator = client.post(f"{path}/spectator-tokens").get_json()["token"]
    tokens = [*match["seat_tokens"].values(), spectator]
    for token in tokens:
        asked = client.holding(token).post(f"{path}/analyses")
        assert problem(asked) == (409, "hints-forbidden")
    assert client.post(f"{path}/analyses").status_code == 202
    client.post(f"{path}/resignation", {"seat": "south"})
    ids = set()
    for token in tokens:
        asked = client.holding(token).post(f"{path}/analyses")
        assert asked.status_code == 202
        ids.add(asked.get_json()["id"])
    assert len(ids) == 1
    think(services.analyses)
    [asked_once] = ids
    for token in tokens:
        shown = client.holding(token).get(f"/v1/analyses/{asked_once}")
        assert shown.status_code == 200


@pytest.mark.parametrize(
    ("given", "has_hints"),
    [
        ({}, False),
        ({"rated": False}, True),
        ({"rated": False, "hints": False}, False),
        ({"hints": True}, True),
    ],
)
def test_rated_matches_have_no_hints_unless_it_is_said(
    client: Client, given: dict[str, bool], has_hints: bool
) -> None:
    match = client.open_match(**given)
    assert match["hints"] is has_hints
    asked = client.post(f"/v1/matches/{match['id']}/hints", {"seat": "south"})
    assert asked.status_code == (202 if has_hints else 409)


def test_hints_are_those_of_the_match_in_rematches_and_forks(client: Client) -> None:
    match, south, _ = hinted(client)
    fork = client.post(f"/v1/matches/{match['id']}/forks", {"version": 3}).get_json()
    south.post(f"/v1/matches/{match['id']}/resignation")
    again = client.post(f"/v1/matches/{match['id']}/rematches").get_json()
    assert (fork["hints"], again["hints"]) == (True, True)


def test_a_hint_is_on_record_for_both_and_its_answer_for_one(
    client: Client, services: Services
) -> None:
    match, south, north = hinted(client)
    path = f"/v1/matches/{match['id']}"
    spectator = client.post(f"{path}/spectator-tokens").get_json()["token"]

    asked = south.post(f"{path}/hints", {"lines": 2})

    shown = asked.get_json()
    assert (asked.status_code, shown["kind"]) == (202, "hint")
    assert (shown["seat"], shown["match"]) == ("south", match["id"])
    log = north.get(f"{path}/events").get_json()["data"]
    last = log[-1]
    assert (last["type"], last["by"]) == ("match.hint_taken", "seat")
    assert last["data"] == {"seat": "south"}
    think(services.analyses)
    where = f"/v1/analyses/{shown['id']}"
    assert south.get(where).get_json()["lines"] == [LINE]
    assert client.get(where).status_code == 200
    for other in (north, client.holding(spectator)):
        for seen in (where, f"{where}/events"):
            assert problem(other.get(seen)) == (404, "no-such-analysis")
        assert other.call("DELETE", where).status_code == 404


def test_a_hint_is_recorded_once_for_a_position(client: Client) -> None:
    """However often it is asked for, and how differently: a log must not be filled."""
    match, south, _ = hinted(client)
    path = f"/v1/matches/{match['id']}"
    for lines in range(1, 4):
        asked = south.post(f"{path}/hints", {"lines": lines})
        expected = 202 if lines < 3 else 409  # two of a seat are under way
        assert asked.status_code == expected
    assert problem(asked) == (409, "quota-exceeded")
    assert client.get(path).get_json()["version"] == match["version"] + 1


def test_a_hint_for_which_there_is_no_room_is_not_recorded(
    client: Client, services: Services
) -> None:
    match, south, _ = hinted(client)
    services.tenants.limits.give("ten_a", {"open_analyses": 1})
    client.post("/v1/positions/analyses", {"game": "kalah"})
    path = f"/v1/matches/{match['id']}"
    assert problem(south.post(f"{path}/hints")) == (409, "quota-exceeded")
    assert client.get(path).get_json()["version"] == match["version"]
    think(services.analyses)
    assert south.post(f"{path}/hints").status_code == 202


def test_a_hint_lets_a_move_that_was_thought_out_before_stand(client: Client) -> None:
    """It changes the version of the match, not the position."""
    match, south, _ = hinted(client)
    path = f"/v1/matches/{match['id']}"
    south.post(f"{path}/hints")
    move = {"move": "C", "expected_version": match["version"]}
    assert south.post(f"{path}/moves", move).status_code == 201
    assert south.post(f"{path}/hints").status_code == 202  # it moves again
    types = [e["type"] for e in south.get(f"{path}/events").get_json()["data"]]
    assert types.count("match.hint_taken") == 2


def test_hints_are_for_the_seat_to_move(client: Client) -> None:
    match, south, north = hinted(client)
    path = f"/v1/matches/{match['id']}/hints"
    assert problem(north.post(path)) == (409, "not-your-turn")
    assert problem(client.post(path)) == (422, "invalid-body")
    assert problem(client.post(path, {"seat": "east"})) == (422, "no-such-seat")
    assert problem(south.post(path, {"seat": "north"})) == (403, "forbidden")
    south.post(f"/v1/matches/{match['id']}/resignation")
    assert problem(south.post(path)) == (409, "match-over")


def test_an_ai_takes_no_hint(client: Client) -> None:
    seats = {"south": {"kind": "ai", "level": 1}, "north": {"kind": "human"}}
    match = client.open_match(hints=True, seats=seats)
    asked = client.post(f"/v1/matches/{match['id']}/hints", {"seat": "south"})
    assert problem(asked) == (403, "forbidden")


def test_who_asked_cancels(client: Client, services: Services) -> None:
    match, south, north = hinted(client)
    asked = south.post(f"/v1/matches/{match['id']}/analyses").get_json()
    where = f"/v1/analyses/{asked['id']}"
    assert problem(north.call("DELETE", where)) == (403, "forbidden")
    assert south.call("DELETE", where).status_code == 204
    shown = north.get(where).get_json()
    assert (shown["status"], shown["ended_at"] is None) == ("canceled", False)
    assert south.call("DELETE", where).status_code == 204
    assert think(services.analyses) == []
    again = south.post(f"/v1/matches/{match['id']}/analyses").get_json()
    assert again["id"] != asked["id"]


def test_a_token_that_was_replaced_reads_no_analysis(client: Client) -> None:
    match, south, _ = hinted(client)
    asked = south.post(f"/v1/matches/{match['id']}/hints").get_json()
    client.post(f"/v1/matches/{match['id']}/players/south/token")
    assert south.get(f"/v1/analyses/{asked['id']}").status_code == 401


def test_guests_share_what_a_tenant_may_have(
    client: Client, services: Services
) -> None:
    """They have no other quota; and two of one match."""
    quotas = services.quotas
    assert quotas.limit("open_matches", GUEST_TENANT) is None
    assert quotas.limit("open_analyses", GUEST_TENANT) == 100


def test_a_stream_is_asked_for_elsewhere(client: Client) -> None:
    asked = client.post("/v1/positions/analyses", {"game": "kalah"}).get_json()
    told = client.get(f"/v1/analyses/{asked['id']}", Accept="text/event-stream")
    assert problem(told) == (406, "use-stream")
    assert told.get_json(force=True)["stream_url"] == asked["stream_url"]
