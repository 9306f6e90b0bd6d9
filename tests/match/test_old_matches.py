"""Old matches are unharmed by what changes: the form of an event, a rule of a game."""

import types
from dataclasses import replace
from typing import Any

import pytest

from rules_core import Game, catalog, find_game, start
from rules_core.games import kalah
from services.eventlog import MemoryEventLog, NewEvent, StoredEvent, with_versions
from services.match import (
    Match,
    MatchService,
    OpenMatch,
    Player,
    PlayMove,
    UnknownEvent,
    evolve,
    from_log,
)
from services.match import events as facts

HUMAN = Player(kind="human", player="ply_a")


def service_on(log: MemoryEventLog) -> MatchService:
    return MatchService(log, lambda: 1_000)


def open_kalah(service: MatchService, match_id: str) -> Match:
    seats = {"south": HUMAN, "north": HUMAN}
    command = OpenMatch(game="kalah", tenant="ten_a", seats=seats)
    return service.handle(match_id, command, by="key:k").match


# -- an event changes its form


def stored(type_: str, data: dict[str, Any]) -> StoredEvent:
    return with_versions([NewEvent(type_, "key:k", data)], 0, 1_000)[0]


def rename_user(data: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """In an older form the player was called user, and the event sat_down."""
    if "user" in data:
        data["player"] = data.pop("user")
    return "match.seat_taken", data


def test_an_event_of_an_older_form_is_read_as_one_of_today(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = stored("match.sat_down", {"seat": "south", "kind": "human", "user": "ply_a"})
    with pytest.raises(UnknownEvent, match="sat_down"):
        from_log(old)

    monkeypatch.setitem(facts.UPCASTS, "match.sat_down", rename_user)
    monkeypatch.setitem(facts.UPCASTS, "match.seat_taken", rename_user)

    today = facts.SeatTaken(seat="south", kind="human", player="ply_a")
    assert from_log(old) == today
    assert from_log(stored("match.seat_taken", old.data)) == today
    now = {"seat": "south", "kind": "human", "player": "ply_a"}
    assert from_log(stored("match.seat_taken", now)) == today


def test_an_upcast_changes_what_is_read_and_not_what_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The hash chain covers the event as it was written."""
    log = MemoryEventLog()
    match = open_kalah(service_on(log), "mat_1")
    before = log.load("mat_1")
    kept = log._streams["mat_1"]
    kept.events[1] = replace(
        kept.events[1],
        data_text='{"kind":"human","seat":"south","user":"ply_a"}',
    )
    monkeypatch.setitem(facts.UPCASTS, "match.seat_taken", rename_user)

    assert service_on(log).replay("mat_1", log.read("mat_1")) == match
    assert '"user"' in log.read("mat_1")[1].text
    assert log.load("mat_1") == before


def test_a_field_that_was_added_has_a_default() -> None:
    """The first events of Reversi told nothing of discs that were given."""
    event = from_log(
        stored("match.move_played", {"seat": "south", "move": "C", "digest": "x"})
    )

    assert event == facts.MovePlayed(seat="south", move="C", digest="x", given=0)


def test_a_field_that_is_not_known_is_refused() -> None:
    with pytest.raises(UnknownEvent, match="event 1"):
        from_log(stored("match.resigned", {"seat": "south", "why": "tired"}))


# -- a rule changes


@pytest.fixture
def five_seeds(monkeypatch: pytest.MonkeyPatch) -> str:
    """Kalah gets a second version of its rules: the eighth pit begins with nothing."""
    changed = types.ModuleType("tests.kalah_v2")
    vars(changed).update(vars(kalah), RULES="kalah/2", __name__=kalah.__name__)

    def opening(options: dict[str, Any]) -> list[int]:
        board = kalah.opening(options)
        board[0], board[1] = 0, board[0] + board[1]
        return board

    changed.opening = opening  # type: ignore[attr-defined]
    games = tuple(
        Game.of(changed) if game.key == "kalah" else game for game in catalog.GAMES
    )
    old = find_game("kalah")
    monkeypatch.setattr(catalog, "GAMES", games)
    monkeypatch.setattr(catalog, "EARLIER", (old,))
    return "kalah/2"


def test_new_matches_are_played_by_the_new_rules_and_old_ones_by_theirs(
    request: pytest.FixtureRequest,
) -> None:
    log = MemoryEventLog()
    old = open_kalah(service_on(log), "mat_old")
    moved = service_on(log).handle(
        "mat_old", PlayMove(seat="south", move="A"), by="seat"
    )
    request.getfixturevalue("five_seeds")

    service = service_on(log)
    new = open_kalah(service, "mat_new")

    assert (old.rules, new.rules) == ("kalah/1", "kalah/2")
    assert str(new.position).startswith("0,8,4,4,4,4/")
    assert service.load("mat_old") == moved.match
    assert service.replay("mat_old", log.read("mat_old")) == moved.match
    played = service.handle("mat_old", PlayMove(seat="north", move="a"), by="seat")
    assert played.match.rules == "kalah/1"
    assert played.match.position == start("kalah", None, "south", rules="kalah/1").play(
        "A"
    ).play("a")


def test_a_rules_change_without_a_new_version_is_loud(
    monkeypatch: pytest.MonkeyPatch, five_seeds: str
) -> None:
    """The digest of the first move tells: somebody forgot to count up."""
    log = MemoryEventLog()
    open_kalah(service_on(log), "mat_1")
    service_on(log).handle("mat_1", PlayMove(seat="south", move="B"), by="seat")
    forgotten = replace(catalog.EARLIER[0], rules="kalah/2")
    monkeypatch.setattr(catalog, "GAMES", (forgotten, *catalog.GAMES[1:]))

    with pytest.raises(Exception, match="recorded the position digest"):
        service_on(log).replay("mat_1", log.read("mat_1"))


def test_a_fork_is_played_by_the_rules_of_its_origin(five_seeds: str) -> None:
    old = find_game("kalah", "kalah/1")
    command = OpenMatch(game="kalah", tenant="ten_a", rules=old.rules)

    handled = service_on(MemoryEventLog()).handle("mat_1", command, by="key:k")

    assert handled.match.rules == "kalah/1"
    assert evolve(Match("mat_1"), from_log(handled.events[0]), 1_000).rules == old.rules
