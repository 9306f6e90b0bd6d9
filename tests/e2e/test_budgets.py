"""What the page may take: to its first board, and for each frame of a long sowing.

A busy machine takes longer, whatever the page does; so what is held is for how long the
page keeps the processor (styles, layout, scripts), as Chromium counts it, and what came
over the network. What a clock on the wall says is printed.
"""

import json
import random
from itertools import pairwise
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

from services.client import Seedlog
from tests.support.page_driver import OPEN, Arrive
from tests.support.stack import Stack

FRAME_MS = 1000 / 60
FIRST_BOARD_MS = 1000
MOST_REQUESTS = 10
FRAMES = """seconds => new Promise((done) => {
  const times = [];
  const until = performance.now() + 1000 * seconds;
  const next = (now) => {
    times.push(now);
    if (now < until) requestAnimationFrame(next);
    else done(times);
  };
  requestAnimationFrame(next);
})"""
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


FIRST_BOARD = "seedlog-board >> [part~='board']"


def measuring(page: Page) -> CDPSession:
    """Let Chromium count for how long a page keeps the processor."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def first_visit(browser: Browser, url: str) -> tuple[float, float, int]:
    """Return ms to the first board, ms of work for it, and the number of requests."""
    context = browser.new_context(reduced_motion="reduce")
    page, requested = context.new_page(), list[str]()
    page.on("request", lambda request: requested.append(request.url))
    session = measuring(page)
    page.goto(url)
    page.locator(FIRST_BOARD).first.wait_for()
    shown, worked = float(page.evaluate("performance.now()")), work_ms(session)
    context.close()
    return shown, worked, len(requested)


def test_the_first_board_is_there_at_once(browser: Browser, stack: Stack) -> None:
    """For somebody who was never here; the server packs its files at the first time."""
    first_visit(browser, stack.url)
    shown, worked, requests = first_visit(browser, stack.url)
    print(
        f"first board after {shown:.0f} ms, {worked:.0f} of work, {requests} requests"
    )

    assert 0 < worked < FIRST_BOARD_MS
    assert 0 < requests <= MOST_REQUESTS


def sown_match(stack: Stack) -> tuple[str, str]:
    """Play long sowings of Bao; return the match, and what a browser holds of it."""
    chance = random.Random(4)
    with Seedlog(stack.url, "") as nobody:
        wanted = {"game": "bao-kujifunza", "opponent": "same-screen"}
        match = nobody.request("POST", "/v1/guest-matches", wanted)
    seats: dict[str, str] = match["seat_tokens"]
    for _ in range(12):
        with Seedlog(stack.url, seats[match["to_move"]]) as mover:
            move = chance.choice(match["legal_moves"])
            match = mover.play(match["id"], move, version=match["version"])["match"]
    return match["id"], json.dumps({"tokens": seats, "game": match["game"], "at": 1})


def work_ms(session: CDPSession) -> float:
    """Return for how long the page has worked until now."""
    told: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return 1000 * sum(each["value"] for each in told if each["name"] in WORK)


def test_a_frame_of_sowing_64_kete_is_drawn_in_its_time(
    arrive: Arrive, stack: Stack
) -> None:
    match_id, held = sown_match(stack)
    visitor = arrive(reduced_motion="no-preference")
    page = visitor.page
    keep = "([name, held]) => localStorage.setItem(name, held)"
    page.evaluate(keep, [f"seedlog.seats.1.{match_id}", held])
    visitor.go_to("about:blank", "html")
    visitor.go_to(f"{visitor.url}/#{match_id}", OPEN)
    page.locator("#scrubber").fill("3")
    page.locator("#log-play").click()
    page.wait_for_timeout(500)

    session = measuring(page)
    begun = work_ms(session)
    times: list[float] = page.evaluate(FRAMES, 5)
    worked = work_ms(session) - begun
    between = sorted(after - before for before, after in pairwise(times))
    median, late = between[len(between) // 2], between[int(0.95 * len(between))]
    each = worked / len(times)
    print(
        f"{len(times) / 5:.0f} frames a second, {median:.1f} ms between two at the "
        f"median, {late:.1f} at the 95th; {each:.2f} ms of work each"
    )
    assert 0 < each < FRAME_MS / 2
    assert page.locator("#log-play[aria-pressed='true']").count() == 1
    assert visitor.complaints == []
