"""What a match is written as: events, positions, snapshots, segments, exports."""

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules_core import restore, start
from services.archive.segment import check_stream, read_index, unpack_stream
from services.audit import verify
from services.audit.format import read_event
from services.audit.page.page import export_of_page
from services.eventlog import StoredEvent, canonical_text, chain_all, genesis
from services.eventlog.packing import Packing
from services.match import EVENTS, from_log, snapshot, to_log
from services.match.match import Match
from services.match.phrases import PHRASES
from services.match.replay import replay
from tests.support.samples import SAMPLES, rows, sample


def events_of(row: dict[str, Any]) -> list[StoredEvent]:
    return [read_event(text) for text in row["events"]]


@pytest.mark.parametrize(
    "text",
    [
        *sample("events.jsonl").splitlines(),
        *sample("events-clocks.jsonl").splitlines(),
        *rows("events-casual.json"),
        *rows("events-hints.json"),
        *rows("events-ladders.json"),
        *rows("events-pie.json"),
    ],
)
def test_an_event_is_read_and_means_the_same(text: str) -> None:
    event = read_event(text)

    again = to_log(from_log(event), event.by)

    assert event.text == text
    assert (again.type, canonical_text(again.data)) == (event.type, event.data_text)


def test_there_is_a_sample_of_every_event() -> None:
    texts = [*sample("events.jsonl").splitlines(), *rows("events-hints.json")]
    recorded = {json.loads(text)["type"] for text in texts}

    assert recorded >= {event.type for event in EVENTS}


def test_packed_phrases_unpack_to_the_text_that_was_packed() -> None:
    packing = Packing(PHRASES)
    for text, packed in rows("phrases.json"):
        assert packing.unpack(packed) == text, text
        assert packing.unpack(packing.pack(text)) == text


def test_a_position_is_reached_read_and_digested_as_ever() -> None:
    """The text, the snapshot and the digest of the positions of a game."""
    for row in (*rows("positions.json"), *rows("positions-pie.json")):
        game, options, rules = row["game"], row["options"], row["rules"]
        position = start(game, options, row.get("starter"), rules)
        for move in row["moves"].split():
            position = position.play(move)
        read = restore(game, options, row["snapshot"], rules)

        for board in (position, read):
            told = board.snapshot, str(board), board.digest, board.to_move
            assert told == (row["snapshot"], row["text"], row["digest"], row["to_move"])


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{name}-{row['match']}")
        for name in ("2", "3", "4", "5", "6", "pie")
        for row in rows(f"snapshots-{name}.json")
    ],
)
def test_a_snapshot_is_the_match_that_its_events_tell(row: dict[str, Any]) -> None:
    match, version, tenant = row["match"], row["version"], row["tenant"]

    read = snapshot.from_text(match, version, tenant, row["snapshot"])

    assert read == replay(Match(match), events_of(row))


def test_a_snapshot_of_the_first_format_is_replaced_by_its_events() -> None:
    for row in rows("snapshots-1.json"):
        match, version = row["match"], row["version"]
        with pytest.raises(snapshot.Unreadable):
            snapshot.from_text(match, version, row["tenant"], row["snapshot"])

        assert replay(Match(match), events_of(row)).version == version


def check_segment(name: str) -> None:
    """Read a segment, and compare it with what was put in."""
    data = (SAMPLES / f"{name}.segment").read_bytes()
    index = read_index(name, data)
    for row in rows("segment-1.json"):
        place = index[row["match"]]
        stream = unpack_stream(data[place.offset : place.offset + place.length])
        check_stream(stream)
        told = stream.name, stream.tenant, stream.head.hash
        assert told == (row["match"], row["tenant"], row["head"])
        assert [event.text for event in stream.events] == row["events"]


@pytest.mark.parametrize("name", ["segment-1", "segment-2"])
def test_a_segment_is_read_to_the_letter(name: str) -> None:
    check_segment(name)


def test_a_page_holds_an_export_that_verifies() -> None:
    page = gzip.decompress((SAMPLES / "page-1.html.gz").read_bytes())
    export = export_of_page(page)
    assert export is not None

    verdict = verify(export)

    assert verdict.is_ok, verdict.findings
    assert verdict.events > 12


def test_the_chain_of_a_match_is_as_ever() -> None:
    assert genesis("mat_segment0") == (
        hashlib.sha256(b"seedlog/1 mat_segment0").hexdigest()
    )
    for row in rows("segment-1.json"):
        assert chain_all(genesis(row["match"]), events_of(row)) == row["head"]


def test_a_phrase_can_be_added_without_breaking_any_format() -> None:
    """The whole room again, in a process whose table of phrases has one more."""
    room = Path(__file__).parent
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-p", "tests.formats.one_more_phrase", "-k", "not phrase_can_be_added"]

    ran = subprocess.run(
        [*command, str(room)], capture_output=True, text=True, check=False,
        cwd=room.parents[1],
    )  # fmt: skip

    assert ran.returncode == 0, ran.stdout[-3000:]
