"""The page replays the rules: what they make of each move has to be on record.

A forger here holds the key: hashes and signatures are all well. How the match was led
around the board is no claim of the page; `seedlog verify` finds what is wrong there.
"""

import importlib.util
import json
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Page

from rules_core import GAMES, Game, catalog
from rules_core.two_row import TwoRow
from services.audit.page import page as page_module
from services.audit.page import verifier_script
from services.match import EVENTS, Match, PlayMove, evolve
from services.match import events as facts
from tests.audit.making import MATCH_ID, Table, random_table
from tests.audit.paging import (
    due_findings,
    opened,
    page_of,
    page_of_events,
    variant_of,
    verdict,
    verified,
    with_data,
)
from tests.audit.record import RECORDED
from tests.audit.tampering import KINDS
from tests.audit.test_verify import (
    FORGERIES,
    Event,
    Forge,
    insert,
    played_table,
    put,
    resigned,
    sign_again,
    stored,
)

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)

OF_THE_BOARD = {
    "no such game": (1, 'game is "chess", but the rules give "kalah"'),
    "no such rules": (1, 'rules is "kalah/9", but the rules give "kalah/1"'),
    "no such option": (1, 'options is {"pits":60}'),
    "an option left out": (1, 'options is {"pits":6}'),
    "another starter": (1, 'starter is "west", but can be south or north'),
    "unknown member": (1, "should not have colour"),
    "no opening": (1, "begins with match.opened"),
    "opened twice": (4, "once"),
    "an event nobody knows": (4, "nobody is to move"),
    "a member nobody knows": (3, "should not have hat"),
    "seat taken twice": (4, "nobody is to move"),
    "no such seat": (4, "nobody is to move"),
    "a human without reference": (3, "player is left out"),
    "an AI of no level": (3, "player is left out"),
    "seat nobody took": (3, "nobody is to move"),
    "another move": (4, "digest is"),
    "an illegal move": (4, "not legal"),
    "no move at all": (4, "not legal"),
    "a move that is no text": (4, "move cannot be 3"),
    "out of turn": (6, "north is to move, not south"),
    "another digest": (5, 'digest is "000000000000", but the rules give'),
    "discs given in Kalah": (5, "given is 1, but the rules give 0"),
    "a move left out": (4, "digest is"),
    "a pass that nothing forced": (6, "nothing forces north to pass"),
    "another takeback than asked": (10, "digest is"),
    "another position taken back": (10, "digest is"),
    "an end that nobody brought": (9, "score is {}, but the rules give"),
    "called off in the middle": (11, "is over"),
    "another score": (14, "score is"),
    "the end at another time": (14, "after that of the head"),
    # of which nothing is said, but now the takeback points elsewhere
    "an AI that failed and is none": (11, "digest is"),
    "time that runs backwards": (6, "before"),
    "an end after the head": (13, "after that of the head"),
    "a move after the end": (15, "is over"),
    "a fist nobody hid": (4, "no fist to guess"),
}
"""Which of the forgeries the page finds, where, and in which words."""


def test_the_table_to_forge_is_well_and_forgeries_of_the_board_are_named(
    window: Page,
) -> None:
    """Of the others the page says nothing: they are found offline."""
    exports = [resigned(forgery[1]) for forgery in FORGERIES]

    told = verified(
        window, variant_of(played_table()), [played_table().export(), *exports]
    )

    assert told[0][0] == []
    found = {
        name: findings[:1]
        for (name, *_), (findings, _) in zip(FORGERIES, told[1:], strict=True)
    }
    assert {name for name in found if found[name]} == set(OF_THE_BOARD)
    for name, (version, words) in OF_THE_BOARD.items():
        [(place, reason)] = found[name]
        assert place == f"event {version}", name
        assert words in reason, name
    for name, data in zip(found, exports, strict=True):
        assert due_findings(data), name


def ended_table() -> Table:
    """Return a match that two humans have played to its end by the rules."""
    table = Table(GAMES[0], random.Random(5))
    human = table.player(human=True)
    table.open(starter="south", seats={"south": human, "north": human})
    return play_at_random(table)


def taken_back_to(place: int, version: int, like: int) -> Forge:
    """Return what makes up that a match went back, to what stood after an event."""

    def forge(told: list[Event]) -> None:
        said = {"to_version": version, "digest": told[like - 1]["data"]["digest"]}
        insert(place, "match.takeback_accepted", seat="north", **said)(told)

    return forge


def ended_by(**members: Any) -> Forge:
    """Return what brings the end of the rules about too early."""
    said = {"winner": None, "reason": "seeds", "score": {"south": 1, "north": 1}}
    return insert(6, "match.ended", "server", **said | members)


