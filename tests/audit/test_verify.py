"""What cannot have happened is found, even where everything is signed."""

import ast
import importlib
import inspect
import json
import pkgutil
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import services.audit
from rules_core import find_game, start
from services.audit import SigningKeys, export_lines, verify
from services.audit.export import PlayerName
from services.audit.public_keys import PublicKey
from services.audit.reading import read_time
from services.audit.verify import audit_match
from services.eventlog import (
    Head,
    StoredEvent,
    canonical_text,
    chain_all,
    genesis,
)
from services.match import Answer, OfferDraw, PlayMove, RequestTakeback, Resign
from services.match.events import SeatTaken
from tests.audit.making import (
    AT,
    MATCH_ID,
    OTHER_PRIVATE,
    Table,
    signing_key,
)

Event = dict[str, Any]
Forge = Callable[[list[Event]], object]


def played_table(name: str = MATCH_ID) -> Table:
    """Return a match of two humans: opened, seated, and some acts (17 events)."""
    table = Table(find_game("kalah"), random.Random(0), name)
    human = table.player(human=True)
    table.open(starter="south", seats={"south": human, "north": human})
    for seat, move in (("south", "C"), ("south", "A"), ("north", "b")):
        table.act(PlayMove(seat=seat, move=move), "seat")
    table.act(OfferDraw(seat="north"), "seat")
    table.act(Answer(seat="south", kind="draw", accept=False), "seat")
    table.act(RequestTakeback(seat="south", to_version=4), "seat")
    table.act(Answer(seat="north", kind="takeback", accept=True), "seat")
    for seat, move in (("south", "A"), ("north", "d")):
        table.act(PlayMove(seat=seat, move=move), "key:abc")
    table.act(Resign(seat="north"), "seat")
    return table


def resigned(forge: Forge) -> bytes:
    """Return an export with forged events, signed as if they were honest."""
    table = played_table()
    told = [json.loads(event.text) for event in table.log.read(MATCH_ID)]
    forge(told)
    return sign_again(table, told)


def sign_again(table: Table, told: list[Event]) -> bytes:
    """Return an export of a table's match with other events, signed and hashed."""
    events = [stored(place, event) for place, event in enumerate(told, start=1)]
    kind = SeatTaken.type
    players = {e["data"].get("player", "") for e in told if e["type"] == kind} - {""}
    lines = export_lines(
        table.id,
        table.match.rules,
        events,
        {str(reference): PlayerName() for reference in players},
        signing_key(),
        AT,
    )
    return "".join(lines).encode()


def stored(version: int, event: Event) -> StoredEvent:
    return StoredEvent(
        version,
        event["type"],
        read_time(event["at"]),
        event["by"],
        canonical_text(event["data"]),
    )


def put(place: int, **members: Any) -> Forge:
    """Return what changes members of an event's data."""
    return lambda events: events[place - 1]["data"].update(members)


def say(place: int, **members: Any) -> Forge:
    """Return what changes an event beside its data."""
    return lambda events: events[place - 1].update(members)


def insert(place: int, kind: str, by: str = "seat", **data: Any) -> Forge:
    """Return what makes up an event at a place."""
    return lambda events: events.insert(
        place - 1,
        {"at": events[place - 2]["at"], "by": by, "data": data, "type": kind},
    )


def drop(place: int) -> Forge:
    """Return what leaves an event out."""
    return lambda events: events.pop(place - 1)


