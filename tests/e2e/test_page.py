"""The page in a real browser: whole matches, the log, the keyboard, bad networks."""

import json
import os
import random
import re
import signal
import urllib.parse
from contextlib import ExitStack

import pytest
from playwright.sync_api import Route, expect

from rules_core import GAMES, find_game
from services.client import Seedlog
from tests.support.page_driver import OPEN, OVER, Arrive
from tests.support.stack import Stack

# One game for each kind of board; `SEEDLOG_ALL_GAMES=1` asks for the others, too.
PLAYED = (
    [game.key for game in GAMES]
    if "SEEDLOG_ALL_GAMES" in os.environ
    else ["kalah", "reversi", "bao-kujifunza"]
)


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_match_is_played_by_clicking(arrive: Arrive, game: str) -> None:
    """The log is complete and can be leafed through."""
    visitor, seat = arrive(), find_game(game).seats[1]
    visitor.open_match(game, seat)
    visitor.play_on(random.Random(game))

    page, events = visitor.page, visitor.events()
    assert events[-1]["type"] == "match.ended"
    assert page.locator(OVER).is_visible()
    end = events[-1]["data"]
    score, first = end["score"], end["winner"] or seat
    one, other = score.pop(first), *score.values()
    expect(page.locator("#verdict-score")).to_have_text(f"{one} to {other}")
    assert visitor.log() == [(e["version"], e["hash"][:8]) for e in events]
    for version in (1, len(events) // 2, len(events) - 3):
        page.locator(f"#events [data-version='{version}']").click()
        assert visitor.shown_version() == version
        assert visitor.board() == events[version - 1]["board"]
        assert not page.locator(OVER).is_visible()
    page.locator("#log-now").click()
    assert visitor.shown_version() == len(events)
    assert visitor.board() == events[-1]["board"]
    assert visitor.complaints == []


def test_it_speaks_the_language_that_was_chosen(arrive: Arrive) -> None:
    """That of the address, or of a former choice, or of the browser; all of it."""
    visitor = arrive(locale="hi-IN")
    page = visitor.page
    html, choosing = page.locator("html"), page.locator("#choosing")

    expect(html).to_have_attribute("lang", "hi")
    expect(choosing).to_contain_text("कोई खेल खेलिए")
    expect(choosing).to_contain_text("बच्चों का बाओ")
    page.locator("#language").select_option("tr")
    expect(html).to_have_attribute("lang", "tr")
    visitor.open_match("kalah", "south")
    visitor.place("C").click()
    expect(page.locator("#events")).to_contain_text("C evinden 4 tohum ektiniz")
    visitor.go_to(visitor.url, "#choosing:not([hidden])")
    expect(html).to_have_attribute("lang", "tr")
    expect(choosing).to_contain_text("Bir oyun oynayın")
    visitor.go_to(f"{visitor.url}/?lang=ja", "#choosing:not([hidden])")
    expect(html).to_have_attribute("lang", "ja")
    expect(choosing).to_contain_text("ゲームで遊ぶ")
    assert visitor.complaints == []


def test_the_language_changes_in_a_match_on_a_phone(arrive: Arrive) -> None:
    visitor = arrive(viewport={"width": 320, "height": 640})
    page = visitor.page
    visitor.open_match("kalah", "south")
    match_id = visitor.match_id

    page.locator("#language").select_option("tr")
    expect(page.locator("html")).to_have_attribute("lang", "tr")
    expect(page.locator("#turn")).to_contain_text("Sıra sizde")
    assert visitor.match_id == match_id
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_who_is_astray_finds_home(arrive: Arrive) -> None:
    """Whoever looks reads a page in their language; an app is told by a problem."""
    visitor = arrive(locale="tr")
    page = visitor.page
    for path in ("/nowhere", "/v1/nothing"):
        answer = page.goto(f"{visitor.url}{path}")
        assert answer is not None
        assert answer.status == 404
        expect(page.locator("h1")).to_have_text("Bu adreste bir şey yok")
    page.get_by_role("link", name="Oyunlara").click()
    page.wait_for_selector("#choosing:not([hidden])")

    told = page.request.get(f"{visitor.url}/nowhere", headers={"Accept": "*/*"})
    assert told.headers["content-type"] == "application/problem+json"


def test_buttons_and_arrow_keys_leaf_through_the_log(arrive: Arrive) -> None:
    """Nothing can be played in the past, and the way back is always there."""
    visitor = arrive()
    visitor.open_match("kalah", "south")
    visitor.play_on(random.Random(1), moves=3)
    page = visitor.page
    page.wait_for_selector(OPEN)
    latest = visitor.shown_version()

    shown = []
    for button in ("first", "next", "previous", "next", "next"):
        page.locator(f"#log-{button}").click()
        shown.append(visitor.shown_version())
    for key in ("ArrowLeft", "Home", "ArrowRight"):
        page.keyboard.press(key)
        shown.append(visitor.shown_version())
    assert shown == [1, 2, 1, 2, 3, 2, 1, 2]
    assert page.locator(OPEN).count() == 0
    expect(page.locator("#turn")).to_contain_text(f"version 2 of {latest}")
    page.keyboard.press("End")
    assert visitor.shown_version() == latest
    assert page.locator(OPEN).count() > 0


def test_it_is_quiet_and_keeps_to_its_own_host(arrive: Arrive, stack: Stack) -> None:
    """No complaint in the console, nothing from elsewhere, no token in an address."""
    visitor = arrive()
    answer = visitor.page.request.get(stack.url)
    visitor.open_match("oware", "north", level=2)
    visitor.play_on(random.Random(2), moves=2)
    visitor.page.wait_for_selector(OPEN)

    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert visitor.complaints == []
    ours = {stack.url, stack.facts["stream_url"]}
    hosts = {urllib.parse.urlsplit(url).netloc for url in ours}
    asked = [urllib.parse.urlsplit(url) for url in visitor.requested]
    assert {url.netloc for url in asked if url.scheme != "data"} == hosts
    assert not any("mst_" in url or "token" in url for url in visitor.requested)


def test_a_match_is_there_again_in_another_tab(arrive: Arrive) -> None:
    """The address names the match; the browser keeps its seats, and lists the match."""
    visitor = arrive()
    visitor.open_match("kalah", "north")
    visitor.play_on(random.Random(3), moves=2)
    page = visitor.page
    page.wait_for_selector(OPEN)
    log, board, match_id = visitor.log(), visitor.board(), visitor.match_id

    tab = page.context.new_page()
    page.close()
    visitor.page = tab
    visitor.go_to(f"{visitor.url}/#{match_id}", OPEN)
    assert (visitor.log(), visitor.board()) == (log, board)
    visitor.go_to(f"{visitor.url}/?match={match_id}", OPEN)
    assert visitor.log() == log
    visitor.go_to("about:blank", "html")
    visitor.go_to(visitor.url, "#mine li")
    expect(tab.locator("#mine")).to_contain_text("your turn")
    tab.locator("#mine a").click()
    tab.wait_for_selector(OPEN)
    assert visitor.log() == log


def test_whoever_has_no_seat_looks_on(arrive: Arrive) -> None:
    """Nothing can be played, and what happens is told of both seats by their names."""
    opened, other = arrive(), arrive()
    opened.open_match("kalah", "south")

    other.go_to(f"{other.url}/#{opened.match_id}", "#board .place")
    opened.place("D").click()
    expect(other.page.locator("#events")).to_contain_text("South sowed 4 seeds from D")
    assert other.page.locator(OPEN).count() == 0
    assert not other.page.locator(".acts button").first.is_visible()
    assert other.complaints == []


def test_a_match_that_is_not_there_is_said_so(arrive: Arrive) -> None:
    visitor = arrive()

    visitor.go_to(f"{visitor.url}/#mat_none", "#notice:not([hidden])")
    expect(visitor.page.locator("#notice")).to_contain_text("There is no such match")
    expect(visitor.page.locator("#choosing")).to_be_visible()


def test_the_keyboard_is_enough(arrive: Arrive) -> None:
    """Legal places are buttons with names; Enter plays, and the move is announced."""
    visitor = arrive()
    visitor.open_match("kalah", "south")
    page = visitor.page

    pit = page.get_by_role("button", name="Play D: pit D of South, 4 seeds")
    pit.focus()
    page.keyboard.press("Enter")
    said = page.locator("#events [data-version='4']")
    expect(said).to_contain_text("You sowed 4 seeds from D")
    expect(page.locator("#live")).to_contain_text("Your turn")
    focused = "document.activeElement.shadowRoot.activeElement.dataset.place"
    assert page.evaluate(focused) == "D"


def test_a_move_survives_the_loss_of_the_network(arrive: Arrive) -> None:
    """It is sent again with the same key, by itself, and is played once."""
    visitor = arrive()
    visitor.open_match("kalah", "south")
    page = visitor.page
    sent: list[str] = []

    def lose_the_answer(route: Route) -> None:
        sent.append(route.request.headers["idempotency-key"])
        if len(sent) > 1:
            route.continue_()
            return
        route.fetch()  # the server plays the move, but nobody hears of it
        route.abort("connectionreset")

    page.route("**/moves", lose_the_answer)
    visitor.place("B").click()
    expect(page.locator("#lost")).to_be_visible()
    expect(page.locator("#lost")).to_be_hidden()
    page.wait_for_selector(OPEN)
    assert len(sent) == 2
    assert len(set(sent)) == 1
    ours = [e for e in visitor.events() if e["data"].get("seat") == "south"]
    assert [e["data"].get("move") for e in ours[1:]] == ["B"]


def test_the_log_goes_on_when_the_network_is_back(arrive: Arrive) -> None:
    """What happened meanwhile is fetched, and the notice goes away by itself."""
    visitor = arrive()
    visitor.open_match("kalah", "south")
    page = visitor.page

    page.context.set_offline(True)
    expect(page.locator("#lost")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("#lost")).to_be_hidden()
    visitor.play_on(random.Random(4), moves=1)
    expect(page.locator("#events [data-version='4']")).to_be_visible()


def test_the_page_follows_the_stream(arrive: Arrive, stack: Stack) -> None:
    """One request for the whole match: it is told, and never asks."""
    visitor = arrive()
    visitor.open_match("oware", "south")
    visitor.play_on(random.Random(5))

    path = f"/v1/matches/{visitor.match_id}"
    asked = [url for url in visitor.requested if f"{path}/" in url]
    moves = [url for url in asked if url.endswith("/moves")]
    assert set(asked) - set(moves) == {f"{stack.facts['stream_url']}{path}/stream"}
    assert len(asked) == len(moves) + 1
    assert visitor.log()[-1][0] == len(visitor.events())
    assert visitor.complaints == []


def test_a_match_goes_to_its_end_while_servers_are_killed(
    arrive: Arrive, stack: Stack
) -> None:
    """The page asks for the log meanwhile, and follows the stream when it is back.

    A move that nobody answers is sent again.
    """
    visitor = arrive()
    visitor.open_match("reversi", "black")
    chance = random.Random(6)

    for killed in ("stream", "api", "stream"):
        visitor.play_on(chance, moves=3)
        for pid in stack.pids(killed):
            os.kill(pid, signal.SIGKILL)
    visitor.play_on(chance)

    assert visitor.page.locator(OVER).is_visible()
    events = visitor.events()
    assert visitor.log() == [(e["version"], e["hash"][:8]) for e in events]
    asked = [url for url in visitor.requested if re.search("/events|/stream", url)]
    assert {urllib.parse.urlsplit(url).netloc for url in asked} == {
        urllib.parse.urlsplit(url).netloc
        for url in (stack.url, stack.facts["stream_url"])
    }


def test_three_hundred_events_are_replayed(arrive: Arrive, stack: Stack) -> None:
    """By the address, by the scrubber and by keys, each board as the log has it."""
    chance, game = random.Random(300), "oware-nam-nam"
    with Seedlog(stack.url, "") as nobody:
        wanted = {"game": game, "opponent": "same-screen"}
        match = nobody.request("POST", "/v1/guest-matches", wanted)
    with ExitStack() as players:
        seats = {
            seat: players.enter_context(Seedlog(stack.url, token))
            for seat, token in match["seat_tokens"].items()
        }
        while match["version"] < 300:
            mover, move = seats[match["to_move"]], chance.choice(match["legal_moves"])
            match = mover.play(match["id"], move, version=match["version"])["match"]
        events = list(mover.events(match["id"], position=True))

    visitor = arrive()
    visitor.go_to(f"{visitor.url}/#{match['id']}/150", "#events [aria-current]")
    for version in (150, 3, 299):
        visitor.page.locator("#scrubber").fill(str(version))
        assert visitor.shown_version() == version
        assert visitor.board() == events[version - 1]["board"]
    visitor.page.keyboard.press("ArrowLeft")
    assert visitor.board() == events[297]["board"]
    assert len(visitor.log()) == len(events) >= 300
    assert visitor.complaints == []


def test_without_streams_the_page_asks(arrive: Arrive, stack: Stack) -> None:
    visitor = arrive()
    visitor.page.route(f"{stack.facts['stream_url']}/**", lambda route: route.abort())
    visitor.open_match("kalah", "south")
    visitor.play_on(random.Random(7))

    assert visitor.page.locator(OVER).is_visible()
    assert visitor.log()[-1][0] == len(visitor.events())


def test_other_acts_are_told_in_words(arrive: Arrive, stack: Stack) -> None:
    """What an app does for the player is followed like everything else."""
    visitor = arrive()
    visitor.open_match("kalah", "south")
    visitor.play_on(random.Random(8), moves=1)
    page = visitor.page
    page.wait_for_selector(OPEN)

    stack.client.holding(visitor.token).request_takeback(visitor.match_id, 3)

    entries = page.locator("#events")
    expect(entries).to_contain_text("You asked to go back to version 3")
    expect(entries).to_contain_text("The computer agreed: the board of version 3")
    page.wait_for_selector(OPEN)
    assert visitor.board()["A"] == visitor.events()[2]["board"]["A"]
    visitor.play_on(random.Random(9))
    assert page.locator(OVER).is_visible()


@pytest.mark.parametrize(
    ("status", "problem", "words"),
    [
        (429, {"type": "/problems/too-many-guests"}, r"Come back in 20 minutes \(at "),
        (418, {"title": "A teapot", "detail": "send tea instead"}, "send tea instead"),
    ],
)
def test_refusals_are_told_in_words(
    arrive: Arrive, status: int, problem: dict[str, str], words: str
) -> None:
    """A refusal says what would have been right, and the form stays as it was."""
    visitor = arrive()
    page = visitor.page
    headers = {"Retry-After": "1200", "Content-Type": "application/problem+json"}
    body = json.dumps({"status": status, **problem})

    page.route(
        "**/v1/guest-matches",
        lambda route: route.fulfill(status=status, headers=headers, body=body),
    )
    page.locator("#play").click()
    expect(page.locator("#notice")).to_contain_text(re.compile(words))
    expect(page.locator("#play")).to_be_enabled()


def test_an_illegal_move_is_refused_with_the_legal_ones(arrive: Arrive) -> None:
    """The server has the last word; the board is brought up to date."""
    visitor = arrive()
    visitor.open_match("kalah", "south")
    page = visitor.page

    page.route(
        "**/moves", lambda route: route.continue_(post_data=json.dumps({"move": "f"}))
    )
    visitor.place("A").click()
    expect(page.locator("#notice")).to_contain_text("legal: A, B, C, D, E, F")
    page.wait_for_selector(OPEN)


def test_a_match_can_be_resigned_and_played_again(arrive: Arrive) -> None:
    """Resigning asks first; the next match is of the same kind."""
    visitor = arrive()
    visitor.open_match("reversi", "black")
    page, first = visitor.page, visitor.match_id

    visitor.play_on(random.Random(10), moves=1)
    page.locator("#act-resign").click()
    page.locator("#sure-yes").click()
    expect(page.locator("#verdict")).to_have_text("The computer won")
    expect(page.locator("#verdict-reason")).to_have_text("a player has resigned")
    page.locator("#again").click()
    page.wait_for_selector(OPEN)
    assert visitor.match_id != first
    assert len(visitor.board()) >= 4  # seats changed: the computer begins


def test_a_move_is_shown_seed_by_seed(arrive: Arrive) -> None:
    """With motion, seeds are in hand for a while; whoever is in a hurry skips that."""
    visitor = arrive(reduced_motion="no-preference")
    page = visitor.page
    visitor.open_match("kalah", "south")

    page.locator("#speed").select_option("slow")
    visitor.place("A").click()
    page.wait_for_selector("#board .hand .seed")
    assert page.locator(OPEN).count() == 0
    page.locator("#skip").click()
    expect(page.locator("#events [data-version='4']")).to_contain_text("from A")
    page.wait_for_selector(OPEN)  # what the computer replied is not shown any more


@pytest.mark.parametrize("game", ["kalah", "bao-kujifunza", "reversi"])
def test_it_fits_a_small_phone(arrive: Arrive, game: str) -> None:
    """At 320 pixels nothing is cut off, and every place can be hit with a thumb."""
    visitor = arrive(viewport={"width": 320, "height": 640})
    page = visitor.page
    visitor.open_match(game, "black" if game == "reversi" else "south")

    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    box = page.locator(OPEN).first.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 32


def test_both_clocks_tick_are_low_and_run_out(arrive: Arrive) -> None:
    """The control that is chosen is asked for; here with four seconds in its place."""
    visitor = arrive()
    page, asked = visitor.page, []

    def hurry(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or "{}"))
        clock = {"initial_s": 4, "increment_s": 0}
        route.continue_(post_data=json.dumps({**asked[0], "clock": clock}))

    page.route("**/v1/guest-matches", hurry)
    page.locator("#clock").select_option("three")
    visitor.open_match("kalah", "south")
    ours = page.locator(".clock[data-seat='south']")
    theirs = page.locator(".clock[data-seat='north']")

    assert asked[0]["clock"] == {"initial_s": 180, "increment_s": 2}
    expect(ours).to_have_class(re.compile("running"))
    expect(ours).to_have_class(re.compile("low"))
    expect(ours).to_have_attribute("aria-label", re.compile("Time of South: "))
    expect(theirs).to_have_text("4.0")
    expect(page.locator("#live-clock")).to_have_text("Less than 20 seconds left")
    page.wait_for_selector(OVER)
    expect(page.locator("#verdict-reason")).to_have_text(
        "the time of a player has run out"
    )
    expect(ours).to_have_text("0.0")
    page.locator("#events [data-version='1']").click()
    expect(ours).to_have_text("4.0")
    expect(ours).not_to_have_class(re.compile("running"))
    assert visitor.complaints == []


def test_a_match_without_a_clock_shows_none(arrive: Arrive) -> None:
    visitor = arrive()
    visitor.open_match("kalah", "south")

    expect(visitor.page.locator(".clock").first).to_be_hidden()
