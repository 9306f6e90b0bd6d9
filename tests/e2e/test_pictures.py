"""Every board in every language, light and dark, on a desk and on a phone, to look at.

It takes minutes, and says nothing by itself: `SEEDLOG_PICTURES=1 pytest
tests/e2e/test_pictures.py` writes to `build/screenshots`, where people judge.
"""

import json
import os
import random
from typing import Any

import pytest
from playwright.sync_api import Browser

from rules_core import all_games
from services.client import Seedlog
from services.languages import LANGUAGES
from tests.support.page_driver import OPEN, at_home
from tests.support.pictures import picture
from tests.support.stack import Stack

SIZES = {"desk": (1280, 800), "phone": (360, 740)}
MOVES = 9

pytestmark = [
    pytest.mark.skipif(
        "SEEDLOG_PICTURES" not in os.environ,
        reason="pictures for people; SEEDLOG_PICTURES=1 asks for them",
    ),
    pytest.mark.timeout(900),
]


def play(stack: Stack, game: str) -> tuple[str, str]:
    """Play a match by two guests for a while; return it, and whom the browser is."""
    chance = random.Random(game)
    with Seedlog(stack.url, "") as nobody:
        wanted = {"game": game, "opponent": "same-screen"}
        match = nobody.request("POST", "/v1/guest-matches", wanted)
    seats: dict[str, str] = match["seat_tokens"]
    for _ in range(MOVES):
        if not match["to_move"]:
            break
        with Seedlog(stack.url, seats[match["to_move"]]) as mover:
            move = chance.choice(match["legal_moves"])
            match = mover.play(match["id"], move, version=match["version"])["match"]
    mover_to_be = match["to_move"]
    held: Any = {"tokens": {mover_to_be: seats[mover_to_be]}, "game": game, "at": 1}
    return match["id"], json.dumps(held)


@pytest.fixture(scope="module")
def matches(stack: Stack) -> dict[str, tuple[str, str]]:
    return {game.key: play(stack, game.key) for game in all_games()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_board_is_pictured(
    browser: Browser,
    stack: Stack,
    matches: dict[str, tuple[str, str]],
    size: str,
    scheme: str,
    language: str,
) -> None:
    width, height = SIZES[size]
    viewport = {"width": width, "height": height}
    visitor = at_home(
        browser, stack, locale=language, viewport=viewport, color_scheme=scheme
    )
    page = visitor.page
    page.locator(".seat:has(input[value='stranger'])").click()
    picture(page, f"all-home-{size}-{scheme}-{language}")
    for game, (match_id, held) in matches.items():
        keep = "([name, held]) => localStorage.setItem(name, held)"
        page.evaluate(keep, [f"seedlog.seats.1.{match_id}", held])
        visitor.go_to("about:blank", "html")
        visitor.go_to(f"{visitor.url}/#{match_id}", OPEN)
        picture(page, f"all-{game}-{size}-{scheme}-{language}", whole=False)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, game
    assert visitor.complaints == []
    page.context.close()
