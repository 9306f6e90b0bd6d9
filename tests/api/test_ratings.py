"""Players whom an app names: found again, rated, compared, erased."""

from typing import Any

import pytest

from services.bootstrap import Services
from services.views import Projector
from tests.support.app import Client

AMARA = {"kind": "human", "player": "u-42", "name": "Amara"}
BETH = {"kind": "human", "player": "auth0|beth"}
AI = {"kind": "ai", "level": 3}


def play(
    client: Client, north: dict[str, Any], loser: str = "north", **more: Any
) -> str:
    """Let Amara play as south against somebody; return the match."""
    match = client.open_match(seats={"south": AMARA, "north": north}, **more)
    path = f"/v1/matches/{match['id']}"
    token = client.holding(match["seat_tokens"]["south"])
    moved = token.post(f"{path}/moves", {"move": "A", "expected_version": 3}).get_json()
    mover = moved["match"]["to_move"]
    if mover == "north" and "north" in match["seat_tokens"]:
        mine = client.holding(match["seat_tokens"]["north"])
        body = {"move": moved["match"]["legal_moves"][0], "expected_version": 4}
        assert mine.post(f"{path}/moves", body).status_code == 201
    assert client.post(f"{path}/resignation", {"seat": loser}).status_code == 201
    return str(match["id"])


def project(services: Services) -> None:
    for view in services.views:
        Projector(services.event_log, view).begin()


def test_a_player_is_the_same_in_all_matches(client: Client) -> None:
    seats = {"south": AMARA, "north": BETH}
    first, second = (client.open_match(seats=seats) for _ in range(2))
    assert first["seats"] == second["seats"]
    south = first["seats"]["south"]
    assert (south["player"], south["name"]) == ("u-42", "Amara")
    assert south["reference"].startswith("usr_")
    shown = client.get("/v1/players/u-42").get_json()
    assert shown == {"kind": "human"} | south
    by_reference = client.get(f"/v1/players/{south['reference']}").get_json()
    assert by_reference == shown
    assert client.get("/v1/players/auth0|beth").get_json()["name"] is None


def test_the_log_holds_no_id(client: Client) -> None:
    match = client.open_match(seats={"south": AMARA, "north": BETH})
    path = f"/v1/matches/{match['id']}"
    for told in ("events?include=position", "export"):
        text = client.get(f"{path}/{told}").text
        assert "u-42" not in text
        assert match["seats"]["south"]["reference"] in text


def test_who_sits_down_later_is_known_too(client: Client) -> None:
    match = client.open_match(seats={"south": AMARA})
    seated = client.post(f"/v1/matches/{match['id']}/players", BETH).get_json()
    assert seated["match"]["seats"]["north"]["player"] == "auth0|beth"


def test_each_app_has_players_of_its_own(client: Client, stranger: Client) -> None:
    mine = client.open_match(seats={"south": AMARA})["seats"]["south"]
    assert stranger.get("/v1/players/u-42").status_code == 404
    theirs = stranger.open_match(seats={"south": AMARA})["seats"]["south"]
    assert theirs["reference"] != mine["reference"]
    for path in ("", "/ratings", "/opponents/ai:1", "/ratings/kalah/untimed"):
        answer = stranger.get(f"/v1/players/{mine['reference']}{path}")
        never = stranger.get(f"/v1/players/usr_00000000000000000000{path}")
        assert answer.status_code == never.status_code == 404
    assert (
        stranger.call("DELETE", f"/v1/players/{mine['reference']}").status_code == 404
    )
    assert client.get("/v1/players/u-42").status_code == 200


@pytest.mark.parametrize(
    "player", ["", "a/b", "usr_0", "ply_0", "ai:3", "é", " u", "u 1", "x" * 65, "..", 7]
)
def test_what_is_no_id_is_refused(client: Client, player: object) -> None:
    seats = {"south": {"kind": "human", "player": player}}
    answer = client.post("/v1/matches", {"game": "kalah", "seats": seats})
    assert answer.status_code == 422
    [error] = answer.get_json()["errors"]
    assert error["pointer"] == "/seats/south/player"


def test_an_ai_has_no_id(client: Client) -> None:
    seats = {"south": AI | {"player": "u-42"}}
    answer = client.post("/v1/matches", {"game": "kalah", "seats": seats})
    assert answer.status_code == 422


