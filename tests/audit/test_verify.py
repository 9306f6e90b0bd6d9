"""What cannot have happened is found, even where everything is signed."""

import ast
import importlib
import inspect
import pkgutil
import random
import sys
import time
from pathlib import Path

import pytest

import services.audit
from rules_core import find_game
from services.audit import SigningKeys, export_lines, verify
from services.audit.export import PlayerName
from services.audit.public_keys import PublicKey
from services.audit.verify import audit_match
from services.eventlog import Head, StoredEvent, canonical_text, chain_all, genesis
from tests.audit.forgeries import FORGERIES, Forge, resigned
from tests.support.tables import (
    AT,
    MATCH_ID,
    OTHER_PRIVATE,
    Table,
    played_table,
    signing_key,
)


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

    def first_finding(header: bytes, events: bytes, head: bytes) -> tuple[str, str]:
        first = verify(swapped(header, events, head)).findings[0]
        return first.place, first.reason

    assert verify(swapped(own, own, own)).is_ok
    assert first_finding(own, own, foreign) == (
        "head",
        "is that of another match, mat_other",
    )
    assert first_finding(foreign, own, own) == (
        "header",
        f"names another match than {MATCH_ID}",
    )
    assert first_finding(own, own, early) == (
        "head",
        "is an earlier one: it counts 10 events, but more of them are signed here",
    )
    both = "header or head is that of another export"
    said = f"says {LATER}, but the head was signed at {AT}: {both}"
    assert first_finding(own, own, again) == ("header", said)
    assert first_finding(early, early, own) == (
        "event 11",
        "is missing; so are all events to 14",
    )
    assert first_finding(early, own, early)[0] == "event 11"
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
