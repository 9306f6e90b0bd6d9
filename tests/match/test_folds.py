"""Folds tell what the events of matches say, and replay no more than they have to."""

import itertools

from structlog.testing import capture_logs

from services.eventlog import (
    MemoryEventLog,
    NewEvent,
    Note,
    StoredEvent,
    chain_all,
    genesis,
    with_versions,
)
from services.match import Folds, MatchService, OfferDraw, OpenMatch, Player
from services.match.commands import Answer

HUMAN = Player(kind="human", player="ply_a")


class CountingLog(MemoryEventLog):
    """A log that counts the events that were read from it."""

    taken = 0

    def read(
        self, stream: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        events = super().read(stream, after, limit)
        self.taken += len(events)
        return events

    def take_count(self) -> int:
        taken, self.taken = self.taken, 0
        return taken


class World:
    """A log with matches that talk, and folds of them."""

    def __init__(self, limit: int = 100) -> None:
        clock = itertools.count(1_000)
        self.log = CountingLog()
        self.matches = MatchService(self.log, lambda: next(clock))
        self.folds = Folds(self.log, limit)

    def open_match(self, name: str, talk: int = 0) -> None:
        seats = {"south": HUMAN, "north": HUMAN}
        opening = OpenMatch(game="kalah", tenant="ten_a", seats=seats)
        self.matches.handle(name, opening, by="key:k")
        for _ in range(talk // 2):
            self.matches.handle(name, OfferDraw(seat="south"), by="seat")
            answer = Answer(seat="north", kind="draw", accept=False)
            self.matches.handle(name, answer, by="seat")
        self.log.take_count()

    def spoil(self, name: str) -> None:
        """Record a move whose digest the rules do not give."""
        state = self.log.load(name)
        assert state is not None
        data = {"digest": "0" * 12, "move": "C", "seat": "south"}
        move = NewEvent("match.move_played", "seat", data)
        events = with_versions([move], state.head.version, 2_000)
        note = Note(state.snapshot, state.tenant)
        self.log.append(name, state.head, events, note)


def test_a_match_is_read_once_for_all_that_is_asked_of_it() -> None:
    world = World()
    world.open_match("mat_1", talk=20)

    told = world.folds.replay("mat_1", {5, 9, 20})

    assert sorted(told) == [5, 9, 20]
    assert world.log.take_count() == 20
    events = world.log.read("mat_1")
    for version, replayed in told.items():
        assert replayed.event == events[version - 1]
        assert replayed.hash == chain_all(genesis("mat_1"), events[:version])
        assert replayed.match == world.matches.load_at("mat_1", version)


def test_what_comes_next_costs_one_step() -> None:
    world = World()
    world.open_match("mat_1", talk=20)
    world.folds.replay("mat_1", {20})
    assert world.log.take_count() == 20

    assert world.folds.steps_to("mat_1", 21) == 1
    told = world.folds.replay("mat_1", {21})

    assert world.log.take_count() == 1
    hash_ = chain_all(genesis("mat_1"), world.log.read("mat_1", 0, 21))
    assert told[21].hash == hash_


def test_looking_back_costs_a_replay_and_forgets_nothing() -> None:
    world = World()
    world.open_match("mat_1", talk=20)
    world.folds.replay("mat_1", {20})

    assert world.folds.steps_to("mat_1", 20) == 20
    assert world.folds.steps_to("mat_1", 3) == 3
    world.folds.replay("mat_1", {3})

    assert world.folds.steps_to("mat_1", 21) == 1


def test_only_so_many_matches_are_remembered() -> None:
    """Those that were asked for last."""
    world = World(limit=2)
    for name in ("mat_1", "mat_2", "mat_3"):
        world.open_match(name, talk=2)
        world.folds.replay("mat_1", {3 if name == "mat_1" else 4})
        world.folds.replay(name, {4})

    steps = {n: world.folds.steps_to(n, 5) for n in ("mat_1", "mat_2", "mat_3")}

    assert steps == {"mat_1": 1, "mat_2": 5, "mat_3": 1}


def test_what_cannot_be_replayed_is_told_by_its_hash_and_said_aloud() -> None:
    """So is what follows; the events before it are told in full."""
    world = World()
    world.open_match("mat_1")
    world.spoil("mat_1")
    world.spoil("mat_1")

    for _ in range(2):
        with capture_logs() as said:
            told = world.folds.replay("mat_1", {3, 4, 5})

        assert told[3].match is not None
        assert (told[4].match, told[5].match) == (None, None)
        events = world.log.read("mat_1")
        assert told[5].hash == chain_all(genesis("mat_1"), events)
        assert said == [
            {
                "event": "event cannot be replayed",
                "match": "mat_1",
                "version": 4,
                "log_level": "error",
                "exc_info": True,
            }
        ]
