"""Refusals over HTTP, in the language of whoever asks; nothing is left in English."""

import re
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from rules_core import RulesError
from services.http.problems import PROBLEMS, TYPES, answer_problem
from services.http.problems.table import KNOWN
from services.http.wire.problem import by_exception
from services.languages import LANGUAGES, Explained
from tests.support.app import Client
from tests.support.catalogues import OTHERS

SCRIPTS = {"pa": "[\u0a00-\u0a7f]", "hi": "[\u0900-\u097f]", "ja": "[\u3040-\u9fff]"}
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
ENGLISH = re.compile(
    r"\b(the|is|are|was|not|and|or|of|to|from|with|this|that|there|should|be|no|"
    r"send|needs?|has|have|left|out|one|an?)\b"
)
PHRASE = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+\b")
OF_OTHERS = {
    # What the verifier finds is told as it is everywhere; so is what a file lacks.
    "invalid-import",
    "unusable-keys",
}

Ask = Callable[[Client], TestResponse]


def check_language(text: str, language: str, english: str) -> None:
    """Hold a text to be of a language, and of no other."""
    told = QUOTED.sub("", text)
    assert text != english, f"{language}: still {english!r}"
    assert re.search(SCRIPTS.get(language, "[a-zçğıöşü]"), told), text
    assert not PHRASE.search(told) or language == "tr", text
    assert not ENGLISH.search(told), text


def texts(problem: dict[str, Any]) -> dict[str, str]:
    """Return what of a problem is for people, by where it stands."""
    found = {"title": problem["title"], "detail": problem["detail"]}
    for error in problem.get("errors", []):
        found[error["pointer"]] = error["detail"]
    allowed = problem.get("allowed", "")
    if isinstance(allowed, str) and re.search(r"[^,] ", allowed):  # not only codes
        found["allowed"] = allowed
    return found


def codes(problem: dict[str, Any]) -> dict[str, Any]:
    """Return what of a problem is for programs."""
    told = ("title", "detail", "errors", "allowed", "request_id")
    shown: dict[str, Any] = {k: v for k, v in problem.items() if k not in told}
    return shown | {"at": [error["pointer"] for error in problem.get("errors", [])]}


# -- every exception that HTTP can tell


def test_whatever_is_told_has_a_message_or_is_of_a_library() -> None:
    for kind in PROBLEMS:
        assert issubclass(kind, (Explained, RulesError, HTTPException)), kind


def test_no_type_and_no_exception_stands_in_two_tables() -> None:
    types = [problem.type for problem in KNOWN]
    kinds = [kind for problem in KNOWN for kind in by_exception([problem])]

    assert len(types) == len(set(types)) == len(TYPES) - 1  # the server's own fault
    assert len(kinds) == len(set(kinds))


@pytest.mark.parametrize("language", OTHERS)
def test_every_problem_is_told_in_every_language(language: str) -> None:
    app = Flask("told")
    for problem in TYPES.values():
        bodies = {}
        for asked in ("en", language):
            headers = {"Accept-Language": asked}
            with app.test_request_context("/", headers=headers):
                bodies[asked] = answer_problem(problem.example).get_json()
        english, told = bodies["en"], bodies[language]

        assert codes(told) == codes(english)
        kept = OF_OTHERS if told["type"].split("/")[-1] in OF_OTHERS else set()
        for place, text in texts(told).items():
            if not (kept and place == "detail"):
                check_language(text, language, texts(english)[place])


# -- requests of a client


def opened(client: Client, **fields: Any) -> str:
    return f"/v1/matches/{client.open_match(**fields)['id']}"


def in_match(path: str, body: Any, **headers: str) -> Ask:
    return lambda client: client.post(opened(client) + path, body, **headers)


def fetch(path: str, **headers: str) -> Ask:
    return lambda client: client.get(path, **headers)


def send(path: str, body: Any, **headers: str) -> Ask:
    return lambda client: client.post(path, body, **headers)


