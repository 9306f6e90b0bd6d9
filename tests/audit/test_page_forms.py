"""The page looks at every line of an export, whatever key it is signed with."""

import hashlib
import json
import random
import re
from collections.abc import Callable
from dataclasses import fields
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page

from rules_core import find_game
from services.audit.format import read_event_line
from services.audit.page import verifier_script
from services.audit.statements import event_statement
from services.eventlog.event import canonical_text, chain, genesis
from services.match import EVENTS, Answer, Player, PlayMove, RequestTakeback
from tests.audit.forgeries import Event, Forge, put, say, sign_again
from tests.audit.paging import due_findings, verified
from tests.support.tables import AT, MATCH_ID, Table, played_table, signing_key

KALAH, REVERSI = find_game("kalah"), find_game("reversi")


def nothing(_: Any) -> None:
    """Change nothing."""


def crafted(
    texts: Callable[[list[str]], object] = nothing,
    header: Callable[[Event], object] = nothing,
    head: Callable[[Event], object] = nothing,
) -> bytes:
    """Return an export with anything changed in it, hashed and signed by the key."""
    first, *lines, last = played_table().export().decode().splitlines()
    told = [read_event_line(line).text for line in lines]
    texts(told)
    opening, sign = json.loads(first), signing_key().signer()
    header(opening)
    body, previous = canonical_text(opening) + "\n", genesis(MATCH_ID)
    for version, text in enumerate(told, start=1):
        previous = chain(previous, text)
        signature = sign(event_statement(MATCH_ID, version, previous))
        body += f'{{"event":{text},"hash":"{previous}","signature":"{signature}"}}\n'
    file = hashlib.sha256(body.encode()).hexdigest()
    stated = json.loads(last)["head"]
    stated |= {"events": len(told), "hash": previous, "file": file}
    head(stated)
    statement = canonical_text(stated)
    signature = sign(statement.encode())
    return f'{body}{{"head":{statement},"signature":"{signature}"}}\n'.encode()


def rewrite(place: int, old: str, new: str) -> Callable[[list[str]], None]:
    """Return what changes the text of an event as no program would write it."""

    def change(texts: list[str]) -> None:
        assert old in texts[place - 1]
        texts[place - 1] = texts[place - 1].replace(old, new, 1)

    return change


def set_to(**members: Any) -> Callable[[Event], None]:
    """Return what changes members of a header or a head."""
    return lambda said: said.update(members)


def key(**members: Any) -> Callable[[Event], None]:
    """Return what changes members of the key in a header."""
    return lambda said: said["key"].update(members)


# fmt: off
LIKE_PYTHON = {
    "another version": crafted(rewrite(5, '"version":5', '"version":6')),
    "a space": crafted(rewrite(5, '"by":"', '"by": "')),
    "members out of order": crafted(rewrite(5, '"at"', '"zt"')),
    "a fraction": crafted(rewrite(9, '"to_version":4', '"to_version":4.5')),
    "no time": crafted(rewrite(5, "2026-11-21T", "2026-02-30T")),
    "one member more": crafted(rewrite(5, '"type"', '"note":"","type"')),
    "a version that is a text": crafted(rewrite(5, '"version":5', '"version":"5"')),
    "no data": crafted(rewrite(13, '"data":{"seat":"north"}', '"data":[]')),
    "another match": crafted(header=set_to(match="mat_other")),
    "exported at another time": crafted(header=set_to(exported_at=AT[:-2] + "1Z")),
    "a key that signed before": crafted(header=key(valid_until=AT)),
    "a key that signed after": crafted(header=key(valid_from=AT[:-2] + "1Z")),
    "other rules": crafted(header=set_to(rules="kalah/2")),
    "nobody": crafted(header=set_to(players={})),
}
IN_OWN_WORDS = {
    "no event": (crafted(list.clear), "header", "the export has no event"),
    "more events": (crafted(head=set_to(events=15)), "head", "not that of these"),
    "fewer events": (crafted(head=set_to(hash="0" * 64)), "head", "not that of these"),
    "another file": (crafted(head=set_to(file="0" * 64)), "header", "not the one"),
    "another key": (
        crafted(head=set_to(key="sig_" + "0" * 16)), "header", "holds another key"),
    "no such key": (crafted(header=key(public="5eed")), "header or head", "be read"),
    "another format": (
        crafted(header=set_to(format_version=2)), "header or head", "be read"),
    "no such match": (
        crafted(head=set_to(match='mat"')), "header or head", "be read"),
}
# fmt: on


