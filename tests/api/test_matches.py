"""Open, list, read: matches over HTTP."""

from services.bootstrap import Services
from services.rulebooks import find_rulebook
from services.views import Projector
from tests.support.app import Client

HUMAN = {"kind": "human"}


def test_an_opened_match_is_shown_with_its_seat_tokens(client: Client) -> None:
    answer = client.post(
        "/v1/matches",
        {
            "game": "kalah",
            "options": {"seeds": 3},
            "starter": "north",
            "seats": {
                "south": {"kind": "human", "name": "Amara"},
                "north": {"kind": "ai", "level": 3},
            },
        },
    )

    match = answer.get_json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/matches/{match['id']}"
    assert answer.headers["ETag"] == '"3"'
    assert match["options"] == {"pits": 6, "seeds": 3, "empty_capture": False}
    assert match["seats"]["south"]["name"] == "Amara"
    assert match["seats"]["north"] == {"kind": "ai", "level": 3}
    assert match["to_move"] == "north"
    assert set(match["seat_tokens"]) == {"south"}


def test_a_name_never_enters_the_log(client: Client, services: Services) -> None:
    match = client.open_match(seats={"south": {"kind": "human", "name": "Amara"}})

    events = services.event_log.read(match["id"])
    state = services.event_log.load(match["id"])

    assert state is not None
    assert "Amara" not in state.snapshot + "".join(event.text for event in events)
    shown = client.get(f"/v1/matches/{match['id']}").get_json()
    assert shown["seats"]["south"]["name"] == "Amara"


def test_a_name_can_be_erased_everywhere_without_touching_a_log(
    client: Client, stranger: Client, services: Services
) -> None:
    body = {"game": "kalah", "seats": {"south": {"kind": "human", "name": "Amara"}}}
    match = client.post("/v1/matches", body, Idempotency_Key="k").get_json()
    path = f"/v1/players/{match['seats']['south']['player']}/name"
    before = services.event_log.read(match["id"])
    assert stranger.call("DELETE", path).status_code == 404

    assert client.call("DELETE", path).status_code == 204

    shown = client.get(f"/v1/matches/{match['id']}").get_json()
    assert shown["seats"]["south"]["name"] is None
    assert services.event_log.read(match["id"]) == before
    again = client.post("/v1/matches", body, Idempotency_Key="k")
    assert again.get_json()["seats"]["south"]["name"] is None
    assert client.call("DELETE", path).status_code == 204


def test_an_opening_repeated_with_its_key_finds_its_match(client: Client) -> None:
    body = {"game": "oware", "starter": "random", "seats": {"south": HUMAN}}
    first = client.post("/v1/matches", body, Idempotency_Key="k")

    again = client.post("/v1/matches", body, Idempotency_Key="k")
    other = client.post("/v1/matches", body, Idempotency_Key="k2")

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert again.get_json() == first.get_json()
    assert other.get_json()["id"] != first.get_json()["id"]


def test_a_key_belongs_to_its_tenant(client: Client, stranger: Client) -> None:
    body = {"game": "kalah"}
    mine = client.post("/v1/matches", body, Idempotency_Key="k").get_json()
    theirs = stranger.post("/v1/matches", body, Idempotency_Key="k").get_json()

    assert mine["id"] != theirs["id"]


def test_another_tenants_match_is_not_there(client: Client, stranger: Client) -> None:
    match = client.open_match()
    for path in ("", "/events"):
        answer = stranger.get(f"/v1/matches/{match['id']}{path}")
        assert answer.status_code == 404
    move = {"move": "A", "seat": "south", "expected_version": 3}
    path = f"/v1/matches/{match['id']}/moves"
    assert stranger.post(path, move).status_code == 404
    path = f"/v1/matches/{match['id']}/players"
    assert stranger.post(path, HUMAN).status_code == 404


def test_a_match_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    first = client.get(path)

    again = client.get(path, If_None_Match=first.headers["ETag"])

    assert again.status_code == 304
    token = match["seat_tokens"]["south"]
    client.holding(token).post(f"{path}/moves", {"move": "A", "expected_version": 3})
    changed = client.get(path, If_None_Match=first.headers["ETag"])
    assert changed.status_code == 200