NOBODY = "match.seat_taken"
BOARD = start("kalah").snapshot
# name, change, the event that is named, and words of the reason
# fmt: off
FORGERIES: list[tuple[str, Forge, int, str]] = [
    ("no such game", put(1, game="chess"), 1, "chess"),
    ("no such rules", put(1, rules="kalah/9"), 1, "kalah/9"),
    ("no such option", put(1, options={"pits": 60}), 1, "pits"),
    ("an option left out", put(1, options={"pits": 6}), 1, "options is"),
    ("no tenant", put(1, tenant=""), 1, "tenant"),
    ("another starter", put(1, starter="west"), 1, "starter is 'west'"),
    ("unknown member", put(1, colour="red"), 1, "colour"),
    ("an opening by a seat", say(1, by="seat"), 1, "cannot open"),
    ("no opening", drop(1), 1, "begins with match.opened"),
    ("opened twice", lambda e: e.insert(3, dict(e[0])), 4, "once"),
    ("an event nobody knows", say(2, type="match.danced"), 2, "match.danced"),
    ("a member nobody knows", put(3, hat="red"), 3, "hat"),
    ("seat taken twice", put(3, seat="south"), 3, "is taken"),
    ("no such seat", put(3, seat="east"), 3, "east"),
    ("a human without reference", put(3, player=""), 3, "human with a reference"),
    ("an AI of no level", put(3, kind="ai", player="", level=9), 3, "AI of a level"),
    ("seat nobody took", drop(3), 3, "every seat is taken"),
    ("another move", put(4, move="B"), 4, "digest is"),
    ("an illegal move", put(4, move="a"), 4, "not legal"),
    ("no move at all", put(4, move="Z9"), 4, "not legal"),
    ("a move that is no text", put(4, move=3), 4, "move cannot be 3"),
    ("out of turn", put(6, seat="south"), 6, "north is to move"),
    ("another digest", put(5, digest="0" * 12), 5, "digest is '000000000000'"),
    ("discs given in Kalah", put(5, given=1), 5, "given is 1"),
    ("a move by the server", say(5, by="server"), 5, "its player can"),
    ("a move by an AI that is none", say(5, by="ai:3"), 5, "its player can"),
    ("a move left out", drop(4), 4, "digest is"),
    ("a pass that nothing forced",
        insert(6, "match.turn_passed", "server", seat="north"), 6, "nothing happened"),
    ("an answer without an offer", drop(7), 7, "no draw is offered"),
    ("an answer to the own offer", put(8, seat="north"), 8, "other seat answers"),
    ("an offer twice",
        insert(8, "match.draw_offered", seat="south"), 8, "answered first"),
    ("an offer by nobody", put(7, seat="east"), 7, "no seat 'east'"),
    ("a takeback to nowhere", put(9, to_version=40), 9, "no version 40"),
    ("a takeback to the present", put(9, to_version=8), 9, "no move that stands"),
    ("another takeback than asked", put(10, to_version=5), 10, "to_version is 5"),
    ("another position taken back", put(10, digest="f" * 12), 10, "digest is"),
    ("gone back to what was undone", insert(13, "match.takeback_requested",
        seat="south", to_version=6), 13, "taken back themselves"),
    ("an end that nobody brought", insert(9, "match.ended", "server", winner="south",
        reason="rules", score={}), 9, "nothing happened"),
    ("called off in the middle", insert(9, "match.aborted"), 9, "moves were played"),
    ("another winner", put(14, winner="north"), 14, "winner is 'north'"),
    ("another reason", put(14, reason="agreement"), 14, "reason is"),
    ("another score", put(14, score={"south": 48, "north": 0}), 14, "score is"),
    ("the end left out", drop(14), 14, "is missing"),
    ("the end by a seat", say(14, by="seat"), 14, "author is 'seat'"),
    ("the end at another time", say(14, at="2027-01-01T00:00:00.000Z"), 14, "its time"),
    ("time that runs backwards", say(6, at="2026-01-01T00:00:00.000Z"), 6, "before"),
    ("an end after the head", lambda e: [x.update(at="2099-01-01T00:00:00.000Z")
        for x in e[12:]], 13, "after that of the head"),
    ("a position and an origin without hash", put(1, position=BOARD,
        origin={"match": "mat_x", "version": 1, "hash": "00"}), 1, "an origin is"),
    ("an origin that is no match", put(1, position=BOARD,
        origin={"match": "x", "version": 1, "hash": "0" * 64}), 1, "an origin is"),
    ("an origin of no version", put(1, position=BOARD,
        origin={"match": "mat_x", "version": 0, "hash": "0" * 64}), 1, "an origin is"),
    ("an origin without a position", put(1,
        origin={"match": "mat_x", "version": 1, "hash": "0" * 64}), 1, "an origin is"),
    ("a move after the end", insert(15, "match.move_played", seat="south", move="A",
        digest="0" * 12), 15, "is over"),
    ("an event of no kind",
        insert(9, "match.chatted", text="hello"), 9, "unknown type"),
    ("an import of another head", insert(9, "match.imported", "key:abc",
        tenant="ten_b", head="0" * 64, key="sig_" + "0" * 16), 9, "another head"),
    ("a token renewed twice at once", insert(9, "match.seat_token_renewed", "key:abc",
        seat="south", generation=3), 9, "generation is 3"),
    ("a token renewed by its holder", insert(9, "match.seat_token_renewed", "seat",
        seat="south", generation=2), 9, "an app can"),
    ("a fist nobody hid", insert(4, "match.fist_guessed", seat="north", guess="left",
        fist="left", secret="s", starter="north"), 4, "no fist to guess"),
    ("an AI that failed and is none", insert(4, "match.ai_failed", "server",
        seat="south", attempts=3), 4, "no AI"),
]
# fmt: on