def findings_of(window: Page, data: bytes) -> list[tuple[str, str]]:
    [(findings, _)] = verified(window, KALAH.variant(None), [data])
    return findings


def test_what_is_crafted_with_no_change_is_well(window: Page) -> None:
    assert findings_of(window, crafted()) == []
    assert due_findings(crafted()) == []


@pytest.mark.parametrize("name", LIKE_PYTHON)
def test_a_form_that_is_wrong_is_named_as_offline(window: Page, name: str) -> None:
    data = LIKE_PYTHON[name]
    due = due_findings(data)

    assert findings_of(window, data)[:1] == due[:1]
    assert due


@pytest.mark.parametrize("name", IN_OWN_WORDS)
def test_a_form_that_is_wrong_is_named(window: Page, name: str) -> None:
    """Offline the place is searched for; here it is said that something is wrong."""
    data, place, words = IN_OWN_WORDS[name]

    [first, *_] = findings_of(window, data)

    assert first[0] == place
    assert words in first[1]
    assert due_findings(data)


# -- acts that are rare


def fist_table(*ai: str, late: bool = False) -> Table:
    """Return a match that a fist has begun; some seats are those of an AI."""
    table = Table(KALAH, random.Random(2))
    human, program = table.player(human=True), Player(kind="ai", level=3)
    seats = {seat: program if seat in ai else human for seat in KALAH.seats}
    if late:
        del seats["south"]
    table.open(starter="fist", seats=seats)
    return table


def taken_back_table() -> Table:
    """Return a match that went back to its opening, when nobody had guessed yet."""
    table = fist_table()
    mover = str(table.match.to_move)
    table.act(PlayMove(seat=mover, move=table.match.position.legal_moves[0]), "seat")
    table.act(RequestTakeback(seat=mover, to_version=1), "seat")
    answer = Answer(seat=table.match.other(mover), kind="takeback", accept=True)
    table.act(answer, "seat")
    table.act(PlayMove(seat=mover, move=table.match.position.legal_moves[1]), "seat")
    return table


def reversi_table() -> Table:
    """Return a match that nobody but black can begin."""
    table = Table(REVERSI, random.Random(0))
    table.open()
    return table


def imported(**data: Any) -> Forge:
    """Return what makes up an import after ten events, with the right head."""

    def forge(told: list[Event]) -> None:
        head = genesis(MATCH_ID)
        for version, event in enumerate(told[:10], start=1):
            head = chain(head, canonical_text({**event, "version": version}))
        by = data.pop("by", "key:abc")
        said = {"tenant": "ten_b", "head": head, "key": "sig_" + "0" * 16, **data}
        event = {"at": told[9]["at"], "by": by, "data": said, "type": "match.imported"}
        told.insert(10, event)

    return forge


def abandoned(by: str) -> Forge:
    """Return what ends a match before its last two events, as if nobody came back."""

    def forge(told: list[Event]) -> None:
        last = told.pop()
        told[-1] = {**last, "by": by}
        told[-1]["data"] |= {"reason": "abandoned", "winner": None}

    return forge


def program(place: int) -> Forge:
    """Return what lets an AI sit down in place of a human."""

    def forge(told: list[Event]) -> None:
        told[place - 1]["data"] |= {"kind": "ai", "level": 2}
        del told[place - 1]["data"]["player"]

    return forge


def guessed(guess: str) -> Forge:
    """Return what has somebody guess anything but the fist that it was."""

    def forge(told: list[Event]) -> None:
        data = told[3]["data"]
        (other,) = {*KALAH.seats} - {data["seat"]}
        data |= {"guess": guess, "starter": other}

    return forge


