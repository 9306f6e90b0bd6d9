"""The pie rule on the page: offered, clicked, typed, told, shown and proved."""

import random

from playwright.sync_api import Browser, expect

from services.audit import verify
from services.audit.public_keys import read_keys
from tests.support.page_driver import OPEN, OVER, Arrive, at_home
from tests.support.stack import Stack

SWAP = "Take the other's place"
ASK = """([selector, position, moves]) => {
  const board = document.createElement("seedlog-board");
  board.setAttribute("game", "kalah");
  board.setAttribute("position", position);
  board.setAttribute("moves", moves);
  const tell = (event) => (document.title = event.detail.move);
  board.addEventListener("seedlog-choose", tell);
  document.querySelector(selector).append(board);
}"""
OFFERED = "4,4,0,5,5,0/5,5,5,5,4,4 2,0 N pie=N"


def test_a_place_is_taken_by_a_click(arrive: Arrive, stack: Stack) -> None:
    """Two at one screen: what lies there changes over; the export is in order."""
    visitor = arrive()
    page = visitor.page
    page.locator(".card:has(input[value='kalah'])").click()
    page.locator("#opponents input[value='same-screen']").check()
    page.locator("input[name='pie']").check()
    page.locator("#play").click()
    page.wait_for_selector(OPEN)
    offer = page.get_by_role("group", name="Other moves")
    swap = offer.get_by_role("button", name=SWAP)
    for version, pit in ((4, "C"), (5, "F")):
        expect(offer).to_be_hidden()
        visitor.place(pit).click()
        page.wait_for_selector(f"#events [data-version='{version}'][aria-current]")
    page.wait_for_selector(f"{OPEN}[data-place='a']")
    expect(swap).to_be_visible()
    before = visitor.board()

    swap.click()

    expect(page.locator("#events [data-version='6']")).to_contain_text(
        "North took the other's place, with all that lies there"
    )
    page.wait_for_selector(f"{OPEN}[data-place='A']")
    expect(offer).to_be_hidden()
    assert (before["south"], before["A"], before["f"]) == (2, 4, 4)
    after = visitor.board()
    assert (after["north"], after["a"], after["F"]) == (2, 4, 4)
    assert after["c"] == before["C"] == 0
    visitor.play_on(random.Random(1))
    assert page.locator(OVER).is_visible()
    path = f"{stack.url}/v1/matches/{visitor.match_id}/export"
    bearer = {"Authorization": f"Bearer {visitor.token}"}
    export = page.request.get(path, headers=bearer).body()
    keys = page.request.get(f"{stack.url}/.well-known/seedlog-keys.json").body()
    verdict = verify(export, read_keys(keys))
    assert verdict.is_ok, verdict.findings
    assert b'"move":"swap"' in export
    assert visitor.complaints == []


def test_a_place_is_taken_by_the_keyboard(arrive: Arrive) -> None:
    """Whoever listens is told that there is a choice, and that it was made."""
    visitor = arrive(reduced_motion="no-preference")
    page = visitor.page
    page.locator(".card:has(input[value='kalah'])").click()
    page.locator("input[name='pie']").check()
    visitor.open_match("kalah", "north")
    expect(page.locator("#live")).to_contain_text(
        "Your turn: choose one of your pits, or take the other's place."
    )
    version = visitor.shown_version()
    before = visitor.events()[-1]["board"]

    page.get_by_role("button", name=SWAP).focus()
    page.keyboard.press("Enter")

    said = page.locator(f"#events [data-version='{version + 1}']")
    expect(said).to_contain_text("You took the other's place")
    after = visitor.events()[version]["board"]
    assert (after["north"], after["a"]) == (before["south"], before["A"])
    assert visitor.complaints == []


def test_a_board_of_another_page_offers_it(browser: Browser, stack: Stack) -> None:
    """As a button below it, whose move is told like any other."""
    visitor = at_home(browser, stack)
    page = visitor.page
    page.evaluate(ASK, ["body", OFFERED, "a b swap"])
    board = page.locator("body > seedlog-board")
    expect(board.locator(".place.open")).to_have_count(2)
    board.get_by_role("button", name=SWAP).click()
    expect(page).to_have_title("swap")
    board.evaluate("board => board.setAttribute('moves', 'a b')")
    expect(board.get_by_role("button", name=SWAP)).to_have_count(0)
    page.context.close()