def last(change: Callable[[Event], object]) -> Forge:
    """Return what changes the last event."""
    return lambda told: change(told[-1])


def passed(told: list[Event]) -> int:
    """Return the index of the first pass."""
    return [event["type"] for event in told].index("match.turn_passed")


# name, match, change, and words of the reason
# fmt: off
ON_THE_BOARD: list[tuple[str, Callable[[], Table], Forge, str]] = [
    ("back to what was undone", played_table, taken_back_to(13, 6, 6), "no such"),
    ("back to the present", played_table, taken_back_to(9, 8, 6), "no move that"),
    ("back to what was never", played_table, taken_back_to(9, 40, 6), "no such"),
    ("back before the match", played_table, taken_back_to(9, 0, 6), "no such"),
    ("back to another board", played_table, taken_back_to(9, 5, 4), "digest is"),
    ("an end of the rules too early", played_table, ended_by(), "nothing on the board"),
    ("an end that was left out", lambda: ended_table(), lambda e: e.pop(),
        "is missing: the rules give match.ended"),
    ("a resignation in its place", lambda: ended_table(),
        last(lambda e: e["data"].update(reason="resignation")), "reason is"),
    ("another winner", lambda: ended_table(),
        last(lambda e: e["data"].update(winner="west")), "winner is"),
    ("another score", lambda: ended_table(),
        last(lambda e: e["data"].update(score={"south": 0, "north": 48})), "score is"),
    ("an end that is none", lambda: ended_table(),
        last(lambda e: e.update(type="match.aborted", data={})), "is match.aborted"),
    ("an end twice", lambda: ended_table(), lambda e: e.append(dict(e[-1])), "is over"),
    ("a pass left out", lambda: passing_table(),
        lambda e: e.pop(passed(e)), "but the rules give match.turn_passed"),
    ("a pass of nobody", lambda: passing_table(),
        lambda e: e[passed(e)]["data"].update(seat="nobody"), "seat is"),
    ("a pass twice", lambda: passing_table(),
        lambda e: e.insert(passed(e), dict(e[passed(e)])), "nothing forces"),
]
# fmt: on


@pytest.mark.parametrize(
    ("make", "forge", "words"),
    [pytest.param(*row[1:], id=row[0]) for row in ON_THE_BOARD],
)
def test_what_the_rules_did_not_make_is_named(
    window: Page, make: Callable[[], Table], forge: Forge, words: str
) -> None:
    """Takebacks, ends and passes, too; where the offline verifier names them."""
    table = make()
    told = [json.loads(event.text) for event in table.log.read(table.id)]
    forge(told)
    data = sign_again(table, told)

    [(findings, _)] = verified(window, variant_of(table), [data])

    assert words in findings[0][1]
    assert findings[0][0] == due_findings(data)[0][0]


@EACH_GAME
def test_honest_matches_with_acts_of_all_kinds_are_ok(window: Page, game: Game) -> None:
    """To the last position, also where they begin from another match."""
    tables = [
        random_table(random.Random(f"{game.key} {seed}"), game) for seed in range(30)
    ]

    told = verified(window, game.variant(None), [table.export() for table in tables])

    for table, (findings, last) in zip(tables, told, strict=True):
        position = table.match.position
        assert findings == []
        assert last == (position.snapshot if position else None)


@EACH_GAME
def test_recorded_exports_are_ok_for_ever(window: Page, game: Game) -> None:
    data = (RECORDED / f"{game.rules.replace('/', '-')}.jsonl").read_bytes()

    [(findings, _)] = verified(window, game.variant(None), [data])

    assert findings == []


def test_what_is_changed_without_the_key_is_found(window: Page) -> None:
    """Not always at its place, as `seedlog verify` does, but never OK."""
    chance = random.Random("tampered")
    data = played_table().export()
    changed = [tamper(data, chance) for tamper in KINDS for _ in range(40)]
    exports = [found[0] for found in changed if found and _is_text(found[0])]

    told = verified(window, variant_of(played_table()), exports)

    assert all(findings for findings, _ in told)
    assert len(exports) > 200


def _is_text(data: bytes) -> bool:
    """Tell whether a page could hold it at all."""
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False