def test_a_match_can_be_read_at_any_version(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    move = {"move": "A", "seat": "south", "expected_version": 3}
    client.post(f"{path}/moves", move)

    earlier = client.get(f"{path}?version=3")

    assert earlier.get_json()["position"] == match["position"]
    assert "immutable" in earlier.headers["Cache-Control"]
    assert (
        client.get(f"{path}?version=5").get_json()["type"].endswith("no-such-version")
    )
    assert client.get(f"{path}?version=x").status_code == 400
    assert client.get(f"{path}?include=all").status_code == 400


def test_the_layout_follows_the_options(client: Client) -> None:
    match = client.open_match(options={"pits": 3})

    shown = client.get(f"/v1/matches/{match['id']}?include=layout").get_json()

    assert shown["layout"]["rows"] == [["c", "b", "a"], ["A", "B", "C"]]


def test_matches_are_listed_newest_first_page_by_page(
    client: Client, stranger: Client, services: Services
) -> None:
    kalahs = [client.open_match()["id"] for _ in range(3)]
    reversi = client.open_match("reversi", seats={})["id"]
    stranger.open_match()
    projector = Projector(services.event_log, services.match_list)
    projector.begin()

    first = client.get("/v1/matches?limit=3").get_json()
    cursor = first["next_cursor"]
    second = client.get(f"/v1/matches?limit=3&cursor={cursor}").get_json()

    listed = [match["id"] for match in first["data"] + second["data"]]
    assert set(listed) == {*kalahs, reversi}
    assert (len(first["data"]), second["next_cursor"]) == (3, None)
    shown = client.get("/v1/matches?game=reversi&status=open").get_json()["data"]
    assert [match["id"] for match in shown] == [reversi]

    path = f"/v1/matches/{kalahs[0]}/resignation"
    client.post(path, {"seat": "south"})
    projector.run_once()
    shown = client.get("/v1/matches?status=finished").get_json()["data"]
    assert [match["id"] for match in shown] == [kalahs[0]]
    running = client.get("/v1/matches?game=kalah&status=running").get_json()["data"]
    assert len(running) == 2


def test_a_list_that_is_asked_for_wrongly_says_what_is_right(client: Client) -> None:
    for query, wanted in {
        "status=lost": "open or running",
        "limit=0": "from 1 to 200",
        "limit=many": "from 1 to 200",
        "colour=red": "known: game",
        "limit=1&limit=2": "given once",
    }.items():
        answer = client.get(f"/v1/matches?{query}")
        assert (answer.status_code, wanted in answer.text) == (400, True), answer.text
    for cursor in ("x", "!!!", "AAAA", "%F0%9F%98%80"):
        answer = client.get(f"/v1/matches?cursor={cursor}")
        assert answer.get_json()["type"] == "/problems/invalid-cursor"


def test_a_game_may_hide_its_list_from_players(client: Client) -> None:
    token = client.open_match()["seat_tokens"]["south"]

    assert client.holding(token).get("/v1/matches").status_code == 403
    assert (
        client.holding(token).post("/v1/matches", {"game": "kalah"}).status_code == 403
    )


def test_games_are_shown_without_a_key(client: Client) -> None:
    nobody = client.holding("")

    games = nobody.get("/v1/games").get_json()["data"]

    assert {"kalah", "oware", "oware-abapa", "reversi"} <= {g["key"] for g in games}
    assert nobody.get("/v1/games/kalah").get_json() == games[0]
    assert [level["level"] for level in games[0]["levels"]] == [*range(1, 11)]
    assert [len(game["levels"]) for game in games if game["key"] == "congkak"] == [8]
    missing = nobody.get("/v1/games/chess")
    assert missing.status_code == 404
    assert "kalah" in missing.get_json()["known"]


def test_the_rules_are_served_in_the_language_and_the_form_asked_for(
    client: Client,
) -> None:
    nobody = client.holding("")
    path = "/v1/games/kalah/rules"

    hindi = nobody.get(path, Accept_Language="hi-IN,en;q=0.5", Accept="text/html")
    plain = nobody.get(path)

    served = find_rulebook("kalah", "hi")
    assert hindi.headers["Content-Language"] == served.language
    assert hindi.mimetype == "text/html"
    assert f'lang="{served.language}"' in hindi.text
    assert (plain.mimetype, plain.headers["Content-Language"]) == (
        "text/markdown",
        "en",
    )
    assert "**K4.**" in plain.text
    assert nobody.get("/v1/games/shared/rules").status_code == 200
    assert "shared" in nobody.get("/v1/games/chess/rules").get_json()["known"]
