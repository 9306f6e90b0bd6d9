"""Two people on the page: by a link, at one screen; and what they do beside moving."""

import os
import random
import re
import signal
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Worker, expect

from tests.support.page_driver import (
    ARGUMENTS,
    OPEN,
    OVER,
    Arrive,
    Visitor,
    at_home,
)
from tests.support.patience import wait_for
from tests.support.stack import Stack


def choose(visitor: Visitor, opponent: str, game: str = "kalah") -> None:
    page = visitor.page
    page.locator(f".card:has(input[value='{game}'])").click()
    page.locator(f".seat:has(input[value='{opponent}'])").click()


def test_two_friends_play_by_a_link(arrive: Arrive) -> None:
    """With a fist, a draw declined, a takeback, a resignation and a rematch."""
    one, other = (
        arrive(),
        arrive(locale="hi-IN", viewport={"width": 360, "height": 740}),
    )
    choose(one, "invited")
    one.page.locator("#starter").select_option("fist")
    one.page.locator("#play").click()
    field = one.page.locator("#invitation")
    expect(field).to_have_value(re.compile("/#in_mat_"))
    link = field.input_value()

    other.go_to(link, "#board .place")
    assert other.match_id == one.match_id
    assert "in_" not in other.page.url
    other.page.locator("[data-act='left']").click()
    expect(one.page.locator("#events [data-version='4']")).to_contain_text("guessed")
    begins = one.events()[3]["data"]["starter"]
    first, second = (one, other) if begins == "south" else (other, one)

    first.page.locator(OPEN).last.click()
    second.page.locator("#act-draw").click()
    first.page.locator("#asked-buttons [data-act='decline']").click()
    expect(second.page.locator("#asked")).to_be_hidden()
    first.page.locator("#act-takeback").click()
    second.page.locator("#asked-buttons [data-act='accept']").click()
    first.page.wait_for_selector(OPEN)
    types = [event["type"].removeprefix("match.") for event in one.events()]
    assert types[4:] == [
        "move_played",
        *("draw_offered", "draw_declined"),
        *("takeback_requested", "takeback_accepted"),
    ]

    first.page.locator(OPEN).last.click()
    second.page.locator("#act-resign").click()
    second.page.locator("#sure-yes").click()
    first.page.wait_for_selector(OVER)
    match_id = first.match_id
    first.page.locator("#again").click()
    expect(first.page).not_to_have_url(re.compile(match_id))
    second.page.locator("#rematch-link").click()
    second.page.wait_for_selector("#board .place")
    assert first.match_id == second.match_id != match_id
    assert (one.complaints, other.complaints) == ([], [])

    late = arrive()
    late.go_to(link, "#board .place")
    assert late.match_id == match_id
    expect(late.page.locator("#notice")).to_be_visible()


def test_two_people_play_at_one_screen(arrive: Arrive) -> None:
    """Whoever is to move moves; both agree on a draw with one click and one more."""
    visitor = arrive()
    page = visitor.page
    choose(visitor, "same-screen", "oware")
    page.locator("#play").click()
    visitor.play_on(random.Random(1), moves=4)
    page.wait_for_selector(OPEN)

    seats = [e["data"]["seat"] for e in visitor.events() if "move" in e["data"]]
    assert seats == ["south", "north"] * 2
    expect(page.locator("#turn")).to_have_text("South is to move.")
    bottom = page.locator("#player-bottom")
    expect(bottom).to_contain_text("South")
    page.locator("[data-act='turn']").click()
    expect(bottom).to_contain_text("North")
    page.locator("#act-takeback").click()
    expect(page.locator("#events")).to_contain_text(
        "the board of version 6 stands again"
    )
    page.locator("#act-draw").click()
    page.locator("#sure-yes").click()
    page.wait_for_selector(OVER)
    expect(page.locator("#verdict")).to_have_text("A draw")
    assert visitor.complaints == []


