"""What cannot have happened, put into an export and signed as if it were honest."""

import json
from collections.abc import Callable
from typing import Any

from rules_core import start
from services.audit import export_lines
from services.audit.export import PlayerName
from services.audit.format import read_time
from services.eventlog import StoredEvent, canonical_text
from services.match.events import SeatTaken
from tests.support.tables import AT, MATCH_ID, Table, played_table, signing_key

Event = dict[str, Any]


Forge = Callable[[list[Event]], object]


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
    ("another starter", put(1, starter="west"), 1, 'starter is "west"'),
    ("unknown member", put(1, colour="red"), 1, "colour"),
    ("an opening by a seat", say(1, by="seat"), 1, "cannot open"),
    ("no opening", drop(1), 1, "begins with match.opened"),
    ("opened twice", lambda e: e.insert(3, dict(e[0])), 4, "once"),
    ("an event nobody knows", say(2, type="match.danced"), 2, "match.danced"),
    ("a member nobody knows", put(3, hat="red"), 3, "hat"),
    ("seat taken twice", put(3, seat="south"), 3, "is taken"),
    ("no such seat", put(3, seat="east"), 3, "east"),
    ("a human without reference", put(3, player=""), 3, "human with a reference"),
    ("an AI of no level", put(3, kind="ai", player="", level=9), 3, "no level 9"),
    ("seat nobody took", drop(3), 3, "every seat is taken"),
    ("another move", put(4, move="B"), 4, "digest is"),
    ("an illegal move", put(4, move="a"), 4, "not legal"),
    ("no move at all", put(4, move="Z9"), 4, "not legal"),
    ("a move that is no text", put(4, move=3), 4, "move cannot be 3"),
    ("out of turn", put(6, seat="south"), 6, "north is to move"),
    ("another digest", put(5, digest="0" * 12), 5, 'digest is "000000000000"'),
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
    ("another winner", put(14, winner="north"), 14, 'winner is "north"'),
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
