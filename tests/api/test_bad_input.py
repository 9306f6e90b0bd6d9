"""Whatever comes in: its own problem, never a 500, and nothing recorded."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.exceptions import HTTPException, RequestedRangeNotSatisfiable

from services.api import create_app
from services.bootstrap import Services, connect
from services.http.problems import PROBLEMS, answer_problem
from services.settings import Settings
from tests.support.app import Client

OPEN = "/v1/matches"


def sent(client: Client, data: bytes, content_type: str = "application/json") -> Any:
    headers = {**client.authorization(), "Content-Type": content_type}
    return client.send("POST", OPEN, data=data, headers=headers)


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"game": NaN}', b"\xff\xfe", b'{"game": "kalah"}}']
)
def test_malformed_json(client: Client, data: bytes) -> None:
    assert sent(client, data).get_json()["type"] == "/problems/malformed-json"


@pytest.mark.parametrize("data", [b"[]", b"null", b'"kalah"', b"7"])
def test_json_that_is_no_object(client: Client, data: bytes) -> None:
    assert sent(client, data).get_json()["type"] == "/problems/invalid-body"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/game"),
        ({"game": 7}, "/game"),
        ({"game": None}, "/game"),
        ({"game": "kalah", "options": []}, "/options"),
        ({"game": "kalah", "colour": "red"}, "/colour"),
        ({"game": "kalah", "seats": []}, "/seats"),
        ({"game": "kalah", "seats": {"south": "me"}}, "/seats/south"),
        ({"game": "kalah", "seats": {"south": {}}}, "/seats/south/kind"),
        ({"game": "kalah", "seats": {"south": {"kind": "cat"}}}, "/seats/south/kind"),
        (
            {"game": "kalah", "seats": {"south": {"kind": "ai"}}},
            "/seats/south/level",
        ),
        (
            {"game": "kalah", "seats": {"south": {"kind": "ai", "level": 11}}},
            "/seats/south/level",
        ),
        (
            {"game": "kalah", "seats": {"south": {"kind": "ai", "level": "3"}}},
            "/seats/south/level",
        ),
        (
            {"game": "kalah", "seats": {"south": {"kind": "human", "level": 3}}},
            "/seats/south/level",
        ),
        (
            {"game": "kalah", "seats": {"south": {"kind": "human", "name": "a\nb"}}},
            "/seats/south/name",
        ),
        (
            {"game": "kalah", "seats": {"south": {"kind": "human", "name": "x" * 61}}},
            "/seats/south/name",
        ),
    ],
)
def test_a_wrong_body_is_pointed_at(
    client: Client, body: dict[str, Any], pointer: str
) -> None:
    problem = client.post(OPEN, body).get_json()

    assert problem["type"] == "/problems/invalid-body"
    assert pointer in [error["pointer"] for error in problem["errors"]]


@pytest.mark.parametrize("wrong", ["me", [], 7, None])
def test_what_should_be_an_object_is_called_that(client: Client, wrong: Any) -> None:
    """Not by the word of a library: a client knows no mapping types."""
    inner = {"game": "kalah", "seats": {"south": wrong}}
    bodies = ({"game": "kalah", "options": wrong}, {"game": "kalah", "seats": wrong})
    for body in (*bodies, inner):
        [error] = client.post(OPEN, body).get_json()["errors"]
        assert error["detail"] == "should be a JSON object"


@pytest.mark.parametrize(
    ("body", "problem", "fact"),
    [
        ({"game": "chess"}, "unknown-game", "kalah"),
        ({"game": "kalah", "options": {"seeds": 0}}, "invalid-options", "from 1 to 8"),
        (
            {"game": "kalah", "options": {"seeds": True}},
            "invalid-options",
            "seeds: true",
        ),
        (
            {"game": "kalah", "options": {"seeds": None}},
            "invalid-options",
            "seeds: null",
        ),
        ({"game": "kalah", "options": {"seeds": "4"}}, "invalid-options", "seeds"),
        ({"game": "kalah", "options": {"seeds": 4.0}}, "invalid-options", "seeds"),
        ({"game": "kalah", "options": {"rows": 2}}, "invalid-options", "rows"),
        ({"game": "kalah", "starter": "black"}, "invalid-starter", "random"),
        (
            {
                "game": "bao-kujifunza",
                "seats": {"south": {"kind": "ai", "level": 10}},
            },
            "no-such-level",
            "levels: 1 to 5",
        ),
        (
            {"game": "kalah", "seats": {"black": {"kind": "human"}}},
            "no-such-seat",
            "south",
        ),
    ],
)
def test_a_match_that_cannot_be_opened(
    client: Client, body: dict[str, Any], problem: str, fact: str
) -> None:
    answer = client.post(OPEN, body)

    assert answer.status_code == 422
    assert answer.get_json()["type"] == f"/problems/{problem}"
    assert fact in answer.text


def test_another_media_type(client: Client) -> None:
    for content_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = sent(client, b'{"game":"kalah"}', content_type)
        assert answer.status_code == 415
    charset = "application/json; charset=utf-8"
    assert sent(client, b'{"game":"kalah"}', charset).status_code == 201


def test_a_body_that_is_too_large(client: Client) -> None:
    answer = sent(client, b'{"game": "' + b"k" * 70_000 + b'"}')

    assert answer.status_code == 413


def test_a_part_that_is_not_there_is_told_of_what(client: Client) -> None:
    with client.flask.application.test_request_context("/static/icon.svg"):
        answer = answer_problem(RequestedRangeNotSatisfiable(1234))

    assert answer.status_code == 416
    assert answer.get_json()["type"] == "/problems/range-not-satisfiable"
    assert answer.headers["Content-Range"] == "bytes */1234"


def test_an_unknown_path_and_a_wrong_method(client: Client) -> None:
    nothing = client.get("/v1/nothing")
    assert nothing.status_code == 404
    assert "no resource has this path" in nothing.get_json()["detail"]
    answer = client.call("DELETE", OPEN)
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) >= {"GET", "POST"}


REFUSING = [
    kind
    for kind in PROBLEMS
    if issubclass(kind, HTTPException) and kind.description is not None
]


@pytest.mark.parametrize("kind", REFUSING, ids=lambda kind: kind.__name__)
def test_no_refusal_is_told_in_the_words_of_a_library(
    client: Client, kind: type[HTTPException]
) -> None:
    with client.flask.application.test_request_context("/"):
        detail = answer_problem(kind()).get_json()["detail"]

    assert detail not in (kind.description, kind().name)


@pytest.mark.parametrize("depth", [200, 300, 900, 5_000])
def test_a_body_that_is_nested_deeply(client: Client, depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    answer = sent(client, b'{"game": "kalah", "options": {"seeds": %b}}' % nested)

    assert answer.status_code in (400, 422)
    assert "recursion" not in answer.text.lower()


@pytest.mark.parametrize(
    "match_id", ["mat_none", "feed", "mat_%00", "mat_x:ev", "mat_{1}", "mat_ü", "*"]
)
def test_an_unknown_match(client: Client, match_id: str) -> None:
    answer = client.get(f"{OPEN}/{match_id}")

    assert answer.get_json()["type"] == "/problems/no-such-match"


def test_every_problem_has_a_page(client: Client) -> None:
    problem = client.post(OPEN, {"game": "chess"}).get_json()

    shown = client.get(problem["type"]).get_json()

    assert shown["cause"]
    assert shown["advice"]
    assert {k: shown[k] for k in ("type", "title", "status")}.items() <= problem.items()
    assert client.get("/problems/none").status_code == 404


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
NEARLY = st.fixed_dictionaries(
    {"game": st.sampled_from(["kalah", "reversi"]) | JSON},
    optional={
        "options": JSON | st.dictionaries(st.sampled_from(["seeds", "pits"]), JSON),
        "starter": JSON,
        "seats": JSON | st.dictionaries(st.sampled_from(["south", "x"]), JSON),
    },
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(body=NEARLY | JSON)
def test_no_body_is_a_server_error(client: Client, body: Any) -> None:
    answer = sent(client, json.dumps(body).encode())

    assert answer.status_code in (201, 400, 422)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(body=JSON | st.fixed_dictionaries({"move": JSON}), tag=st.integers(-1, 9))
def test_no_move_is_a_server_error_or_leaves_a_trace(
    client: Client, services: Services, body: Any, tag: int
) -> None:
    match = client.open_match(seats={"north": {"kind": "human"}})
    before = services.event_log.load(match["id"])

    path = f"{OPEN}/{match['id']}/moves"
    headers = {**client.authorization(), "If-Match": f'"{tag}"'}
    sent_body = {"data": json.dumps(body), "content_type": "application/json"}
    answer = client.send("POST", path, headers=headers, **sent_body)

    assert 400 <= answer.status_code < 500
    assert services.event_log.load(match["id"]) == before


def test_without_a_log_every_door_says_when_to_come_back(client: Client) -> None:
    away = connect(Settings(redis_url="redis://127.0.0.1:1/0", secret="s"))
    nobody = Client(create_app(away).test_client(), "")
    app = Client(nobody.flask, "sk_anything")
    seat = Client(nobody.flask, away.seat_tokens.issue("mat_x", "south", 1))

    answers = [
        nobody.get("/health/ready"),
        nobody.post("/v1/guest-matches", {"game": "kalah", "level": 1}),
        app.post(OPEN, {"game": "kalah"}),
        app.get(OPEN),
        app.post(f"{OPEN}/mat_x/players", {"kind": "human"}),
        app.post(f"{OPEN}/mat_x/players/south/token"),
        seat.get(f"{OPEN}/mat_x"),
        seat.get(f"{OPEN}/mat_x/events"),
        seat.post(f"{OPEN}/mat_x/moves", {"move": "A", "expected_version": 3}),
        seat.post(f"{OPEN}/mat_x/resignation"),
    ]

    assert {answer.status_code for answer in answers} == {503}
    assert {answer.headers["Retry-After"] for answer in answers} == {"1"}
    assert not [answer.text for answer in answers if "127.0.0.1" in answer.text]
    assert nobody.get("/health/live").status_code == 200