def test_the_log_is_leafed_through_and_played_on_from(arrive: Arrive) -> None:
    """The address names the version; a fork of it is a match of its own."""
    visitor = arrive()
    page = visitor.page
    visitor.open_match("kalah", "south")
    visitor.play_on(random.Random(2), moves=4)
    page.wait_for_selector(OPEN)
    origin, latest = visitor.match_id, visitor.shown_version()

    page.locator("#scrubber").fill("4")
    assert visitor.shown_version() == 4
    assert page.url.endswith(f"#{origin}/4")
    visitor.go_to("about:blank", "html")
    visitor.go_to(f"{visitor.url}/#{origin}/4", "#fork:visible")
    assert visitor.shown_version() == 4
    page.locator("#log-step").click()
    expect(page.locator("#board .hand .seed").first).to_be_attached()
    page.locator("#log-last").click()
    assert page.url.endswith(f"#{origin}")
    page.locator("#log-play").click()
    expect(page.locator("#log-place")).to_have_text(f"2 of {latest}")
    page.locator("#log-play").click()
    page.locator("#scrubber").fill("4")
    page.locator("#fork").click()
    expect(page).not_to_have_url(re.compile(origin))
    page.wait_for_selector("#board .place")
    assert visitor.events()[0]["data"]["origin"]["version"] == 4
    expect(page.locator("#events")).to_contain_text("goes on from version 4")
    assert visitor.complaints == []


def test_a_hint_is_taken_and_a_match_analysed(arrive: Arrive) -> None:
    visitor = arrive()
    page = visitor.page
    visitor.open_match("kalah", "south")

    page.locator("#act-hint").click()
    expect(page.locator("#hint")).to_have_text(re.compile("^Hint: [A-F]$"))
    visitor.play_on(random.Random(3), moves=4)
    page.wait_for_selector(OPEN)
    expect(page.locator("#hint")).to_be_hidden()
    page.locator("#act-resign").click()
    page.locator("#sure-yes").click()
    page.locator("#analyse").click()
    moves = sum(e["type"] == "match.move_played" for e in visitor.events())
    expect(page.locator("#analysis-words")).to_contain_text("What could be expected")
    points = page.locator("#analysis-chart .values").get_attribute("points") or ""
    assert len(points.split(" ")) == moves
    assert visitor.complaints == []


def test_a_move_is_shown_though_the_stream_hangs(arrive: Arrive, stack: Stack) -> None:
    """What was answered, and what follows, is asked for, and that is said."""
    visitor = arrive()
    page = visitor.page
    visitor.open_match("oware", "south")
    frozen = stack.pids("stream")
    try:
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        page.locator(OPEN).first.click()
        expect(page.locator("#events [data-version='4']")).to_be_visible()
        expect(page.locator("#lost")).to_contain_text("live connection is silent")
        page.wait_for_selector(OPEN)
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    page.locator(OPEN).first.click()
    page.wait_for_selector(OPEN)
    expect(page.locator("#lost")).to_be_hidden()


def test_two_strangers_meet_and_somebody_looks_on(arrive: Arrive) -> None:
    """Who wants something else, or has closed the tab, is given to nobody."""
    gone, other, one, two, third = arrive(), arrive(), arrive(), arrive(), arrive()
    for visitor, game in ((gone, "congkak"), (other, "kalah"), (one, "congkak")):
        choose(visitor, "stranger", game)
        visitor.page.locator("#play").click()
        expect(visitor.page.locator("#seek-stop")).to_be_visible()
        if visitor is gone:
            time.sleep(0.5)
            gone.page.context.close()
            time.sleep(1.5)
    choose(two, "stranger", "congkak")
    two.page.locator("#play").click()
    for visitor in (one, two):
        visitor.page.wait_for_selector("#board .place")
    assert one.match_id == two.match_id
    other.page.locator("#seek-stop").click()
    expect(other.page.locator("#play")).to_be_enabled()

    third.go_to(third.url, "#watch a")
    expect(third.page.locator("#watch-list")).to_contain_text("Congkak")
    third.page.locator("#watch a").first.click()
    third.page.wait_for_selector("#board .place")
    assert third.match_id == one.match_id
    assert third.page.locator(OPEN).count() == 0
    time.sleep(3)  # streams are counted every 2 s
    late = arrive()
    followed = late.page.locator("#watch .status")
    expect(followed).to_contain_text("1 looks on", timeout=20_000)
    visitors = (other, one, two, third, late)
    assert [visitor.complaints for visitor in visitors] == [[]] * 5


