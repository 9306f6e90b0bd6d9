"""The pages about the API in a real browser: each problem, and the reference."""

import hashlib
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from services.web.reference import FOLDER
from tests.support.contract import load_contract, operations
from tests.support.page_driver import Arrive
from tests.support.stack import Stack


class Reader:
    """Reads pages, and notes what they complain of and ask for."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", lambda said: self.note(said.type, said.text))
        page.on("pageerror", lambda error: self.note("error", str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def note(self, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(text)

    def open(self, path: str) -> Page:
        self.page.goto(self.url + path)
        return self.page


@pytest.fixture
def reader(browser: Browser, stack: Stack) -> Iterator[Reader]:
    context = browser.new_context(locale="tr-TR")
    context.set_default_timeout(20_000)
    yield Reader(context.new_page(), stack.url)
    context.close()


def test_a_problem_is_explained_to_a_browser_in_its_language(reader: Reader) -> None:
    page = reader.open("/problems")
    page.get_by_role("link", name="/problems/illegal-move").click()

    expect(page.locator("h1")).to_have_text("Bu hamle burada oynanamaz")
    expect(page.locator("html")).to_have_attribute("lang", "tr")
    expect(page.locator("pre")).to_contain_text('"status": 422')
    assert reader.complaints == []
    assert reader.hosts == {urlsplit(reader.url).netloc}


def test_the_reference_shows_every_operation_and_asks_no_other_host(
    reader: Reader,
) -> None:
    page = reader.open("/docs")
    page.wait_for_selector(".opblock")

    paths = page.locator(".opblock-summary-path").all_inner_texts()
    shown = {text.strip() for text in paths}
    wanted = {path for _, path in {*operations(), *operations(streams=True)}}
    webhooks = load_contract()["webhooks"]
    # Swagger UI lets long paths break, by spaces of no width.
    assert {re.sub("\u200b", "", text) for text in shown} == wanted | {*webhooks}
    described = {*operations(), *operations(streams=True), *webhooks}
    assert page.locator(".opblock").count() == len(described)
    assert reader.complaints == []
    assert reader.hosts == {urlsplit(reader.url).netloc}


def test_what_the_reference_shows_can_be_tried_with_a_key(
    reader: Reader, stack: Stack
) -> None:
    page = reader.open("/docs")
    page.locator(".btn.authorize").click()
    page.locator(".auth-container input").first.fill(stack.api_key)
    page.locator(".auth-btn-wrapper .authorize").first.click()
    page.locator(".btn-done").first.click()
    block = page.locator("#operations-matches-listMatches")
    block.locator(".opblock-summary-control").click()
    block.locator(".try-out__btn").click()
    block.locator(".execute").click()

    answered = block.locator(".live-responses-table .response-col_status")
    expect(answered.last).to_contain_text("200")
    assert reader.complaints == []
    assert reader.hosts == {urlsplit(reader.url).netloc}


def test_the_bundle_is_the_one_that_is_on_record() -> None:
    said = (FOLDER / "README.md").read_text("utf-8")

    for name in ("swagger-ui-bundle.js", "swagger-ui.css"):
        digest = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
        assert f"| `{name}` | `{digest}` |" in said


def test_an_example_of_a_rulebook_is_played_on_its_board(arrive: Arrive) -> None:
    """At once, or moment by moment; in the end the board is as it was drawn before."""
    visitor = arrive(locale="hi-IN")
    page = visitor.page
    page.goto(f"{visitor.url}/v1/games/kalah/rules?lang=hi")
    board = page.locator("seedlog-board[steps]").first
    numbers = (
        "node => [...node.shadowRoot.querySelectorAll('.number, .total')]"
        ".map((number) => Number(number.textContent))"
    )
    page.wait_for_selector(".moments button")
    after = board.evaluate(numbers)
    assert sum(after) == 48

    show, step = page.locator(".moments").first.locator("button").all()
    expect(show).to_have_text("चाल दिखाइए")
    step.click()
    begun = board.evaluate(numbers)
    assert begun != after
    assert sum(begun) == 44  # four are in the hand
    for _ in range(4):
        step.click()
    assert sum(board.evaluate(numbers)) == 48
    show.click()
    page.wait_for_timeout(100)
    assert sum(board.evaluate(numbers)) < 48
    expect(board.locator(".hand .seed")).to_have_count(0)
    assert board.evaluate(numbers) == after
    assert visitor.complaints == []
