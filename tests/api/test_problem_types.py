"""What a type of problem means, at its URL: for programs, and for people."""

import re
from html.parser import HTMLParser

import pytest
from werkzeug.exceptions import ImATeapot

from services.http.problems import TYPES, find_problem
from services.languages import LANGUAGES, find_language
from tests.support.app import Client

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Links(HTMLParser):
    """Collects what a page would have a browser fetch, or lead to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [value or "" for name, value in attrs if name in ("href", "src")]


def test_a_program_is_answered_in_json(client: Client) -> None:
    for accept in ("*/*", "application/json", "application/problem+json", ""):
        answer = client.get("/problems/illegal-move", Accept=accept)

        assert answer.get_json() == {
            "type": "/problems/illegal-move",
            "title": "That move is not legal here",
            "status": 422,
            "cause": "The rules do not allow this move in the position on the board.",
            "advice": "Choose one of legal_moves.",
        }
        assert {"Accept", "Accept-Language"} <= set(answer.vary)


def test_a_browser_is_shown_cause_advice_and_an_example(client: Client) -> None:
    answer = client.get(
        "/problems/illegal-move", Accept=BROWSER, Accept_Language="hi, en;q=0.5"
    )

    assert answer.mimetype == "text/html"
    assert answer.headers["Content-Language"] == "hi"
    assert {"Accept", "Accept-Language"} <= set(answer.vary)
    assert '<html lang="hi">' in answer.text
    assert "<title>वह चाल यहाँ वैध नहीं</title>" in answer.text
    assert "legal_moves में से कोई चुनें।" in answer.text
    assert "&quot;legal_moves&quot;: [" in answer.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_whole_and_asks_no_other_host(
    client: Client, language: str
) -> None:
    for name, problem in TYPES.items():
        path = f"/problems/{name}"
        answer = client.get(path, Accept=BROWSER, Accept_Language=language)
        links, tell = Links(answer.text), find_language(language).tell

        assert links.found == ["/static/rulebook.css"]
        assert not {"script", "style", "form", "iframe", "base"} & links.tags
        policy = answer.headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; style-src 'self'"
        text = re.sub(r"</?code>|&quot;", "", answer.text)
        for said in (problem.title, problem.cause, problem.advice):
            assert tell(said).replace('"', "") in text


def test_all_types_are_listed_and_linked(client: Client) -> None:
    page = client.get("/problems", Accept=BROWSER).text
    listed = client.get("/problems").get_json()["data"]

    linked = {link for link in Links(page).found if link.startswith("/problems/")}
    assert linked == {entry["type"] for entry in listed}
    assert len(listed) == len(TYPES)
    assert client.get(min(linked)).status_code == 200


def test_a_type_that_there_is_not_is_a_problem_for_a_browser_too(
    client: Client,
) -> None:
    answer = client.get("/problems/<script>", Accept=BROWSER)

    assert answer.status_code == 404
    assert answer.mimetype == "application/problem+json"


def test_whoever_looks_is_led_home_and_an_app_is_told(client: Client) -> None:
    """What a browser asks for is text/html before all else; the rest is an app."""
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    for path in ("/nowhere", "/static/nothing", "/v1/nothing"):
        seen = client.get(path, Accept=browser)
        told = client.get(path, Accept="*/*")

        assert (seen.status_code, seen.mimetype) == (404, "text/html")
        assert 'href="/"' in seen.text
        assert "script" not in seen.text
        assert told.get_json()["type"] == "/problems/not-found"
        assert "Accept" in seen.headers["Vary"]
        assert "Accept" in told.headers["Vary"]


def test_what_a_library_refuses_in_its_own_way_has_a_type_that_is_explained() -> None:
    problem, _ = find_problem(ImATeapot())

    assert problem.status == 418
    assert problem.type in TYPES
