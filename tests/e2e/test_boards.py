"""Boards and proofs in a real browser: drawn, walked on, chosen from, verified."""

import random

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from services.languages import LANGUAGES
from services.web.assets import STATIC
from tests.support.boards import draw_all
from tests.support.page_driver import OPEN, OVER, at_home
from tests.support.pictures import picture
from tests.support.stack import Stack

HUMAN = {"kind": "human"}
THEMES = ("wood", "stone", "contrast", "numbers")


def board(page: Page, game: str) -> Locator:
    return page.locator(f"seedlog-board[game='{game}']")


def width_of(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


def test_every_board_in_every_theme_and_light(browser: Browser, stack: Stack) -> None:
    """A phone has room for each; what is on it does not depend on how it looks."""
    drawn = set()
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 320)):
        viewport = {"width": width, "height": 900}
        visitor = at_home(browser, stack, color_scheme=scheme, viewport=viewport)
        page = visitor.page
        for theme in THEMES:
            draw_all(page, theme=theme, columns=1 + (width > 900))
            labels = page.locator("[data-place]").evaluate_all(
                "all => all.map((place) => place.getAttribute('aria-label')).join()"
            )
            drawn.add(labels)
            assert width_of(page) <= width
            picture(page, f"boards-{theme}-{scheme}-{width}")
            assert visitor.complaints == []
        page.context.close()
    assert len(drawn) == 1
    styled = (STATIC / "boards" / "themes.css").read_text("utf-8")
    assert all(f'"{theme}"' in styled for theme in THEMES[1:])


def test_few_colours_and_large_text(browser: Browser, stack: Stack) -> None:
    """Forced colours leave numbers and rings; 200 % of text fits 360 pixels."""
    visitor = at_home(browser, stack, forced_colors="active")
    draw_all(visitor.page, columns=2)
    ring = board(visitor.page, "kalah").locator(".open .ring").first
    plank = board(visitor.page, "kalah").locator(".wood").first
    colours = [
        ring.evaluate("node => getComputedStyle(node).stroke"),
        plank.evaluate("node => getComputedStyle(node).stopColor"),
    ]
    assert len(set(colours)) == 2
    picture(visitor.page, "boards-forced")
    visitor.page.context.close()

    large = at_home(browser, stack, viewport={"width": 360, "height": 800})
    large.page.evaluate("document.documentElement.style.fontSize = '200%'")
    draw_all(large.page)
    assert width_of(large.page) <= 360
    large.page.context.close()


def test_what_is_on_a_board_is_seen_and_said(browser: Browser, stack: Stack) -> None:
    """Owners, rounds, pits out of play, totals, and what the last move did."""
    visitor = at_home(browser, stack)
    page = visitor.page
    draw_all(page)

    won = board(page, "oware-nam-nam")
    expect(won.locator(".caption")).to_have_text("Round 3")
    expect(won.locator("[data-place='e']")).to_have_attribute(
        "aria-label", "Play e: pit e of South, 4 seeds"
    )
    assert won.locator(".owner.first").count() == 8
    burnt = board(page, "congkak").locator(".burnt")
    expect(burnt).to_have_attribute("data-place", "g")
    expect(burnt).to_have_attribute(
        "aria-label", "pit g of North, out of play in this round"
    )
    sides = board(page, "bao-kujifunza").locator(".side").all_text_contents()
    assert sides == ["33", "31"]
    sown = board(page, "oware-abapa")
    for mark, places in {"start": ["d"], "end": ["B"], "taken": ["A"]}.items():
        marked = sown.locator(f".{mark}").evaluate_all(
            "all => all.map((place) => place.dataset.place)"
        )
        assert marked == places, mark
    expect(board(page, "reversi").locator(".flipped")).to_have_attribute(
        "data-place", "d3"
    )
    board(page, "kalah").evaluate("node => node.setAttribute('position', 'x')")
    expect(board(page, "kalah")).to_contain_text("not a position of kalah, such as")
    board(page, "kalah").evaluate("node => node.setAttribute('game', 'chess')")
    expect(board(page, "chess")).to_contain_text("not a position of chess, such as")
    page.context.close()


