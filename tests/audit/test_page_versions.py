"""The page on what comes later or from elsewhere: events, rules, games."""

import importlib.util
import json
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Page

from rules_core import GAMES, Game, catalog
from rules_core.boards.two_row import TwoRow
from services.audit.page import page as page_module
from services.match import EVENTS, Match, PlayMove, evolve
from services.match import events as facts
from tests.audit.forgeries import Event, insert, stored
from tests.audit.paging import (
    forged_page,
    opened,
    page_of,
    page_of_events,
    passed,
    verdict,
)
from tests.support.tables import (
    MATCH_ID,
    Table,
    passing_table,
    played_table,
    random_table,
)

# -- events that nobody knows yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeted:
    """A seat said hello: an event that nothing here was written for."""

    type: ClassVar[str] = "match.greeted"
    seat: str
    words: str = "hello"


def test_an_event_can_be_added_without_javascript(
    monkeypatch: pytest.MonkeyPatch, window: Page, tmp_path: Path
) -> None:
    """It is shown by its type, its form is checked, and the board stays as it is."""

    def evolve_too(match: Match, event: Any, at_ms: int) -> Match:
        if isinstance(event, Greeted):
            return match.but(version=match.version + 1)
        return evolve(match, event, at_ms)

    events_too: Any = (*EVENTS, Greeted)
    monkeypatch.setattr(page_module, "EVENTS", events_too)
    monkeypatch.setattr(page_module, "evolve", evolve_too)
    monkeypatch.setitem(facts._BY_TYPE, Greeted.type, Greeted)  # type: ignore[arg-type]

    def greet(**said: Any) -> str:
        told = [json.loads(event.text) for event in played_table().log.read(MATCH_ID)]
        insert(6, Greeted.type, **said)(told)
        events = [stored(place, event) for place, event in enumerate(told, start=1)]
        return page_of_events(played_table(), events)

    page = opened(window, tmp_path, greet(seat="south"))

    assert verdict(page) == "OK: 15 events; hash chain, signatures and rules hold."
    assert "match.greeted" in page.locator("#log li").nth(5).inner_text()
    page.locator("#log li").nth(5).click()
    assert page.locator("#board .place").count() == 14
    forged = opened(window, tmp_path, greet(seat="south", words=3))
    assert verdict(forged) == "NOT OK: event 6: words cannot be 3"


def test_an_event_of_no_known_type_is_passed_over(window: Page, tmp_path: Path) -> None:
    """Also between a move and what the rules make of it."""
    table = passing_table()

    def forge(told: list[Event]) -> None:
        insert(passed(told) + 1, "match.chatted", text="hello")(told)

    page = opened(window, tmp_path, forged_page(table, forge))

    assert verdict(page).endswith("hash chain, signatures and rules hold.")


# -- games from elsewhere, and of earlier days


def module_of(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Game:
    """Return the example of a plugin, as if it were installed."""
    path = Path(__file__).parents[1] / "plugins/ayoayo/seedlog_ayoayo/game.py"
    game = Game.of(module_of(path, "seedlog_ayoayo_game"))
    monkeypatch.setattr(catalog, "find_plugins", lambda: (game,))
    return game


def test_the_game_of_a_plugin_is_replayed(
    plugin: Game, window: Page, tmp_path: Path
) -> None:
    table = random_table(random.Random("plugin"), plugin)

    page = opened(window, tmp_path, page_of(table))

    assert verdict(page).endswith("hash chain, signatures and rules hold.")
    assert "by the rules of ayoayo/1" in page.locator("#trust").inner_text()


def test_a_page_that_cannot_know_the_rules_says_so(
    plugin: Game,
    monkeypatch: pytest.MonkeyPatch,
    window: Page,
    tmp_path: Path,
) -> None:
    """It shows the boards that the service has drawn."""

    class Round(TwoRow):
        """A board that is drawn as a circle."""

    def face(options: Mapping[str, Any]) -> Round:
        told = plugin.face(dict(options))
        fields = {name: getattr(told, name) for name in TwoRow.__dataclass_fields__}
        return Round(**fields)

    game = replace(plugin, face=face)
    monkeypatch.setattr(catalog, "find_plugins", lambda: (game,))
    table = random_table(random.Random("plugin"), game)

    page = opened(window, tmp_path, page_of(table))

    assert verdict(page).endswith("events; hash chain and signatures hold.")
    said = page.locator("#trust").inner_text()
    assert "The rules of this game are not checked in this page" in said
    assert table.match.position is not None
    position = page.locator("#position").inner_text()
    assert position.startswith(str(table.match.position))
    assert page.locator("#board .place").count() == len(table.match.position.board)


def test_a_match_is_replayed_by_the_rules_it_names(
    monkeypatch: pytest.MonkeyPatch, window: Page, tmp_path: Path
) -> None:
    """Of earlier rules, in which a last seed in the own store gave no other move."""
    today = Path(str(sys.modules[GAMES[0].module].__file__)).read_text("utf-8")
    file = tmp_path / "kalah_0.py"
    text = today.replace('"kalah/1"', '"kalah/0"').replace(
        "if last != store:", "if True:"
    )
    file.write_text(text, "utf-8")
    earlier = Game.of(module_of(file, "kalah_0"))
    monkeypatch.setattr(catalog, "EARLIER", (earlier,))
    table = Table(earlier, random.Random(1))
    human = table.player(human=True)
    seats = {"south": human, "north": human}
    table.open(starter="south", seats=seats, rules="kalah/0")
    table.act(PlayMove(seat="south", move="C"), "seat")
    table.act(PlayMove(seat="north", move="a"), "seat")

    page = opened(window, tmp_path, page_of(table))

    assert verdict(page) == "OK: 5 events; hash chain, signatures and rules hold."


def test_an_event_of_an_older_form_is_read_as_today_and_counted(
    monkeypatch: pytest.MonkeyPatch, window: Page, tmp_path: Path
) -> None:
    """What the service makes of it is signed, but not replayed: the page says so."""

    def rename(data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        others = {name: data[name] for name in data if name != "user"}
        return "match.seat_taken", {**others, "player": data["user"]}

    table = played_table()
    told = [json.loads(event.text) for event in table.log.read(MATCH_ID)]
    for event in told[1:3]:
        event["type"] = "match.sat_down"
        event["data"]["user"] = event["data"].pop("player")

    monkeypatch.setitem(facts.UPCASTS, "match.sat_down", rename)
    events = [stored(place, event) for place, event in enumerate(told, start=1)]
    text = page_of_events(table, events)

    page = opened(window, tmp_path, text)

    assert verdict(page) == "OK: 14 events; hash chain, signatures and rules hold."
    assert "2 events are of an older form" in page.locator("#trust").inner_text()