def opening(**fields: Any) -> Ask:
    return send("/v1/matches", {"game": "kalah", **fields})


def endpoint(url: str, *events: str) -> Ask:
    return send("/v1/webhook-endpoints", {"url": url, "events": list(events)})


def over(client: Client) -> TestResponse:
    path = opened(client)
    client.post(f"{path}/resignation", {"seat": "south"})
    return client.post(f"{path}/draw-offers", {"seat": "south"})


def offered_twice(client: Client) -> TestResponse:
    path = opened(client)
    client.post(f"{path}/draw-offers", {"seat": "south"})
    return client.post(f"{path}/takebacks", {"seat": "south", "to_version": 3})


def begun(client: Client) -> TestResponse:
    path = opened(client)
    move = {"move": "A", "seat": "south", "expected_version": 3}
    client.post(f"{path}/moves", move)
    return client.post(f"{path}/cancellation", {})


def free(client: Client) -> TestResponse:
    path = opened(client, seats={"south": {"kind": "human"}})
    return client.post(f"{path}/moves", {"move": "A", "seat": "south"})


def raw(data: bytes, content_type: str = "application/json", **more: str) -> Ask:
    def ask(client: Client) -> TestResponse:
        headers = {**client.authorization(), "Content-Type": content_type, **more}
        return client.send("POST", "/v1/matches", data=data, headers=headers)

    return ask


