"""Each cell of the table in services/audit/README.md: what binds a member, what not.

Whoever holds the key signs again, and is caught by every check that is marked; by none
where only the signature is. Without the key nothing passes.
"""

import copy
import random
from collections import defaultdict
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Page

from rules_core import Game, find_game
from services.audit import verify
from services.audit.format import EVENT_MEMBERS, HEAD_MEMBERS, HEADER_MEMBERS
from services.eventlog import StoredEvent
from services.match import EVENTS
from services.match.events import fields
from tests.audit.binding import (
    CHECKS,
    COLUMNS,
    LAST,
    MEMBERS,
    NONE,
    README,
    Member,
    table,
)
from tests.audit.exports import Export
from tests.audit.paging import verified
from tests.support.tables import played_table, random_table, signing_key

HEAD_HASHES = ("head.file", "head.hash")


@cache
def export_with(kind: str) -> tuple[bytes, int]:
    """Return an export with an event of a type, and which one it is."""
    if kind == "match.imported":
        return imported(), 14
    for seed in range(400):
        hints = kind == "match.hint_taken"
        table_with = random_table(random.Random(f"bound {seed}"), hints=hints)
        events = table_with.log.read(table_with.id)
        if kind == "match.opened" and not table_with.match.origin:
            continue
        for event in events[:300]:
            if event.type == "match.fist_guessed" and is_right(event):
                continue  # the seat that guessed begins: then the page can tell more
            if event.type == kind and len(events) < 400:
                return table_with.export(), event.version - 1
    raise AssertionError(kind)


def is_right(guess: StoredEvent) -> bool:
    """Tell whether a fist was guessed rightly."""
    data = guess.data
    return bool(data["starter"] == data["seat"])


def imported() -> bytes:
    export = Export.of(played_table().export())
    event = {
        "at": export.lines[-1]["event"]["at"],
        "by": "key:abc",
        "data": {
            "head": export.lines[-1]["hash"],
            "key": signing_key().public.id,
            "tenant": "ten_b",
        },
        "type": "match.imported",
        "version": 15,
    }
    export.lines.append({"event": event, "hash": "", "signature": ""})
    export.head["head"]["events"] = 15
    return export.signed("form")


def changed(member: Member, value: Any) -> tuple[Export, set[str]]:
    """Return an export with a value in it, and the places that may be named for it."""
    kind = member.line if member.line.startswith("match.") else ""
    data, at = export_with(kind) if kind else (played_table().export(), 4)
    export = Export.of(data)
    lines: dict[str, Any] = {"header": export.header, "head": export.head}
    place = lines.get(member.line, export.lines[at])
    if kind:
        place = place["event"]["data"]
    *path, name = member.name.split(".")
    for step in path:
        place = place[next(iter(place)) if step == "*" else step]
    place[name] = export.lines[at + 1]["event"]["at"] if value is LAST else value
    return export, named_for(member, at + 1)


def named_for(member: Member, version: int) -> set[str]:
    ends = {"header", "head"}
    if member.line in ends:
        return {*ends, "event 1", "event 15"}
    return {f"event {n}" for n in range(version - 1, version + 3)} | ends


def cases(*columns: str) -> list[Any]:
    tried = []
    for member in MEMBERS:
        for column in columns:
            value = (
                getattr(member, column) if column == "free" else member.value(column)
            )
            if value is not NONE:
                told = f"{member.line} {member.name}: {column}"
                tried.append(pytest.param(member, column, value, id=told))
    return tried


def forged(member: Member, column: str, value: Any) -> tuple[bytes, set[str]]:
    """Return what somebody signs who tries a check, and the places to be named.

    Who tries the chain has the key, but leaves the hashes that were there; who tries
    the signature makes all hashes fit, and signs with another key, or not.
    """
    export, named = changed(member, value)
    if column == "chain" and member.name in ("match", "head.match"):
        export.header["match"] = export.head["head"]["match"] = value
    is_own = column != "chain" if member.name == "hash" else member.name in HEAD_HASHES
    if member.name.endswith("signature"):
        data = export.as_it_is()
    elif column == "signature" and member.signature is NONE:
        data = export.signed(column, with_key=False)
    elif column == "signature" or is_own:
        data = export.signed("own")
    else:
        data = export.signed(column)
    return data, named


