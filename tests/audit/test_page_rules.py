"""The page replays the rules: what they make of each move has to be on record.

A forger here holds the key: hashes and signatures are all well. How the match was led
around the board is no claim of the page; `seedlog verify` finds what is wrong there.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from rules_core import GAMES, Game, find_game
from services.audit.page import verifier_script
from tests.audit.forgeries import (
    FORGERIES,
    Event,
    Forge,
    insert,
    put,
    resigned,
    sign_again,
)
from tests.audit.paging import (
    due_findings,
    forged_page,
    opened,
    page_of,
    passed,
    variant_of,
    verdict,
    verified,
)
from tests.support.samples import RECORDED
from tests.support.tables import (
    Table,
    ended_table,
    long_table,
    passing_table,
    played_table,
    random_table,
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
    "a human without reference": (3, 'player has to be left out where it is ""'),
    "an AI of no level": (3, 'player has to be left out where it is ""'),
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
    by_name = {
        name: findings[:1]
        for (name, *_), (findings, _) in zip(FORGERIES, told[1:], strict=True)
    }
    assert {name for name in by_name if by_name[name]} == set(OF_THE_BOARD)
    for name, (version, words) in OF_THE_BOARD.items():
        [(place, reason)] = by_name[name]
        assert place == f"event {version}", name
        assert words in reason, name
    for name, data in zip(by_name, exports, strict=True):
        assert due_findings(data), name


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


# name, match, change, and words of the reason
# fmt: off
ON_THE_BOARD: list[tuple[str, Callable[[], Table], Forge, str]] = [
    ("back to what was undone", played_table, taken_back_to(13, 6, 6), "no such"),
    ("back to the present", played_table, taken_back_to(9, 8, 6), "no move that"),
    ("back to what was never", played_table, taken_back_to(9, 40, 6), "no such"),
    ("back before the match", played_table, taken_back_to(9, 0, 6), "no such"),
    ("back to another board", played_table, taken_back_to(9, 5, 4), "digest is"),
    ("an end of the rules too early", played_table, ended_by(), "nothing on the board"),
    ("an end that was left out", ended_table, lambda e: e.pop(),
        "is missing: the rules give match.ended"),
    ("a resignation in its place", ended_table,
        last(lambda e: e["data"].update(reason="resignation")), "reason is"),
    ("another winner", ended_table,
        last(lambda e: e["data"].update(winner="west")), "winner is"),
    ("another score", ended_table,
        last(lambda e: e["data"].update(score={"south": 0, "north": 48})), "score is"),
    ("an end that is none", ended_table,
        last(lambda e: e.update(type="match.aborted", data={})), "is match.aborted"),
    ("an end twice", ended_table, lambda e: e.append(dict(e[-1])), "is over"),
    ("a pass left out", passing_table,
        lambda e: e.pop(passed(e)), "but the rules give match.turn_passed"),
    ("a pass of nobody", passing_table,
        lambda e: e[passed(e)]["data"].update(seat="nobody"), "seat is"),
    ("a pass twice", passing_table,
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


@pytest.mark.parametrize("key", ["kalah", "congkak"])
def test_a_recorded_swap_is_ok_for_ever(window: Page, key: str) -> None:
    """By the rules in JavaScript, which say what a swap makes of the board."""
    data = (RECORDED / f"{key}-1-pie.jsonl").read_bytes()
    kept = data.replace(b'"move":"swap"', b'"move":"a"')
    variant = find_game(key).variant({"pie": True})

    [(findings, _), (forged, _)] = verified(window, variant, [data, kept])

    assert findings == []
    assert forged


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
    assert page.locator("#board").is_hidden()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#board .place").count() == 14


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