def random_forgery(chance: random.Random, events: list[Event], game: Game) -> None:
    """Change something that a forger may think of."""
    at = chance.randrange(len(events))
    event, kind = events[at], chance.randrange(8)
    seats = [*game.seats, "east"]
    if kind == 0:
        events.pop(at)
    elif kind == 1:
        events.insert(at, json.loads(json.dumps(chance.choice(events))))
        events[at]["at"] = events[max(0, at - 1)]["at"]
    elif kind == 2:
        event["by"] = chance.choice(["seat", "key:abc", "server", "ai:1", "ai:3", "x"])
    elif kind == 3:
        types = sorted({e["type"] for e in events} | {"match.draw_accepted"})
        event["type"] = chance.choice(types)
    elif kind == 4 and at:
        event["at"] = events[at - 1]["at"]
    elif event["data"]:
        # a match of other options may be honest, but belongs in another page
        name = chance.choice(sorted({*event["data"]} - {"options"} or {"seat"}))
        event["data"][name] = _other(chance, name, event["data"].get(name), game, seats)


def _other(
    chance: random.Random, name: str, value: Any, game: Game, seats: list[str]
) -> Any:
    if name in ("seat", "winner", "starter"):
        return chance.choice([*seats, None])
    if name == "move":
        return chance.choice(game.variant(None).move_names)
    if isinstance(value, str):
        return chance.choice(["", value[:-1], value + "0", value[::-1], "fist", "left"])
    if isinstance(value, dict):
        return {**value, chance.choice([*value, "more"]): chance.randrange(30)}
    return chance.choice([0, -1, 1, 2, 3, True, None, (value or 0) + 1])


@EACH_GAME
def test_random_forgeries_are_found_and_nothing_else(window: Page, game: Game) -> None:
    """Never in an honest log, and never before the offline verifier finds them."""
    for data, found in judged(window, game, random_forgery):
        due = due_findings(data)
        assert bool(due) >= bool(found), found
        if found and found[0][0].startswith("event ") and due[0][0] != found[0][0]:
            assert version_of(due[0][0]) < version_of(found[0][0])


@EACH_GAME
def test_random_forgeries_of_the_board_are_judged_as_offline(
    window: Page, game: Game
) -> None:
    """What moves, passes, ends, takebacks say of the board: at the same event."""
    count = 0
    for data, found in judged(window, game, forgery_of_the_board):
        due = due_findings(data)
        assert [place for place, _ in found][:1] == [place for place, _ in due][:1]
        count += bool(due)
    assert count > 30


def judged(
    window: Page, game: Game, forge: Callable[[random.Random, list[Event], Game], None]
) -> list[tuple[bytes, list[tuple[str, str]]]]:
    """Return exports of a game that were forged at random, and what the page finds."""
    chance, exports = random.Random(f"forged {game.key}"), []
    for _ in range(12):
        table = random_table(chance, game)
        events = table.log.read(table.id)
        for _ in range(6):
            told = [json.loads(event.text) for event in events]
            forge(chance, told, game)
            if told:
                exports.append(sign_again(table, told))
    found = verified(window, game.variant(None), exports)
    return [(data, told) for data, (told, _) in zip(exports, found, strict=True)]


def version_of(place: str) -> int:
    """Return the version of an event that is named; one in the header comes last."""
    return int(place.removeprefix("event ")) if place.startswith("event ") else 10**6


MADE_BY_RULES = {
    "match.move_played": ("seat", "move", "digest", "given"),
    "match.turn_passed": ("seat",),
    "match.takeback_accepted": ("digest",),
    "match.ended": ("score",),
}


def forgery_of_the_board(
    chance: random.Random, events: list[Event], game: Game
) -> None:
    """Change what follows from the rules alone."""
    types = [event["type"] for event in events]
    places = [
        at
        for at, type_ in enumerate(types)
        # of a move in place of an AI's, the failure before it is named offline
        if type_ in MADE_BY_RULES and types[at - 1] != "match.ai_failed"
    ]
    if not places:
        return
    at = chance.choice(places)
    event = events[at]
    if chance.random() < 0.1:
        events.insert(at, json.loads(json.dumps(event)))
        return
    name = chance.choice(MADE_BY_RULES[event["type"]])
    seats = [*game.seats, "east"]
    event["data"][name] = _other(chance, name, event["data"].get(name, 0), game, seats)


def forged_page(table: Table, forge: Forge) -> str:
    """Return the page of a match with other events, signed again."""
    told = [json.loads(event.text) for event in table.log.read(table.id)]
    forge(told)
    return with_data(page_of(table), export=sign_again(table, told).decode())