def test_the_table_to_forge_is_well() -> None:
    assert verify(resigned(lambda events: None)).is_ok


@pytest.mark.parametrize(
    ("forge", "version", "reason"),
    [pytest.param(*forgery[1:], id=forgery[0]) for forgery in FORGERIES],
)
def test_what_cannot_have_happened_is_named(
    forge: Forge, version: int, reason: str
) -> None:
    """The forger holds the key: hashes and signatures are all well."""
    findings = verify(resigned(forge)).findings

    assert findings[0].version == version, findings
    assert reason in str(findings[0])


def test_a_fist_must_be_the_one_that_was_hidden() -> None:
    for seed in range(40):
        table = Table(find_game("kalah"), random.Random(seed))
        table.open(starter="fist")
        events = table.log.read(MATCH_ID)
        if events[-1].type != "match.fist_guessed":
            continue
        data = events[-1].data
        for change in ({"fist": "right"}, {"secret": "other"}, {"starter": "east"}):
            text = canonical_text({**data, **change})
            last = events[-1]
            forged = StoredEvent(last.version, last.type, last.at_ms, last.by, text)
            log = [*events[:-1], forged]
            head = Head(len(log), chain_all(genesis(MATCH_ID), log))

            findings = audit_match(MATCH_ID, log, head).findings

            assert findings[0].version == last.version
        return
    pytest.fail("no match was begun by fist")


def test_an_unknown_key_is_not_trusted() -> None:
    table = played_table()
    own, other = signing_key().public, signing_key(OTHER_PRIVATE)
    data = table.export(other)

    assert verify(data).is_ok
    [finding] = verify(data, {own.id: own}).findings

    assert finding.place == "head"
    assert (
        finding.reason == f"is signed by {other.public.id}, which is no key you trust"
    )


def test_a_forged_file_with_a_forged_key_names_the_key_and_the_event() -> None:
    own = signing_key().public
    data = played_table().export(signing_key(OTHER_PRIVATE))
    tampered = data.replace(b'"move":"b"', b'"move":"c"')

    findings = verify(tampered, {own.id: own}).findings

    assert [finding.place for finding in findings] == ["event 6", "head"]


def test_a_key_vouches_for_its_own_time_alone() -> None:
    own = signing_key().public
    data = played_table().export()
    for since, until in ((None, AT), ("2026-11-21T12:00:00.001Z", None)):
        key = PublicKey(own.public, since, until)

        [finding] = verify(data, {key.id: key}).findings

        assert finding.reason == f"{own.id} did not sign at {AT}"
    key = PublicKey(own.public, AT, "2026-11-21T12:00:00.001Z")
    assert verify(data, {key.id: key}).is_ok


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\n\n\n", b"{}", b"\xff\xfe", b"[" * 100_000, b"a\nb\nc\n"]
)
def test_anything_else_is_no_export(data: bytes) -> None:
    verdict = verify(data)

    assert not verdict.is_ok
    assert verdict.findings[0].place == "header"


OFFLINE = ("rules_core", "services.audit", "services.eventlog.event", "services.match",
           "services.local_files", "nacl")  # fmt: skip


def test_the_verifier_imports_what_is_needed_offline_and_nothing_else() -> None:
    """Redis is never asked, nor a network: there is nothing here to ask it with."""
    ours = {"services.audit.whole_log"}  # which audits a log, and no file
    for module in pkgutil.iter_modules(services.audit.__path__, "services.audit."):
        source = inspect.getsource(importlib.import_module(module.name))
        named = [
            name
            for node in ast.walk(ast.parse(source))
            for name in (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in getattr(node, "names", ())]
                if isinstance(node, ast.Import)
                else []
            )
        ]
        foreign = [
            name
            for name in named
            if not name.startswith(OFFLINE)
            and name.partition(".")[0] not in sys.stdlib_module_names
        ]
        assert not foreign or module.name in ours, module.name