def test_the_keyboard_walks_on_the_board(browser: Browser, stack: Stack) -> None:
    """Arrows go to the next place, also to one that is closed, and choose a way."""
    visitor = at_home(browser, stack)
    page = visitor.page
    draw_all(page)
    page.evaluate(
        "document.addEventListener('seedlog-choose', (event) => "
        "(document.title = event.detail.move))"
    )

    def focused() -> str:
        told = page.evaluate(
            "(({ dataset }) => dataset.place ?? dataset.move)"
            "(document.activeElement.shadowRoot.activeElement)"
        )
        return str(told)

    board(page, "kalah").locator("[data-place='A']").focus()
    walked = []
    for key in ("Right", "Right", "Up", "Left", "Down", "Left", "Left", "Left"):
        page.keyboard.press(f"Arrow{key}")
        walked.append(focused())
    assert walked == ["B", "C", "d", "e", "B", "A", "north", "north"]
    page.keyboard.press("Enter")
    assert page.title() != "north"

    bao = board(page, "bao-kujifunza")
    bao.locator("[data-place='A5']").focus()
    page.keyboard.press("Enter")
    assert focused() == "A5L"
    assert bao.locator(".chosen").get_attribute("data-place") == "A5"
    page.keyboard.press("Escape")
    assert focused() == "A5"
    assert bao.locator("[data-move]").count() == 0
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    expect(bao.locator("[data-move='A5R']")).to_have_attribute(
        "aria-label", "A5 to the right"
    )
    page.keyboard.press("Enter")
    expect(page).to_have_title("A5R")
    page.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_boards_of_a_match_in_every_language(
    browser: Browser, stack: Stack, language: str
) -> None:
    """One picture for each, of another game and another screen."""
    number = list(LANGUAGES).index(language)
    game = ["kalah", "bao-kujifunza", "congkak", "reversi", "oware-nam-nam"][number]
    seat = "black" if game == "reversi" else "south"
    size = [(1280, 800), (360, 740), (740, 360), (1280, 800), (360, 740)][number]
    viewport = {"width": size[0], "height": size[1]}
    scheme = ["light", "dark"][number % 2]
    visitor = at_home(
        browser, stack, locale=language, viewport=viewport, color_scheme=scheme
    )
    page = visitor.page
    visitor.open_match(game, seat)
    visitor.play_on(random.Random(language), moves=4)
    page.wait_for_selector(f"{OPEN}, {OVER}")
    picture(page, f"match-{game}-{language}", whole=False)

    assert width_of(page) <= size[0]
    frame = page.locator("#board").bounding_box()
    assert frame is not None
    assert frame["width"] > 0.9 * size[0] or size[0] > 1000
    if size[1] < 400:
        assert frame["height"] > 0.55 * size[1]
    assert visitor.complaints == []
    page.context.close()


def test_a_proof_names_the_event_that_was_touched(
    browser: Browser, stack: Stack
) -> None:
    """A match of this browser holds; a file is verified wherever it comes from."""
    visitor = at_home(browser, stack, viewport={"width": 1280, "height": 900})
    page = visitor.page
    visitor.open_match("bao-children", "south")
    visitor.play_on(random.Random(3), moves=4)
    page.wait_for_selector(OPEN)
    page.locator("#prove").click()
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("hash chain, signatures and rules hold")
    expect(page.locator("#trust")).to_contain_text("this service has published")
    count = page.locator("#log li").count()
    expect(page.locator("#log li.holds")).to_have_count(count)
    picture(page, "proof")

    seats = {"south": HUMAN, "north": HUMAN}
    opened = stack.client.open_match("kalah", seats)
    for version, (seat, move) in enumerate([("south", "C"), ("south", "A")], 3):
        stack.client.play(opened["id"], move, seat=seat, version=version)
    whole = stack.client.export(opened["id"])
    touched = whole.replace(b'"move":"A"', b'"move":"B"')
    assert touched != whole
    for name, data, said in (
        ("whole.jsonl", whole, "OK: 5 events"),
        ("touched.jsonl", touched, "NOT OK: event 5: its text is not the one"),
        ("nothing.jsonl", b"\x00\x01 nothing", "NOT OK: header or head"),
        ("cut.jsonl", whole[: len(whole) // 2], "NOT OK: the file is cut off"),
    ):
        file = {"name": name, "mimeType": "text/plain", "buffer": data}
        page.locator("#file").set_input_files(file)  # type: ignore[arg-type]
        expect(verdict).to_contain_text(said)
        if name == "touched.jsonl":
            wrong = page.locator("#log li.wrong")
            expect(wrong).to_have_count(1)
            expect(wrong).to_have_attribute("aria-current", "step")
            expect(page.locator("#log li").first).to_contain_text("Kalah is set up")
            expect(wrong.locator(".state")).to_contain_text("is not the one that was")
            picture(page, "proof-touched")
    assert visitor.complaints == []
    page.context.close()