def test_a_forged_page_is_not_ok_and_marks_the_event(
    window: Page, tmp_path: Path
) -> None:
    """The boards end before it."""
    score = {"south": 48, "north": 0}
    text = forged_page(played_table(), put(14, score=score))

    page = opened(window, tmp_path, text)

    said = 'score is {"north":0,"south":48}, but the rules give {"north":'
    assert verdict(page).startswith(f"NOT OK: event 14: {said}")
    assert page.locator("#log li.wrong").count() == 1
    assert page.locator("#log li").nth(13).get_attribute("class") == "wrong"
    told = (
        "13 of 14 events were played again here, by the rules of kalah/1; "
        "the boards are those that came of it."
    )
    assert told in page.locator("#trust").inner_text()
    assert page.locator("#position").inner_text() == "No board came of this event."
    assert page.locator("#board table").count() == 0
    page.keyboard.press("ArrowLeft")
    assert page.locator("#board td").count() == 14


def passing_table() -> Table:
    """Return a match in which a seat had to pass."""
    for seed in range(50):
        table = Table(GAMES[-1], random.Random(seed))
        human = table.player(human=True)
        table.open(seats={"black": human, "white": human}, starter="black")
        play_at_random(table)
        if any(event.type == "match.turn_passed" for event in table.log.read(table.id)):
            return table
    pytest.fail("nobody had to pass")


def test_a_fork_cannot_be_taken_back_behind_its_beginning(
    window: Page, tmp_path: Path
) -> None:
    table = Table(GAMES[0], random.Random(4))
    human = table.player(human=True)
    table.open(starter="south", seats={"south": human, "north": human})
    forked = table.play(12).fork("mat_forked")
    assert not forked.match.is_over
    first = forked.match.version

    def forge(told: list[Event]) -> None:
        insert(first + 1, "match.takeback_accepted", seat="south", to_version=1,
               digest="0" * 12)(told)  # fmt: skip

    honest = opened(window, tmp_path, page_of(forked))
    assert verdict(honest).endswith("hash chain, signatures and rules hold.")
    forged = opened(window, tmp_path, forged_page(forked, forge))
    assert verdict(forged) == (
        f"NOT OK: event {first + 1}: cannot go back to version 1: "
        "no move that stands was played after it"
    )


def test_the_page_says_what_it_leaves_to_the_offline_verifier(
    window: Page, tmp_path: Path
) -> None:
    """Who won by a resignation is no rule of the game."""
    forge = put(14, winner="north")
    assert due_findings(resigned(forge))[0][0] == "event 14"

    page = opened(window, tmp_path, forged_page(played_table(), forge))

    assert verdict(page) == "OK: 14 events; hash chain, signatures and rules hold."
    assert page.locator("#trust").inner_text().endswith(
        "Whether the match was rightly led around the board (who may do what, offers "
        "and answers, other ends than those of the rules) is for `seedlog verify` to "
        "say."
    )  # fmt: skip


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
    assert page.locator("#board td").count() == 14


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
    assert page.locator("#board td").count() == len(table.match.position.board)


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


# -- large ones


def long_table(moves: int) -> Table:
    """Return a match of so many moves: Nam Nam can go on for long."""
    game = next(game for game in GAMES if game.key == "oware-nam-nam")
    for seed in range(20):
        table = Table(game, random.Random(seed))
        human = table.player(human=True)
        table.open(starter="south", seats={"south": human, "north": human})
        if play_at_random(table, moves).match.ply == moves:
            return table
    pytest.fail("every match was over before")


def play_at_random(table: Table, moves: int = 10_000) -> Table:
    """Play so many moves, or until the match is over."""
    while table.match.ply < moves and (seat := table.match.to_move):
        assert table.match.position is not None
        move = table.chance.choice(table.match.position.legal_moves)
        table.act(PlayMove(seat=seat, move=move), "seat")
    return table


def test_a_long_match_does_not_freeze_the_page(window: Page) -> None:
    """A thousand moves, and never more than a moment before the page can answer."""
    table = long_table(1000)
    data = {"export": table.export().decode(), "shown": '{"today":{}}'}
    data["shown_signature"] = ""
    body = """
    const now = () => performance.now();
    let [longest, before, over] = [0, now(), false];
    const tick = () => {
      longest = Math.max(longest, now() - before);
      before = now();
      if (!over) setTimeout(tick);
    };
    tick();
    const { findings } = await verify(data);
    over = true;
    return [findings.map(([place]) => place), longest];
    """
    whole = f"{verifier_script(variant_of(table))}\n{body}"

    places, longest = window.evaluate(f"async (data) => {{ {whole} }}", data)

    assert places == ["this page"]  # whose signature is none
    assert longest < 500


@EACH_GAME
def test_the_script_of_a_page_is_small(game: Game) -> None:
    assert len(verifier_script(game.variant(None))) < 60_000