def test_the_log_itself_is_audited_alike() -> None:
    table = played_table()
    events = table.log.read(table.id)
    state = table.log.load(table.id)
    assert state is not None

    assert audit_match(table.id, events, state.head).is_ok
    short = audit_match(table.id, events[:-1], state.head)
    wrong = audit_match(table.id, events, Head(len(events), "0" * 64))
    gap = audit_match(table.id, [*events[:2], *events[3:]], state.head)

    assert [f.place for f in short.findings] == ["event 14", "head"]
    assert "not the one" in wrong.findings[0].reason
    assert gap.findings[0].reason == "event 4 stands in its place"


@pytest.mark.parametrize("junk", [b"x\n", b"\n", b'{"event":{}}\n', b'{"head":\n'])
def test_a_file_that_is_all_wrong_is_told_in_bounded_time(junk: bytes) -> None:
    """Whoever uploads nonsense gets no more of our time than it takes to read."""
    first, *lines, last = played_table().export().splitlines(keepends=True)
    data = b"".join([first, *lines, junk * (300_000 // len(junk)), last])

    for file in (data, junk * (300_000 // len(junk))):
        began = time.process_time()
        verdict = verify(file)

        assert not verdict.is_ok
        assert time.process_time() - began < 5


def swapped(header: bytes, events: bytes, head: bytes) -> bytes:
    """Return a file of the header, the events and the head of three files."""
    last = head.splitlines(keepends=True)[-1]
    body = events.splitlines(keepends=True)[1:-1]
    return b"".join([header.splitlines(keepends=True)[0], *body, last])


def exported(table: Table, at: str, until: int | None = None) -> bytes:
    events = table.log.read(table.id)[:until]
    players = {who.player: PlayerName() for who in table.match.seats.values() if who}
    lines = export_lines(
        table.id, table.match.rules, events, players, signing_key(), at
    )
    return "".join(lines).encode()


LATER = "2026-11-21T12:00:05.000Z"


def test_a_genuine_end_of_another_file_is_named() -> None:
    """Header, events and head are each as they were signed, but not together."""
    table, own = played_table(), exported(played_table(), LATER)
    early, again = exported(table, AT, 10), exported(table, AT)
    other = played_table(name="mat_other")
    foreign = exported(other, AT)

    def found(header: bytes, events: bytes, head: bytes) -> tuple[str, str]:
        first = verify(swapped(header, events, head)).findings[0]
        return first.place, first.reason

    assert verify(swapped(own, own, own)).is_ok
    assert found(own, own, foreign) == (
        "head",
        "is that of another match, mat_other",
    )
    assert found(foreign, own, own) == (
        "header",
        f"names another match than {MATCH_ID}",
    )
    assert found(own, own, early) == (
        "head",
        "is an earlier one: it counts 10 events, but more of them are signed here",
    )
    both = "header or head is that of another export"
    said = f"says {LATER}, but the head was signed at {AT}: {both}"
    assert found(own, own, again) == ("header", said)
    assert found(early, early, own) == (
        "event 11",
        "is missing; so are all events to 14",
    )
    assert found(early, own, early)[0] == "event 11"
    assert len(verify(swapped(own, own, foreign)).findings) == 1


@pytest.mark.parametrize(
    ("line", "place"), [(0, "header"), (3, "event 3"), (-1, "head")]
)
def test_a_byte_that_is_no_utf_8_is_named(line: int, place: str) -> None:
    lines = played_table().export().splitlines(keepends=True)
    lines[line] = lines[line][:20] + b"\xff" + lines[line][21:]

    [finding, *_] = verify(b"".join(lines)).findings

    assert (finding.place, finding.check) == (place, "form")
    assert finding.reason == "byte 21 of its line is not UTF-8"


def test_an_export_is_never_signed_before_its_last_event() -> None:
    """The clock of the server that exports may be behind that of another one."""
    keys = SigningKeys(Path(), "5eed" * 16, lambda: 1_000)

    assert keys.current()[1] == "1970-01-01T00:00:01.000Z"
    assert keys.current(2_500)[1] == "1970-01-01T00:00:02.500Z"
    assert keys.current(500)[1] == "1970-01-01T00:00:01.000Z"
