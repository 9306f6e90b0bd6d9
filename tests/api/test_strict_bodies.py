"""What a client sends is taken as it is meant, or refused: nothing in between."""

from typing import Any

import pytest

from tests.support.app import Client


def kind(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["type"].removeprefix("/problems/")


@pytest.mark.parametrize("accept", [1, 1.0, 0, "true", None, []])
def test_yes_and_no_are_true_and_false(client: Client, accept: Any) -> None:
    path = f"/v1/matches/{client.open_match()['id']}"
    client.post(f"{path}/draw-offers", {"seat": "south"})

    answer = client.post(
        f"{path}/draw-offers/answer", {"seat": "north", "accept": accept}
    )

    assert kind(answer) == (422, "invalid-body")
    assert client.get(path).get_json()["offer"] is not None


@pytest.mark.parametrize("version", [True, 3.0, "3"])
def test_a_version_is_a_whole_number(client: Client, version: Any) -> None:
    path = f"/v1/matches/{client.open_match()['id']}/moves"
    body = {"move": "A", "seat": "south", "expected_version": version}

    assert kind(client.post(path, body)) == (422, "invalid-body")


def test_an_empty_starter_is_nobody(client: Client) -> None:
    answer = client.post("/v1/matches", {"game": "kalah", "starter": ""})

    assert kind(answer) == (422, "invalid-body")


def test_a_token_is_renewed_only_where_nothing_else_was_meant(client: Client) -> None:
    match = client.open_match()
    token = match["seat_tokens"]["south"]
    path = f"/v1/matches/{match['id']}/players/south/token"

    assert kind(client.post(path, {"unknown": 1})) == (422, "invalid-body")
    raw = {"data": b"{", "headers": client.authorization()}
    assert client.send("POST", path, **raw).status_code == 415
    read = client.holding(token).get(f"/v1/matches/{match['id']}")
    assert read.status_code == 200


@pytest.mark.parametrize(
    "text",
    [
        '{"game": "kalah", "game": "oware"}',
        '{"game": "kalah", "options": {"seeds": 4, "seeds": 5}}',
    ],
)
def test_a_thing_that_is_said_twice_is_said_once(client: Client, text: str) -> None:
    headers = {**client.authorization(), "Content-Type": "application/json"}

    answer = client.send("POST", "/v1/matches", data=text, headers=headers)

    assert kind(answer) == (400, "malformed-json")
    assert "twice" in answer.get_json()["detail"]


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"Content-Encoding": "gzip"}, "unsupported-content-encoding"),
        ({"Content-Encoding": "br"}, "unsupported-content-encoding"),
        (
            {"Content-Type": "application/json; charset=utf-16"},
            "unsupported-media-type",
        ),
        ({"Content-Type": "text/plain"}, "unsupported-media-type"),
    ],
)
def test_a_body_is_sent_as_it_is_and_in_utf_8(
    client: Client, sent: dict[str, str], problem: str
) -> None:
    headers = {**client.authorization(), "Content-Type": "application/json", **sent}

    answer = client.send("POST", "/v1/matches", data=b'{"game":"x"}', headers=headers)

    assert kind(answer) == (415, problem)


@pytest.mark.parametrize("declared", ["utf-8", "UTF-8", '"utf-8"'])
def test_to_say_that_it_is_utf_8_is_right(client: Client, declared: str) -> None:
    media_type = f"application/json; charset={declared}"
    headers = {**client.authorization(), "Content-Type": media_type}

    answer = client.send(
        "POST", "/v1/matches", data=b'{"game":"kalah"}', headers=headers
    )

    assert answer.status_code == 201


def test_members_in_another_order_ask_for_the_same(client: Client) -> None:
    """Not every client writes its objects in the same order twice."""
    headers = {**client.authorization(), "Content-Type": "application/json"}
    headers["Idempotency-Key"] = "k"
    first, second, other = (
        client.send("POST", "/v1/matches", data=text, headers=headers)
        for text in (
            '{"game": "kalah", "options": {"seeds": 3, "pits": 6}}',
            '{"options": {"pits": 6, "seeds": 3}, "game":"kalah"}',
            '{"options": {"pits": 6, "seeds": 4}, "game":"kalah"}',
        )
    )

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.get_json()["id"] == second.get_json()["id"]
    assert kind(other) == (422, "idempotency-key-reused")


@pytest.mark.parametrize("path", ["", "/moves", "/events", "/diff?from=1&to=2"])
def test_what_is_at_another_version_is_not_shown(client: Client, path: str) -> None:
    match = client.open_match()

    answer = client.get(f"/v1/matches/{match['id']}{path}", If_Match='"1"')

    assert kind(answer) == (412, "version-conflict")
    told = {"type", "title", "status", "detail", "version", "request_id"}
    assert set(answer.get_json()) == told


def test_if_match_reads_what_it_names(client: Client) -> None:
    """The tag that was answered, the version alone, or whatever there is."""
    path = f"/v1/matches/{client.open_match()['id']}"
    tag = client.get(path).headers["ETag"]

    for named in (tag, '"3"', "*", f'"1", {tag}'):
        assert client.get(path, If_Match=named).status_code == 200


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("می\u200cخواهم", 201),  # noqa: RUF001
        ("क्\u200dष", 201),
        ("ਅਮਰਾ", 201),
        ("👩\u200d👩\u200d👧", 201),
        ("   ", 422),
        ("\u200d", 422),
        ("a\u202eb", 422),
        ("a\u0085b", 422),
    ],
)
def test_people_have_names_in_any_script(
    client: Client, name: str, status: int
) -> None:
    seats = {"south": {"kind": "human", "name": name}}

    answer = client.post("/v1/matches", {"game": "kalah", "seats": seats})

    assert answer.status_code == status


def test_a_seat_token_learns_of_no_other_match(client: Client) -> None:
    """Not even whether there is one."""
    token = client.open_match()["seat_tokens"]["south"]
    other = client.open_match()["id"]
    player = client.holding(token)

    for match_id in (other, "mat_none"):
        path = f"/v1/matches/{match_id}"
        assert kind(player.get(path)) == (403, "forbidden")
        body = {"move": "A", "expected_version": 3}
        assert kind(player.post(f"{path}/moves", body)) == (403, "forbidden")


@pytest.mark.parametrize(
    "path", ["/v1/matches", "/v1/none", "/health/live", "/problems/x"]
)
def test_no_answer_is_kept_or_taken_for_something_else(
    client: Client, path: str
) -> None:
    answer = client.get(path)

    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"


def test_an_address_is_never_repeated_with_the_host_of_the_request(
    client: Client,
) -> None:
    """A redirect would lead where the client's Host header says."""
    for path in ("//v1/games", "/v1//games", "/v1/games/", "/v1/matches/"):
        answer = client.flask.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 404
        assert "evil.example" not in str(answer.headers) + answer.text


def test_moves_come_in_pages(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    for _ in range(7):
        body = {
            "move": match["legal_moves"][0],
            "seat": match["to_move"],
            "expected_version": match["version"],
        }
        match = client.post(f"{path}/moves", body).get_json()["match"]
    whole = client.get(f"{path}/moves").get_json()

    pages, cursor = [], "0"
    while cursor is not None:
        page = client.get(f"{path}/moves?limit=3&cursor={cursor}").get_json()
        pages.append(page["data"])
        cursor = page["next_cursor"]

    assert [len(page) for page in pages] == [3, 3, 1]
    assert [move for page in pages for move in page] == whole["data"]
    assert client.get(f"{path}/moves?cursor=99").get_json()["data"] == []
