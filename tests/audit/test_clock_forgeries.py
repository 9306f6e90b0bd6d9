"""Forged times: a flag that did not fall, or fell and was passed over, is found."""

import json
import random
from typing import Any

import pytest

from rules_core import find_game
from services.audit import verify
from services.eventlog.event import format_time
from services.match import Abort, PlayMove
from tests.audit.forgeries import Event, Forge, drop, insert, put, say, sign_again
from tests.support.tables import Table, random_table, signing_key

KEYS = {signing_key().public.id: signing_key().public}
CONTROL = {"initial_s": 20, "increment_s": 1}


def flagged_table(control: dict[str, int] | None = None, moves: str = "AaCc") -> Table:
    """Return a match with a second between its moves, whose time then runs out."""
    table = Table(find_game("kalah"), random.Random(0))
    human = table.player(human=True)
    seats = {"south": human, "north": human}
    table.open(starter="south", seats=seats, clock=control or CONTROL)
    for move in moves:
        table.later_ms += 1_000
        table.act(PlayMove(seat=str(table.match.to_move), move=move), "seat")
    table.later_ms += 100_000
    assert table.service.call_time(table.id)
    return table


def told(table: Table) -> list[Event]:
    return [json.loads(event.text) for event in table.log.read(table.id)]


def shift(place: int, ms: int) -> Forge:
    """Return what dates an event and all after it by so much earlier or later."""

    def forge(events: list[Event]) -> None:
        table_times = flagged_table().log.read("mat_audited")
        for event, stored in zip(events, table_times, strict=True):
            if stored.version >= place:
                event["at"] = format_time(stored.at_ms + ms)

    return forge


def slow_move(at: int) -> Forge:
    """Return what has a move take longer than its seat had, and the rest follow."""
    return shift(at, 60_000)


# what, change, the event that is named, and words of the reason
# fmt: off
FORGED: list[tuple[str, Forge, int, str]] = [
    ("the flag a millisecond early", shift(8, -1), 8, "due: time of"),
    ("the flag a millisecond late", shift(8, 1), 8, "due: time of"),
    ("the other has won", put(8, winner="south"), 8, 'winner is "south"'),
    ("nobody has won", put(8, winner=None), 8, "winner is null"),
    ("called by a seat", say(8, by="seat"), 8, "cannot end a match like that"),
    ("called off instead", say(8, type="match.aborted", data={"reason": "no-show"}), 8,
        "is match.aborted"),
    ("more time from the beginning", put(1, clock={"initial_s": 21, "increment_s": 1}),
        8, "no time runs out then"),
    ("no clock at all", lambda e: e[0]["data"].pop("clock"), 8, "due: nothing"),
    ("a clock of two kinds", put(1, clock={**CONTROL, "delay_s": 1}), 1, "should be"),
    ("a clock that is null", put(1, clock=None), 1, "clock is null"),
    ("a plain move after the flag", slow_move(6), 6, "the time of south ran out by"),
    ("a first move after the flag", slow_move(4), 4, "the time of south ran out by"),
    ("a move that took less", shift(6, -900), 8, "no time runs out then"),
    ("an act instead of the flag",
        lambda e: e[7].update(type="match.resigned", by="seat", data={"seat": "south"}),
        8, "the time of south ran out by"),
]
# fmt: on


@pytest.mark.parametrize(
    ("forge", "version", "words"),
    [case[1:] for case in FORGED],
    ids=[case[0] for case in FORGED],
)
def test_a_forged_time_is_found(forge: Forge, version: int, words: str) -> None:
    table = flagged_table()
    events = told(table)
    assert verify(table.export(), KEYS).is_ok
    forge(events)

    [finding, *_] = verify(sign_again(table, events), KEYS).findings

    assert (finding.version, words in finding.reason) == (version, True), str(finding)


def test_a_flag_that_is_left_out_is_proved_by_whatever_follows() -> None:
    """Nothing that comes after it, by whom ever, fits without it."""
    table = flagged_table()
    late = table.log.read(table.id)[-1].at_ms + 5
    for kind, by, data in (
        ("match.resigned", "seat", {"seat": "north"}),
        ("match.draw_offered", "seat", {"seat": "north"}),
        ("match.aborted", "server", {}),
        ("match.seat_token_renewed", "key:abc", {"seat": "north", "generation": 2}),
    ):
        events: list[Any] = told(table)
        drop(8)(events)
        insert(8, kind, by, **data)(events)
        events[7]["at"] = format_time(late)

        [finding, *_] = verify(sign_again(table, events), KEYS).findings

        assert finding.version == 8
        assert "ran out by" in finding.reason


def test_a_no_show_is_proved_like_a_flag() -> None:
    table = flagged_table({"initial_s": 600, "increment_s": 0}, moves="A")
    events = told(table)
    assert events[-1]["data"] == {"reason": "no-show"}
    assert verify(table.export(), KEYS).is_ok
    events[-1]["at"] = format_time(table.log.read(table.id)[-1].at_ms - 1)

    [finding] = verify(sign_again(table, events), KEYS).findings

    assert "due: no-show of north" in finding.reason


def test_random_matches_with_clocks_hold_and_end_in_every_way() -> None:
    ends = set()
    for seed in range(60):
        table = random_table(random.Random(f"clocks {seed}"), clocks=True)
        verdict = verify(table.export(), KEYS)
        assert verdict.is_ok, verdict.findings
        match = table.match
        ends.add(match.outcome.reason if match.outcome else match.aborted_for)

    assert ends >= {"time", "resignation", "abandoned"}


def test_who_may_call_off_is_not_asked_of_a_seat_without_a_name() -> None:
    """The event does not say which seat asked: one that has not moved may have."""
    table = Table(find_game("kalah"), random.Random(0))
    human = table.player(human=True)
    table.open(starter="south", seats={"south": human, "north": human}, clock=CONTROL)
    table.act(PlayMove(seat="south", move="A"), "seat")
    table.act(Abort(seat="north"), "seat")
    assert verify(table.export(), KEYS).is_ok