def test_who_is_erased_is_somebody_else_later(
    client: Client, services: Services
) -> None:
    match_id = play(client, BETH)
    project(services)
    old = client.get("/v1/players/u-42").get_json()["reference"]
    assert client.call("DELETE", "/v1/players/u-42").status_code == 204
    assert client.get("/v1/players/u-42").status_code == 404
    nobody = client.get(f"/v1/players/{old}").get_json()
    assert (nobody["player"], nobody["name"]) == (old, None)
    assert client.get(f"/v1/players/{old}/ratings").get_json()["data"]
    assert "u-42" not in client.get(f"/v1/matches/{match_id}").text
    assert client.get("/v1/matches?player=u-42").get_json()["data"] == []
    board = client.get("/v1/leaderboards/kalah").get_json()["data"]
    assert {row["player"]["player"] for row in board} == {old, "auth0|beth"}
    new = client.open_match(seats={"south": AMARA})["seats"]["south"]
    assert new["player"] == "u-42"
    assert new["reference"] != old
    assert services.players.names([old]) == {}


def test_a_history_is_found_by_the_own_id(client: Client, services: Services) -> None:
    matches = [play(client, BETH) for _ in range(2)]
    play(client, AI, "south")
    project(services)
    found = client.get("/v1/matches?player=auth0|beth").get_json()["data"]
    assert {row["id"] for row in found} == set(matches)
    assert found[0]["seats"]["north"]["player"] == "auth0|beth"


def test_ratings_history_and_score(client: Client, services: Services) -> None:
    first, second = play(client, BETH), play(client, BETH, "south")
    third = play(client, BETH, clock={"initial_s": 300, "increment_s": 2})
    play(client, BETH, rated=False)
    project(services)
    ratings = client.get("/v1/players/u-42/ratings").get_json()["data"]
    assert [(r["game"], r["clock_class"]) for r in ratings] == [
        ("kalah", "blitz"),
        ("kalah", "untimed"),
    ]
    assert [(r["won"], r["drawn"], r["lost"]) for r in ratings] == [
        (1, 0, 0),
        (1, 0, 1),
    ]
    assert ratings[0]["provisional"]
    games = client.get("/v1/players/u-42/ratings/kalah/untimed").get_json()["data"]
    assert {game["match"] for game in games} == {first, second}
    assert games[-1]["change"] == pytest.approx(games[-1]["rating"] - 1500, abs=0.01)
    assert {game["opponent"]["player"] for game in games} == {"auth0|beth"}
    met = client.get("/v1/players/auth0|beth/opponents/u-42").get_json()
    assert met["score"] == [{"game": "kalah", "won": 1, "drawn": 0, "lost": 3}]
    assert len(met["data"]) == 4
    assert third in {game["match"] for game in met["data"]}


def test_a_leaderboard_page_by_page(client: Client, services: Services) -> None:
    for _ in range(2):
        play(client, BETH)
    project(services)
    path = "/v1/leaderboards/kalah?limit=1"
    page = client.get(path).get_json()
    following = client.get(f"{path}&cursor={page['next_cursor']}").get_json()
    rows = page["data"] + following["data"]
    assert [(row["rank"], row["player"]["player"]) for row in rows] == [
        (1, "u-42"),
        (2, "auth0|beth"),
    ]
    assert following["next_cursor"] is None
    assert (
        client.get("/v1/leaderboards/kalah?clock_class=blitz").get_json()["data"] == []
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/leaderboards/chess", 404),
        ("/v1/leaderboards/kalah?clock_class=slow", 400),
        ("/v1/leaderboards/kalah?cursor=..", 400),
        ("/v1/leaderboards/kalah?limit=0", 400),
        ("/v1/players/ai:11/ratings", 404),
        ("/v1/players/ai:3/ratings", 200),
        ("/v1/players/ai:3/ratings/kalah/slow", 404),
        ("/v1/players/ai:3/ratings/chess/blitz", 404),
        ("/v1/players/nobody", 404),
        ("/v1/players/%00", 404),
        ("/v1/matches?player=%20", 400),
    ],
)
def test_what_cannot_be_asked(client: Client, path: str, status: int) -> None:
    assert client.get(path).status_code == status
