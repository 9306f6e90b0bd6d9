"""Drives the page in a real browser, with the words of somebody who plays."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    Page,
    sync_playwright,
)

from services.client import Seedlog
from tests.support.stack import Stack

NOT_WANTED = [
    # The address bar has pages of its own, which every new window would load though
    # none is shown: half a second of work, more than our page takes.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    # What Playwright leaves out, and would get back: the last such argument counts.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"),
    *("LensOverlay", "MediaRouter", "OptimizationHints", "NetworkTimeServiceQuerying"),
    *("AimEnabled", "PreconnectToSearch"),
]
"""Features of Chromium; it passes over names that it does not know."""

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(NOT_WANTED)}",
]
NETWORK_CHANGED = "ERR_NETWORK_CHANGED"
OPEN = "#board .place.open"
WAY = "#board [data-move]"
OVER = "#result:not([hidden])"


@contextmanager
def running_browser(chromium: str) -> Iterator[Browser]:
    """Run a browser for as long as the block lasts."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visitor:
    """Somebody who has opened the page in a window of their own."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    @classmethod
    def arriving(cls, context: BrowserContext, url: str) -> "Visitor":
        """Open the page, and listen to everything it says and asks for."""
        visitor = cls(context.new_page(), url)
        page = visitor.page
        page.on("console", lambda said: visitor.note(said.text))
        page.on("pageerror", lambda error: visitor.note(str(error)))
        page.on("request", lambda request: visitor.requested.append(request.url))
        visitor.go_to(url, "#choosing:not([hidden])")
        return visitor

    def note(self, complaint: str) -> None:
        """Keep a complaint, unless this machine is to blame for it."""
        if NETWORK_CHANGED not in complaint:
            self.complaints.append(complaint)

    def go_to(self, url: str, selector: str) -> None:
        """Load an address until something is there.

        Chromium gives up all requests when the machine gets or loses an interface, as
        it does when a container starts; a page that was loading has to be loaded again.
        """
        for attempt in range(4):
            try:
                self.page.goto(url)
                self.page.wait_for_selector(selector, timeout=6_000)
            except Error:
                if attempt == 3:
                    raise
            else:
                return

    def open_match(self, game: str, seat: str, level: int = 1) -> None:
        """Choose a game, a seat and a level, and play."""
        self.page.locator(f".card:has(input[value='{game}'])").click()
        self.page.locator(f".seat:has(input[value='{seat}'])").click()
        self.page.locator("#level").fill(str(level))
        self.page.locator("#play").click()
        self.page.wait_for_selector(f"{OPEN}, {OVER}")

    def play_on(self, chance: random.Random, moves: int = 1000) -> None:
        """Click legal places, so often or until the match is over."""
        for _ in range(moves):
            self.page.wait_for_selector(f"{OPEN}, {OVER}")
            places = self.page.locator(OPEN)
            count = places.count()
            if not count:
                return
            places.nth(chance.randrange(count)).click()
            if self.page.locator(WAY).count():
                self.page.locator(WAY).first.click()
            elif self.page.locator("#offer").is_visible():
                self.page.locator("#offer-moves button").first.click()

    @property
    def match_id(self) -> str:
        return self.page.url.partition("#")[2].partition("/")[0]

    @property
    def token(self) -> str:
        """Return the token of the seat that the window holds."""
        holding = self.page.evaluate(
            "id => localStorage.getItem('seedlog.seats.1.' + id)", self.match_id
        )
        return str(next(iter(json.loads(holding)["tokens"].values())))

    def events(self) -> list[dict[str, Any]]:
        """Return the log of the match as the API tells it."""
        with Seedlog(self.url, self.token) as player:
            events = player.events(self.match_id, position=True)
            return [dict(event) for event in events]

    def log(self) -> list[tuple[int, str]]:
        """Return version and shortened hash of every entry of the log that is shown."""
        return [
            (version, short)
            for version, short in self.page.eval_on_selector_all(
                "#events [data-version]",
                "all => all.map(e => [Number(e.dataset.version),"
                " e.querySelector('code').textContent])",
            )
        ]

    def shown_version(self) -> int:
        """Return the version whose entry is marked."""
        entry = self.page.locator("#events [aria-current]")
        return int(entry.get_attribute("data-version") or 0)

    def board(self) -> dict[str, int | str]:
        """Return what is drawn on every place: seeds in numbers, discs by colour."""
        places = self.page.locator("#board [data-place]:not(.burnt)")
        drawn: dict[str, int | str] = places.evaluate_all(
            """places => Object.fromEntries(places.flatMap((place) => {
              const label = place.dataset.place;
              const number = place.querySelector('.number, .total');
              if (number) return [[label, Number(number.textContent)]];
              const disc = place.querySelector('.disc');
              const color = disc?.matches('.dark') ? 'black' : 'white';
              return disc ? [[label, color]] : [];
            }))"""
        )
        return drawn

    def place(self, label: str) -> Locator:
        """Return a place of the board."""
        return self.page.locator(f"#board [data-place='{label}']")


Arrive = Callable[..., Visitor]
"""Opens the page in a fresh window."""


def at_home(browser: Browser, stack: Stack, **options: Any) -> Visitor:
    context = browser.new_context(**{"reduced_motion": "reduce", **options})
    context.set_default_timeout(20_000)
    return Visitor.arriving(context, stack.url)