MOVE = {"move": "A", "seat": "south", "expected_version": 3}
AI = {"kind": "ai", "level": 1}
ANSWER = "/draw-offers/answer"
POSITION = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S"
ASKED: dict[str, Ask] = {
    "no token": lambda client: client.holding("").get("/v1/matches"),
    "no such token": lambda client: client.holding("sk_wrong").get("/v1/matches"),
    "no such path": fetch("/v1/nothing"),
    "no such method": lambda client: client.call("DELETE", "/v1/matches"),
    "no such problem": fetch("/problems/none"),
    "no such match": fetch("/v1/matches/mat_none"),
    "no such game": fetch("/v1/games/chess"),
    "no such version": lambda client: client.get(f"{opened(client)}?version=9"),
    "no such key": lambda client: client.call("DELETE", "/v1/keys/key_none"),
    "no such endpoint": fetch("/v1/webhook-endpoints/whe_none"),
    "unknown parameter": fetch("/v1/matches?colour=red"),
    "parameter twice": fetch("/v1/matches?game=kalah&game=oware"),
    "limit": fetch("/v1/matches?limit=0"),
    "time": fetch("/v1/matches?since=yesterday"),
    "status": fetch("/v1/matches?status=lost"),
    "fields": fetch("/v1/matches?fields=colour"),
    "ids and more": fetch("/v1/matches?ids=mat_a&game=kalah"),
    "name": fetch("/v1/matches?game=a/b"),
    "cursor": fetch("/v1/matches?cursor=abc"),
    "entry": fetch("/v1/events?cursor=9999"),
    "stream": fetch("/v1/events", Accept="text/event-stream"),
    "no JSON": raw(b"{"),
    "a member twice": raw(b'{"game": "kalah", "game": "oware"}'),
    "no object": raw(b"[]"),
    "another type": raw(b"x", "text/plain"),
    "no type": raw(b"x", ""),
    "packed": raw(b"x", **{"Content-Encoding": "gzip"}),
    "too large": raw(b" " * 70_000),
    "nothing": send("/v1/matches", {}),
    "unknown member": opening(colour="red"),
    "null": send("/v1/matches", {"game": None}),
    "no text": send("/v1/matches", {"game": 7}),
    "unseen": send("/v1/matches", {"game": "a\u0000"}),
    "options no object": opening(options=1),
    "seat no object": opening(seats={"south": 1}),
    "kind": opening(seats={"south": {"kind": "cat"}}),
    "no level": opening(seats={"south": {"kind": "ai"}}),
    "level": opening(seats={"south": AI | {"level": 11}}),
    "unknown game": send("/v1/matches", {"game": "chess"}),
    "unknown option": opening(options={"stones": 4}),
    "option": opening(options={"seeds": 99}),
    "true or false": opening(options={"empty_capture": 1}),
    "choice": send("/v1/matches", {"game": "congkak", "options": {"rounds": "all"}}),
    "or null": send(
        "/v1/matches", {"game": "oware-nam-nam", "options": {"max_rounds": 0}}
    ),
    "no options": send("/v1/matches", {"game": "reversi", "options": {"pits": 0}}),
    "starter": opening(starter="east"),
    "seat": opening(seats={"east": AI}),
    "clock": opening(clock={"initial_s": 1}),
    "clock member": opening(clock={"days_per_move": 0}),
    "position": opening(position="4,4"),
    "square": send("/v1/matches", {"game": "reversi", "position": "X"}),
    "seeds": opening(position="4,4,4,4,4,4/4,4,4,4,4,9 0,0 S"),
    "pits": opening(position="4,4/4,4 0,0 S"),
    "fist": in_match("/guess", {"seat": "south", "fist": "left"}),
    "illegal move": in_match("/moves", MOVE | {"move": "Z"}),
    "not your turn": in_match("/moves", MOVE | {"seat": "north", "move": "a"}),
    "no version": in_match("/moves", {"move": "A", "seat": "south"}),
    "a version to come": in_match("/moves", MOVE | {"expected_version": 99}),
    "If-Match": in_match("/moves", MOVE, If_Match="*"),
    "two versions": in_match("/moves", MOVE, If_Match='"1"'),
    "no seat": in_match("/draw-offers", {}),
    "key": in_match("/draw-offers", {"seat": "south"}, Idempotency_Key="a b"),
    "taken": in_match("/players", {"kind": "human"}),
    "seat taken": in_match("/players", {"kind": "human", "seat": "south"}),
    "nothing to answer": in_match(
        "/draw-offers/answer", {"seat": "south", "accept": True}
    ),
    "yes or no": in_match(ANSWER, {"seat": "south", "accept": 1}),
    "takeback": in_match("/takebacks", {"seat": "south", "to_version": 3}),
    "not started": free,
    "over": over,
    "offered": offered_twice,
    "begun": begun,
    "moves": send("/v1/positions", {"game": "kalah", "moves": ["C", "C"]}),
    "a starter too many": send(
        "/v1/positions",
        {
            "game": "kalah",
            "position": "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S",
            "starter": "south",
        },
    ),
    "http": endpoint("http://a.example", "*"),
    "private": endpoint("https://127.0.0.1", "*"),
    "port": endpoint("https://a.example:1", "*"),
    "all and more": endpoint("https://93.184.215.14", "*", "match.ended"),
    "no events": endpoint("https://93.184.215.14"),
    "an event": endpoint("https://93.184.215.14", "won"),
    "label": send("/v1/keys", {"label": "x" * 500}),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_refusal_is_told_in_every_language(client: Client, asked: str) -> None:
    shown = {}
    for language in LANGUAGES:
        ask = ASKED[asked]
        with patch.object(Client, "send", in_language(language)):
            answer = ask(client)
        assert answer.status_code >= 400
        assert answer.headers["Content-Language"] == language
        assert "Accept-Language" in answer.vary
        shown[language] = answer.get_json()
    english = shown["en"]

    for language in OTHERS:
        told = shown[language]
        assert told["type"] == english["type"]
        assert codes(told).keys() == codes(english).keys()
        for place, text in texts(told).items():
            check_language(text, language, texts(english)[place])


def in_language(language: str) -> Callable[..., TestResponse]:
    plain = Client.send

    def sent(client: Client, method: str, path: str, **given: Any) -> TestResponse:
        headers = {**given.pop("headers", {}), "Accept-Language": language}
        return plain(client, method, path, headers=headers, **given)

    return sent