HIDE = """is => {
  Object.defineProperty(document, "hidden", { value: is, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
NOTICES = """async () => {
  const worker = await navigator.serviceWorker.getRegistration();
  const shown = await worker?.getNotifications() ?? [];
  const told = shown.map(({ title, body, tag }) => `${tag} ${title}: ${body}`);
  return told.concat(globalThis.toldAlone ?? []);
}"""
NOTE_DOWN = """() => {
  globalThis.shown = [];
  const show = registration.showNotification.bind(registration);
  registration.showNotification = async (title, facts) => {
    await show(title, facts);
    shown.push(title);
  };
}"""
"""Whoever asks for notices while one is about to be shown makes Chromium forget it."""

TOLD_ALONE = """() => {
  globalThis.toldAlone = [];
  globalThis.Notification = class extends Notification {
    constructor(title, facts) {
      super(title, facts);
      toldAlone.push(`without the worker, ${title}: ${facts.body}`);
    }
  };
}"""
CLICK = """async () => {
  const led = [];
  clients.openWindow = async (url) => led.push(url);
  WindowClient.prototype.focus = async () => led.push("the window that told");
  const [notification] = await registration.getNotifications();
  const click = new NotificationEvent("notificationclick", { notification });
  const done = [];
  click.waitUntil = (until) => done.push(until);
  dispatchEvent(click);
  await Promise.all(done);
  return led;
}"""
"""What a worker does at a click; only a hand, which is not here, may move a window."""


def workers_of(page: Page) -> list[Worker]:
    """Return the workers behind a page, of which Playwright hears while it is asked."""
    page.evaluate("1")
    return page.context.service_workers


@pytest.fixture
def notified(browser: Browser, whole_chromium: str, stack: Stack) -> Iterator[Visitor]:
    """Open the page where notices may be told."""
    whole = browser.browser_type.launch(executable_path=whole_chromium, args=ARGUMENTS)
    yield at_home(whole, stack, permissions=["notifications"])
    whole.close()


def test_a_notice_tells_that_it_is_ones_turn(notified: Visitor) -> None:
    """Only for who has asked by a click, and while the page is out of sight.

    A worker tells, as phones want it; a click leads to the match.
    """
    visitor, page = notified, notified.page
    visitor.open_match("oware", "south")  # no move gives another one
    match_id = visitor.match_id
    page.evaluate(HIDE, True)
    page.evaluate(HIDE, False)
    assert page.evaluate(NOTICES) == []
    assert page.context.service_workers == []
    page.evaluate(TOLD_ALONE)
    page.locator("#notify").click()
    expect(page.locator("#notify")).to_have_attribute("aria-pressed", "true")
    [worker] = wait_for("a worker", lambda: workers_of(page))
    worker.evaluate(NOTE_DOWN)
    page.evaluate(HIDE, True)
    page.locator(OPEN).first.click()
    wait_for("a notice", lambda: worker.evaluate("shown.length") == 1)
    assert page.evaluate(NOTICES) == [f"{match_id} Oware – Seedlog: your turn"]

    page.evaluate(HIDE, False)
    page.locator("#new-match").click()
    assert worker.evaluate(CLICK) == ["the window that told"]
    page.wait_for_selector(OPEN)
    assert visitor.match_id == match_id
    wait_for("its end", lambda: page.evaluate(NOTICES) == [])
    page.evaluate(HIDE, True)
    page.locator(OPEN).first.click()
    wait_for("another notice", lambda: worker.evaluate("shown.length") == 2)
    visitor.go_to("about:blank", "html")
    assert worker.evaluate(CLICK) == [f"/#{match_id}"]
    assert visitor.complaints == []


def test_a_notice_is_told_where_there_are_no_workers(arrive: Arrive) -> None:
    visitor = arrive(permissions=["notifications"])
    page = visitor.page
    page.evaluate(
        """() => {
          Object.defineProperty(navigator, "serviceWorker", { value: undefined });
          const told = document.documentElement.dataset;
          told.told = "";
          globalThis.Notification = class extends EventTarget {
            static permission = "granted";
            static requestPermission = async () => "granted";
            constructor(title, { body }) { super(); told.told += `${title}: ${body}.`; }
          };
        }"""
    )
    visitor.open_match("kalah", "south")
    root = page.locator("html")
    page.evaluate(HIDE, True)
    expect(root).to_have_attribute("data-told", "")
    page.evaluate(HIDE, False)
    page.locator("#notify").click()
    expect(page.locator("#notify")).to_have_attribute("aria-pressed", "true")
    page.evaluate(HIDE, True)
    expect(root).to_have_attribute("data-told", "")  # it was seen before
    page.locator(OPEN).first.click()
    expect(root).to_have_attribute("data-told", "Kalah – Seedlog: your turn.")
    assert visitor.complaints == []
