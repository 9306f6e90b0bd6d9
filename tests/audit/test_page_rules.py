"""The page replays every rule: it finds what the offline verifier finds, in its words.

A forger here holds the key: hashes and signatures are all well.
"""

import importlib.util
import json
import random
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from rules_core import GAMES, Game, catalog
from rules_core.game import Variant
from rules_core.two_row import TwoRow
from services.audit import verify
from services.audit.page import verifier_script
from services.match import PlayMove
from services.match import events as facts
from tests.audit.making import MATCH_ID, Table, random_table
from tests.audit.record import RECORDED
from tests.audit.tampering import KINDS
from tests.audit.test_page import (
    opened,
    page_of,
    page_of_events,
    verdict,
    with_data,
)
from tests.audit.test_verify import (
    FORGERIES,
    Event,
    Forge,
    played_table,
    put,
    resigned,
    sign_again,
    stored,
)

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
Findings = list[tuple[str, str]]

VERIFY = """
const all = [];
for (const text of exports) {
  const { findings, isSigned, stood } = await verify(
    { export: text, shown, shown_signature: "" },
  );
  const last = stood.at(-1)?.position?.snapshot ?? null;
  all.push([findings.filter(([place]) => place !== "this page"), isSigned, last]);
}
return all;
"""


def verified(
    window: Page, variant: Variant, exports: Sequence[bytes]
) -> list[tuple[Findings, str | None]]:
    """Return what the verifier of a page finds in exports, and where they end."""
    given = [[data.decode() for data in exports], json.dumps({"today": {}})]
    script = verifier_script(variant)
    body = f"{script}\nconst [exports, shown] = given;\n{VERIFY}"
    told = window.evaluate(f"async (given) => {{ {body} }}", given)
    unread = ["header or head", "cannot be read"]
    assert all(is_signed or found == [unread] for found, is_signed, _ in told)
    return [([(p, r) for p, r in found], last) for found, _, last in told]


def due_findings(data: bytes) -> Findings:
    """Return what the offline verifier finds; some reasons name an event themselves."""
    found = [(finding.place, finding.reason) for finding in verify(data).findings]
    named = [re.match(r"event \d+(?=: )", reason) for _, reason in found]
    return [
        (at[0] if at else place, reason)
        for at, (place, reason) in zip(named, found, strict=True)
    ]


def variant_of(table: Table) -> Variant:
    return table.game.variant(table.match.options)


def test_the_table_to_forge_is_well_and_every_forgery_is_named(window: Page) -> None:
    """In the same words, but for what the page knows of one game alone."""
    exports = [resigned(forgery[1]) for forgery in FORGERIES]

    told = verified(
        window, variant_of(played_table()), [played_table().export(), *exports]
    )

    assert told[0][0] == []
    others = {}
    for (name, _, version, words), data, (findings, _) in zip(
        FORGERIES, exports, told[1:], strict=True
    ):
        place, reason = findings[0]
        assert place == f"event {version}", name
        assert words in f"{place}: {reason}", name
        if findings[0] != due_findings(data)[0]:
            others[name] = reason
    assert others == {
        "no such game": "there is no game 'chess'; known here: kalah",
        "no such rules": "there is no game 'kalah/9'; known here: kalah/1",
        # not of each that follows
        "an end after the head": "its time is after that of the head",
        "no such option": (
            "options is {'pits': 60}, but the rules give "
            "{'pits': 6, 'seeds': 4, 'empty_capture': False}"
        ),
    }


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


NOT_ALIKE = ("is not possible", "there is no game", "__init__", "cannot be played")
"""Words of Python, which the page has its own for."""


@EACH_GAME
def test_random_forgeries_are_judged_as_the_offline_verifier_does(
    window: Page, game: Game
) -> None:
    """OK or not, at the same event, and mostly in the same words."""
    chance, exports = random.Random(f"forged {game.key}"), []
    for _ in range(12):
        table = random_table(chance, game)
        events = table.log.read(table.id)
        for _ in range(8):
            told = [json.loads(event.text) for event in events]
            random_forgery(chance, told, game)
            if told:
                exports.append(sign_again(table, told))

    judged = verified(window, game.variant(None), exports)

    for data, (findings, _) in zip(exports, judged, strict=True):
        due = due_findings(data)
        assert [place for place, _ in findings][:1] == [place for place, _ in due][:1]
        if due and not any(words in due[0][1] for words in NOT_ALIKE):
            assert findings[0] == due[0]


def forged_page(table: Table, forge: Forge) -> str:
    """Return the page of a match with other events, signed again."""
    told = [json.loads(event.text) for event in table.log.read(table.id)]
    forge(told)
    return with_data(page_of(table), export=sign_again(table, told).decode())


def test_a_forged_page_is_not_ok_and_marks_the_event(
    window: Page, tmp_path: Path
) -> None:
    """The boards end before it."""
    text = forged_page(played_table(), put(14, winner="north"))

    page = opened(window, tmp_path, text)

    said = "winner is 'north', but the rules give 'south'"
    assert verdict(page) == f"NOT OK: event 14: {said}"
    assert page.locator("#log li.wrong").count() == 1
    assert page.locator("#log li").nth(13).get_attribute("class") == "wrong"
    assert (
        page.locator("#trust")
        .inner_text()
        .endswith(
            "13 of 14 events were decided again here, by the rules of kalah/1; "
            "the boards are those that came of it."
        )
    )
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


def test_a_pass_that_was_left_out_is_missed(window: Page, tmp_path: Path) -> None:
    table = passing_table()
    types = [event.type for event in table.log.read(table.id)]
    at = types.index("match.turn_passed")

    page = opened(window, tmp_path, forged_page(table, lambda told: told.pop(at)))

    due = "but the rules give match.turn_passed"
    assert verdict(page).startswith(f"NOT OK: event {at + 1}: is match.")
    assert due in verdict(page)


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
        event = {**told[-1], "by": "key:abc", "type": "match.takeback_requested"}
        told.append({**event, "data": {"seat": "south", "to_version": 1}})

    honest = opened(window, tmp_path, page_of(forked))
    assert verdict(honest).endswith("hash chain, signatures and rules hold.")
    forged = opened(window, tmp_path, forged_page(forked, forge))
    assert verdict(forged) == (
        f"NOT OK: event {first + 1}: cannot go back to version 1: "
        "no move that stands was played after it"
    )


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
