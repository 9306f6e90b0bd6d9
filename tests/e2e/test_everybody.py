"""The page for everybody: with a screen reader, in the dark, with large letters."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.support.node import fetch_axe
from tests.support.page_driver import OPEN, OVER, Visitor
from tests.support.stack import Stack


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fetch_axe(tmp_path_factory.mktemp("axe"))


def violations(page: Page, axe: str) -> list[tuple[str, list[str]]]:
    """Return what axe finds on a page, and where."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"]])
        for each in found["violations"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(
    browser: Browser, stack: Stack, axe: str, scheme: str
) -> None:
    """At home, in a match, in its past and after it; in the rules and in a problem."""
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    visitor = Visitor.arriving(context, stack.url)
    page = visitor.page

    page.wait_for_selector("#games .card")
    assert violations(page, axe) == []
    visitor.open_match("kalah", "south")
    page.wait_for_selector("#act-hint:visible")
    assert violations(page, axe) == []
    visitor.place("A").click()
    page.wait_for_selector(OPEN)
    page.locator("#scrubber").fill("3")
    page.wait_for_selector("#fork:visible")
    assert violations(page, axe) == []
    page.locator("#log-now").click()
    page.locator("#act-resign").click()
    page.locator("#sure-yes").click()
    page.wait_for_selector(OVER)
    page.locator("#analyse").click()
    page.wait_for_selector("#analysis-chart svg")
    assert violations(page, axe) == []
    paths = ("/v1/games/reversi/rules?lang=pa", "/problems/illegal-move", "/astray")
    for path in paths:
        page.goto(stack.url + path)
        page.wait_for_selector("main h1")
        assert violations(page, axe) == []
    context.close()


@pytest.mark.parametrize("language", ["en", "tr", "ja"])
def test_large_text_fits_a_small_phone(
    browser: Browser, stack: Stack, language: str
) -> None:
    """With letters twice as large nothing has to be scrolled sideways."""
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = Visitor.arriving(context, f"{stack.url}/?lang={language}").page

    page.wait_for_selector("#games .card")
    for selector in ("#play", "#board .place.open"):
        page.evaluate("document.documentElement.style.fontSize = '32px'")
        assert page.locator(selector).first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        if selector == "#play":
            page.locator("#play").click()
            page.wait_for_selector("#board .place.open")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_proof_keeps_nobody_out(
    browser: Browser, stack: Stack, axe: str, scheme: str, tmp_path: Path
) -> None:
    """Neither on the site nor as the page that is kept."""
    human = {"kind": "human"}
    opened = stack.client.open_match("oware-nam-nam", {"south": human, "north": human})
    stack.client.play(opened["id"], "C", seat="south", version=3)
    whole = stack.client.export(opened["id"])
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{stack.url}/proof")
    file = {"name": "match.jsonl", "mimeType": "text/plain", "buffer": whole}
    page.locator("#file").set_input_files(file)  # type: ignore[arg-type]
    page.wait_for_selector("#verdict[data-state='ok']")
    assert violations(page, axe) == []

    path = f"/v1/matches/{opened['id']}/export?format=html"
    key = {"Authorization": f"Bearer {stack.api_key}"}
    kept = tmp_path / "kept.html"
    kept.write_bytes(httpx.get(f"{stack.url}{path}", headers=key).content)
    page.goto(kept.as_uri())
    page.wait_for_selector("#verdict[data-state='ok']")
    assert violations(page, axe) == []
    context.close()
