"""Every example is played against the real stack, as it stands."""

import queue
import random
import re
import sys
import threading
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from services.client.shapes import ReadMatch
from tests.examples import embedding
from tests.examples.chat_bot import ChatBot
from tests.examples.correspondence import Correspondence, Letter
from tests.examples.engine_bot import Bot, Engine
from tests.examples.two_seats import server_of
from tests.support.commands import seedlog
from tests.support.page_driver import running_browser
from tests.support.pictures import picture
from tests.support.proof import prove
from tests.support.stack import Stack

FOLDER = Path(__file__).parent
EXAMPLES = [*FOLDER.glob("[a-z]*.py"), *FOLDER.glob("*.html")]
WITHIN_S = 60


class Chat:
    """What a bot says, line by line, to whoever waits for it."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str] = queue.Queue()

    def write(self, text: str) -> int:
        if text.strip():
            self.lines.put(text.strip())
        return len(text)

    def flush(self) -> None:
        """Do nothing: it is heard at once."""

    def hear(self) -> str:
        return self.lines.get(timeout=WITHIN_S)


def test_a_chat_plays_a_match_that_webhooks_tell_of(stack: Stack) -> None:
    """Whoever is to move is told; what comes twice, or unsigned, is said by nobody."""
    chat: Any = Chat()
    bot, chance = ChatBot(stack.client, chat), random.Random(2)
    server = bot.listen()
    bot.read("/move A")
    assert chat.hear() == "/play NAME NAME begins, then /move PIT"
    bot.read("/play amara bola")
    [match_id] = bot.tables
    turns = 0
    while "wins by" not in (line := chat.hear()):
        name, _, legal = line.partition(", your turn: ")
        assert name in ("amara", "bola")
        if not turns:
            bot.read("/move z")
            assert "legal: A, B, C" in chat.hear()
        bot.read(f"/move {chance.choice(legal.split())}")
        turns += 1

    log = prove(stack.client, match_id)
    assert sum(event["type"] == "match.move_played" for event in log) == turns
    outcome = stack.client.match(match_id)["outcome"]
    assert outcome is not None
    winner = {"south": "amara", "north": "bola", None: "nobody"}[outcome["winner"]]
    assert line == f"{winner} wins by {outcome['reason']}"
    endpoint = stack.client.webhooks.list()[-1]
    refused = httpx.post(endpoint["url"], json={"type": "match.your_turn"})
    assert refused.status_code == 400
    bot.read("/play chen dede")
    assert chat.hear().startswith("chen, your turn")
    told = next(stack.client.webhooks.deliveries(endpoint["id"]))
    stack.client.webhooks.deliver_again(endpoint["id"], told["id"])
    bot.read("/move A")
    assert chat.hear().startswith("dede, your turn")
    server.shutdown()
    server.server_close()
    stack.client.webhooks.delete(endpoint["id"])


def test_a_page_of_another_origin_plays_both_seats(
    stack: Stack, chromium: str, page_port: int
) -> None:
    server = server_of(stack.client, stack.url, page_port)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    chance, complaints = random.Random(4), list[str]()
    with running_browser(chromium) as browser:
        page = browser.new_page()
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"http://127.0.0.1:{page_port}/")
        turn, moves = page.locator("#turn"), 0
        expect(page.locator("#board .open")).to_have_count(4)
        while turn.get_attribute("data-over") is None:
            version = turn.get_attribute("data-version") or ""
            places = page.locator("#board .open")
            places.nth(chance.randrange(places.count())).click()
            page.wait_for_function(
                "version => +document.querySelector('#turn').dataset.version > version"
                " && (document.querySelector('#board .open')"
                " || 'over' in document.querySelector('#turn').dataset)",
                arg=int(version),
            )
            moves += 1
        said = turn.text_content() or ""
    server.shutdown()
    server.server_close()

    [match] = stack.client.matches(game="reversi")
    outcome = match["outcome"]
    assert outcome is not None
    score = f"{outcome['score']['black']} : {outcome['score']['white']}"
    assert said == f"{outcome['winner'] or 'nobody'} wins, {score}"
    log = prove(stack.client, match["id"])
    assert sum(event["type"] == "match.move_played" for event in log) == moves
    assert {e["by"] for e in log if e["type"] == "match.move_played"} == {"seat"}
    assert complaints == []


def test_a_site_shows_a_match_by_two_lines(stack: Stack, chromium: str) -> None:
    """A seat plays, spectators look on, all in Hindi; other origins are not let in."""
    server = embedding.server_of(stack.client, stack.url, stack.facts["stream_url"])
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    complaints = list[str]()
    at = {"SEEDLOG_DATA": str(stack.data)}
    assert (
        seedlog("tenants", "origins", "ten_local", origin, **at).output.strip()
        == origin
    )
    with running_browser(chromium) as browser:
        page = browser.new_page(reduced_motion="reduce")
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(origin)
        played, watched = page.locator("#played"), page.locator("#watched")
        first = played.locator("[data-place='A'].open")
        expect(first).to_be_visible(timeout=20_000)
        expect(played).to_contain_text("आपकी बारी")
        expect(watched.locator(".open")).to_have_count(0)
        match_id = played.get_attribute("match") or ""
        said, chance = page.locator("#said"), random.Random(3)
        page.locator("#drawn [data-place='C']").click()
        expect(said).to_have_attribute("data-chosen", "C")
        while said.get_attribute("data-over") is None:
            places = played.locator(".place.open")
            places.nth(chance.randrange(places.count())).click()
            expect(
                played.locator(".place.open")
                .or_(page.locator("#said[data-over]"))
                .first
            ).to_be_visible()
        expect(watched.locator(".turn")).to_have_text("मैच ख़त्म हो चुका है।")
        picture(page, "embedding")
        drawn = [
            board.locator("[data-place='south'] .total").text_content()
            for board in (played, watched)
        ]
        colour = page.evaluate(
            "getComputedStyle(document.querySelector('#played').shadowRoot"
            ".querySelector('.turn')).color"
        )
    match = stack.client.match(match_id)
    log = prove(stack.client, match["id"])
    outcome = match["outcome"]
    assert outcome is not None
    assert drawn == [str(outcome["score"]["south"])] * 2
    moved = [event for event in log if event["type"] == "match.move_played"]
    assert {e["by"] for e in moved if e["data"]["seat"] == "south"} == {"seat"}
    assert colour == "rgb(74, 107, 18)"
    assert complaints == []

    stranger = {"Origin": "http://elsewhere.example"}
    told = httpx.get(f"{stack.url}/v1/games", headers=stranger).headers
    assert "Access-Control-Allow-Origin" not in told
    seedlog("tenants", "origins", "ten_local", "--none", **at)
    server.shutdown()
    server.server_close()


def test_letters_are_written_once_whenever_their_server_is_stopped(
    stack: Stack, tmp_path: Path
) -> None:
    """With seconds in the place of days: one is late, one does not come at all."""
    server = Correspondence(stack.client, tmp_path / "place")
    begin = max([0, *(entry["seq"] for entry in stack.client.feed())])
    late = server.open("oware", ["Amara", "Bola"], {"initial_s": 3, "increment_s": 0})
    absent = server.open("oware", ["Chen", "Dede"], {"initial_s": 2, "increment_s": 0})
    for seat, move in (("south", "A"), ("north", "a")):
        version = stack.client.match(late["id"])["version"]
        token = late["seat_tokens"][seat]
        stack.client.holding(token).play(late["id"], move, version=version)

    letters = read_until_both_ended(stack, tmp_path / "interrupted", begin, at_once=3)
    whole = read_until_both_ended(stack, tmp_path / "whole", begin)

    assert [letter for letter, _ in groupby(letters)] == whole
    of_late = [letter for letter in whole if letter.match == late["id"]]
    seats = ["south", "north", "south", "north", "south"]
    assert [letter.seat for letter in of_late] == seats
    assert all(re.match(r"your turn, until .* UTC: ", x.text) for x in of_late[:3])
    assert {letter.text for letter in of_late[3:]} == {"north wins on time"}
    of_absent = [letter.text for letter in whole if letter.match == absent["id"]]
    assert of_absent[1:] == ["north wins on time"] * 2


def read_until_both_ended(
    stack: Stack, place: Path, begin: int, at_once: int = 1000
) -> list[Letter]:
    """Read letters by servers each of which is stopped after some, untaken the last."""
    Correspondence(stack.client, place).keep(begin)
    written: list[Letter] = []
    while len({letter for letter in written if "wins" in letter.text}) < 4:
        server = Correspondence(stack.client, place)
        for count, letter in enumerate(server.letters(WITHIN_S), start=1):
            written.append(letter)
            is_end = len({each for each in written if "wins" in each.text}) == 4
            if count == at_once or is_end:
                break
    return written


@pytest.mark.parametrize(
    ("game", "given"),
    [
        ("kalah", {"clock": {"initial_s": 300, "increment_s": 1}}),
        ("reversi", {}),
    ],
)
def test_an_engine_takes_a_seat_and_plays_it_to_the_end(
    stack: Stack, game: str, given: dict[str, Any]
) -> None:
    """Against an AI of ours, with a clock and without; it wins against the weakest."""
    seats = {"kalah": ("south", "north"), "reversi": ("black", "white")}[game]
    ai = {"kind": "ai", "level": 1}
    match = stack.client.open_match(game, {seats[1]: ai}, **given)
    bot = Bot.sit(stack.client, match["id"])
    assert bot.seat == seats[0]
    with Engine() as engine:
        bot.question = partial(ask_for_little, bot.question)  # type: ignore[method-assign]
        ended = bot.play(engine)
        asked = bot.question(ended)
        assert "over" in engine.ask(**asked)["error"]
    assert engine.process.returncode == 0
    outcome = ended["outcome"]
    assert outcome is not None
    assert outcome["winner"] == bot.seat, outcome
    log = prove(stack.client, match["id"])
    own = [e for e in log if e["data"].get("seat") == bot.seat and e["by"] == "seat"]
    assert {e["type"] for e in own} == {"match.move_played"}


def test_an_engine_is_told_where_a_match_began(stack: Stack) -> None:
    """From the ordinary start its moves would be others, or no moves at all."""
    began_at = "0,0,0,1,0,2/0,0,0,0,1,1 20,23 N"
    match = stack.client.open_match(
        "kalah", {"north": {"kind": "ai", "level": 1}}, position=began_at
    )
    bot = Bot.sit(stack.client, match["id"])
    with Engine() as engine:
        ended = bot.play(engine)
    assert ended["status"] == "finished"
    outcome = ended["outcome"]
    assert outcome is not None
    assert outcome["reason"] != "resignation", outcome


def ask_for_little(
    question: Callable[[ReadMatch], dict[str, Any]], match: ReadMatch
) -> dict[str, Any]:
    """Ask for a number of positions: in a time, a busy machine looks at few."""
    return {**question(match), "time_ms": 30_000, "nodes": 100_000}


def test_an_engine_that_cannot_answer_gives_up(stack: Stack) -> None:
    """A match is not left to wait for one that has no idea of the game."""
    human = {"kind": "human"}
    match = stack.client.open_match("kalah", {"north": human})
    bot = Bot.sit(stack.client, match["id"])
    program = 'for line in open(0): print(\'{"error": "no idea"}\', flush=True)'
    with (
        Engine((sys.executable, "-c", program)) as engine,
        pytest.raises(RuntimeError, match="no idea"),
    ):
        bot.play(engine)
    assert stack.client.match(match["id"])["status"] == "finished"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_can_be_read_in_one_sitting(example: Path) -> None:
    if example.name not in ("conftest.py", "test_examples.py"):
        assert len(example.read_text("utf-8").splitlines()) <= 130