HIDDEN = {"starter": "", "starter_by": "fist", "commitment": "0" * 64}
# fmt: off
HONEST: list[tuple[Callable[[], Table], Forge]] = [
    (played_table, imported()),
    (played_table, abandoned("server")),
    (fist_table, nothing),
    (lambda: fist_table("north"), nothing),
    (lambda: fist_table("south"), nothing),
    (taken_back_table, nothing),
]
RARE: list[tuple[Callable[[], Table], Forge, int, str]] = [
    (fist_table, put(4, secret="other"), 4, "not the one that was hidden"),
    (fist_table, put(4, fist="right"), 4, "not the one that was hidden"),
    (fist_table, put(4, seat="south"), 4, "starter is"),
    (fist_table, put(4, starter="east"), 4, 'starter is "east"'),
    (fist_table, put(1, commitment="left"), 4, "not the one that was hidden"),
    (played_table, put(1, **HIDDEN), 4, "nobody is to move"),
]
LED: list[tuple[Callable[[], Table], Forge, str]] = [
    (played_table, imported(by="seat"), "cannot import a match"),
    (played_table, imported(key="sig_0"), "names the tenant and the key"),
    (played_table, imported(tenant=""), "names the tenant and the key"),
    (played_table, abandoned("seat"), "server can"),
    (fist_table, guessed("middle"), "left or right"),
    (lambda: fist_table("north"), program(2), "both seats are AIs"),
    (lambda: fist_table("north", late=True), program(3), "the other seat is an AI"),
    (reversi_table, put(1, **HIDDEN), "starter 'fist' is not possible; allowed: black"),
    (played_table, say(4, by="guest"), "its player can"),
]
"""How a match was led: no claim of the page."""
# fmt: on


@pytest.mark.parametrize("place", range(len(HONEST)))
def test_rare_acts_are_ok(window: Page, place: int) -> None:
    table, data = made(*HONEST[place])

    [(findings, _)] = verified(window, table.game.variant(None), [data])

    assert findings == due_findings(data) == []


@pytest.mark.parametrize("place", range(len(RARE)))
def test_rare_acts_that_cannot_be_are_named(window: Page, place: int) -> None:
    make, forge, version, words = RARE[place]
    table, data = made(make, forge)

    [(findings, _)] = verified(window, table.game.variant(None), [data])

    assert findings[0][0] == f"event {version}"
    assert words in findings[0][1]
    assert due_findings(data)


@pytest.mark.parametrize("place", range(len(LED)))
def test_how_a_match_was_led_is_found_offline_alone(window: Page, place: int) -> None:
    make, forge, words = LED[place]
    table, data = made(make, forge)

    [(findings, _)] = verified(window, table.game.variant(None), [data])

    assert findings == []
    assert words in due_findings(data)[0][1]


def made(make: Callable[[], Table], forge: Forge) -> tuple[Table, bytes]:
    """Return a table, and the export of its match with other events."""
    table = make()
    told = [json.loads(event.text) for event in table.log.read(MATCH_ID)]
    forge(told)
    return table, sign_again(table, told)


# -- what is written by hand

ON_THE_BOARD = {
    "match.opened", "match.seat_taken", "match.fist_guessed", "match.move_played",
    "match.turn_passed", "match.takeback_accepted", "match.ended", "match.aborted",
}  # fmt: skip
"""What sets the board up, changes it, or ends the play on it."""


def test_the_page_knows_the_form_of_every_event_from_where_it_is_written() -> None:
    script = verifier_script(KALAH.variant(None)).partition("const FACTS = ")[2]
    told = json.loads(script.partition(";\n")[0])

    due = {event.type: {field.name for field in fields(event)} for event in EVENTS}
    assert {type_: set(members) for type_, members in told.items()} == due


def test_no_event_beside_the_board_is_known_in_javascript() -> None:
    """What causes an event, and who may, stands in `decide` alone."""
    parts = files("services.audit.page").iterdir()
    scripts = [part.read_text("utf-8") for part in parts if part.name.endswith(".js")]

    named = {type_ for text in scripts for type_ in re.findall(r"match\.[a-z_]+", text)}

    assert named & {event.type for event in EVENTS} == ON_THE_BOARD