@pytest.mark.parametrize(
    ("member", "column", "value"), cases("form", "chain", "rules", "time", "signature")
)
def test_a_check_that_is_marked_finds_it(
    member: Member, column: str, value: Any
) -> None:
    data, named = forged(member, column, value)

    findings = verify(data).findings

    assert {f.check for f in findings} & CHECKS[column], findings
    # a stranger's signature is wrong in every line
    is_all = column == "signature" and member.signature is NONE
    assert is_all or findings[0].place in named, findings


@pytest.mark.parametrize(("member", "column", "value"), cases("free"))
def test_where_the_signature_alone_binds_the_signer_is_free(
    member: Member, column: str, value: Any
) -> None:
    """What the table does not claim is not so: who has the key can say that."""
    data, _ = forged(member, column, value)

    assert verify(data).is_ok


def test_the_page_finds_what_is_marked_and_leaves_the_rest(window: Page) -> None:
    """A `v` is left to `seedlog verify`: the page finds nothing wrong with it."""
    by_game: dict[Game, list[tuple[str, bool, bytes]]] = defaultdict(list)
    for case in cases(*COLUMNS, "free"):
        member, column, value = case.values
        is_found = column not in ("free", member.offline)
        row = str(case.id), is_found, forged(member, column, value)[0]
        by_game[game_of(member)].append(row)

    for game, rows in by_game.items():
        told = verified(window, game.variant(None), [data for *_, data in rows])
        due = {name: is_found for name, is_found, _ in rows}
        names = [name for name, *_ in rows]
        by_page = [bool(findings) for findings, _ in told]
        assert dict(zip(names, by_page, strict=True)) == due


def game_of(member: Member) -> Game:
    """Return the game of the match in which a member is tried."""
    is_data = member.line.startswith("match.")
    data = export_with(member.line)[0] if is_data else played_table().export()
    return find_game(Export.of(data).header["rules"].partition("/")[0])


def test_the_readme_has_the_table() -> None:
    assert table() in README


def test_the_table_names_every_member() -> None:
    """Those that the verifier allows, and those of every event."""
    listed = {(member.line, member.name.split(".")[-1]) for member in MEMBERS}
    tops = {(member.line, member.name.split(".")[0]) for member in MEMBERS}

    assert {name for line, name in tops if line == "header"} == set(HEADER_MEMBERS)
    assert {n for line, n in listed if line == "head"} == {*HEAD_MEMBERS, "signature"}
    assert {n for line, n in listed if line == "event"} == {
        *EVENT_MEMBERS, "hash", "signature",
    }  # fmt: skip
    due = {(event.type, field.name) for event in EVENTS for field in fields(event)}
    assert {row for row in listed if row[0].startswith("match.")} == due


@pytest.mark.parametrize("line", ["header", "event", "data", "head", "player", "key"])
def test_no_other_member_is_allowed(line: str) -> None:
    export = Export.of(played_table().export())
    places = {
        "header": export.header,
        "event": export.lines[4]["event"],
        "data": export.lines[4]["event"]["data"],
        "head": export.head["head"],
        "player": next(iter(export.header["players"].values())),
        "key": export.header["key"],
    }
    whole = copy.deepcopy(export)
    places[line]["more"] = "x"

    assert verify(whole.signed("form")).is_ok
    [finding, *_] = verify(export.signed("form")).findings
    assert finding.check in ("form", "rules")


def test_the_columns_are_the_checks_there_are() -> None:
    assert set(COLUMNS) == set(CHECKS)
