"""Matches of every game with random acts, and their exports, for the tests."""

import itertools
import random
from contextlib import suppress
from pathlib import Path

import pytest

from rules_core import GAMES, Game, find_game
from services.audit import SigningKeys, export_lines
from services.audit.export import PlayerName
from services.audit.signing_keys import SigningKey
from services.eventlog import MemoryEventLog
from services.match import (
    Abandon,
    Abort,
    Answer,
    Command,
    GuessFist,
    Match,
    MatchService,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    RequestTakeback,
    Resign,
    TakeHint,
    TakeSeat,
    fist_commitment,
)
from services.match.refusals import MatchOver, Refused

PRIVATE = "5eed" * 16
OTHER_PRIVATE = "0dd5eed0" * 8
AT = "2026-11-21T12:00:00.000Z"
BEGAN_MS = 1_795_255_200_000
MATCH_ID = "mat_audited"


def signing_key(private: str = PRIVATE) -> SigningKey:
    """Return a key that is the same every time."""
    return SigningKeys(Path(), private, lambda: 0).current()[0]


class Table:
    """One match on a log in memory, at which anything may happen that is allowed."""

    def __init__(self, game: Game, chance: random.Random, name: str = MATCH_ID) -> None:
        self.game, self.chance, self.id = game, chance, name
        ticks = itertools.count(3 * BEGAN_MS, 7)
        self.later_ms = 0
        self.log = MemoryEventLog()
        self.service = MatchService(self.log, lambda: next(ticks) // 3 + self.later_ms)

    @property
    def match(self) -> Match:
        return self.service.load(self.id)

    def act(self, command: Command, by: str) -> None:
        self.service.handle(self.id, command, by=by)

    def player(self, *, human: bool = False) -> Player:
        if human or self.chance.random() < 0.7:
            return Player(kind="human", player=f"ply_{self.chance.randrange(10**6)}")
        return Player(kind="ai", level=self.chance.randint(1, 8), ladder=1)

    def open(self, **fields: object) -> None:
        """Open the match in one of the ways there are, and fill its seats."""
        chance = self.chance
        first, second = self.game.seats
        starter = chance.choice([*self.game.starters, "random", "fist"])
        if len(self.game.starters) == 1:
            starter = self.game.starters[0]
        taken = chance.choice([(first, second), (first,), (second,), ()])
        human = starter == "fist"
        seats = {seat: self.player(human=human) for seat in taken}
        opening = OpenMatch(
            game=self.game.key,
            tenant="ten_a",
            commitment=fist_commitment("left", "hidden"),
            drawn=chance.randrange(2),
            **{"starter": starter, "seats": seats, **fields},  # type: ignore[arg-type]
        )
        self.act(opening, "key:abc")
        while not self.match.is_over and (free := self.match.free_seats):
            seat = chance.choice(free)
            self.act(TakeSeat(who=self.player(human=human), seat=seat), "key:abc")
        if guesser := self.match.guesser:
            guess = chance.choice(["left", "right"])
            self.act(
                GuessFist(seat=guesser, guess=guess, fist="left", secret="hidden"),
                "seat",
            )

    def step(self) -> None:
        """Let one thing happen, most often a move; what is refused did not happen."""
        match, chance = self.match, self.chance
        position, seat = match.position, chance.choice(self.game.seats)
        who = match.seats[seat]
        by = chance.choice(["seat", "key:abc"])
        if chance.random() < 0.75:
            assert position is not None
            mover = str(match.to_move)
            move = chance.choice(position.legal_moves)
            mind = match.seats[mover]
            failed = 0
            if mind is not None and mind.kind == "ai":
                failed = 3 if chance.random() < 0.1 else 0
                by = "ai:1" if failed else f"ai:{mind.level}"
            with suppress(MatchOver):  # its time has run out
                self.act(PlayMove(seat=mover, move=move, failed=failed), by)
            return
        if who is None or who.kind == "ai":
            return
        version = chance.randint(1, match.version)
        others: list[Command] = [
            OfferDraw(seat=seat),
            RequestTakeback(seat=seat, to_version=version),
            RequestTakeback(seat=seat, to_version=max(1, match.version - 2)),
        ]
        others += [
            Answer(seat=seat, kind=kind, accept=accept)
            for kind, accept in (
                ("draw", False),
                ("draw", False),
                ("takeback", True),
                ("takeback", False),
            )
        ]
        if match.hints and chance.random() < 0.4:
            others = [TakeHint(seat=seat)]
        if chance.random() < 0.05:
            others = [Resign(seat=seat), Answer(seat=seat, kind="draw", accept=True)]
        if chance.random() < 0.1:
            others, by = [RenewSeatToken(seat=seat)], "key:abc"
        if match.ply == 0 and chance.random() < 0.1:
            others = [Abort()]
        if chance.random() < 0.02:
            others, by = [Abandon()], "server"
        try:
            self.act(chance.choice(others), by)
        except Refused:
            return

    def play(self, steps: int) -> "Table":
        """Play so many steps, or until the match is over."""
        for _ in range(steps):
            if self.match.is_over:
                break
            if self.match.clock is not None:
                pauses_ms = (0, 40, 900, 2_000, 9_000) * 5 + (61_000,)
                self.later_ms += self.chance.choice(pauses_ms)
            self.step()
        return self

    def fork(self, name: str) -> "Table":
        """Return a match that begins from the position that this one has now."""
        match = self.match
        assert match.position is not None
        forked = Table(self.game, self.chance, name)
        origin = {"match": self.id, "version": match.version, "hash": "0" * 64}
        forked.open(
            snapshot=match.position.snapshot,
            origin=origin,
            options=dict(match.options),
            rules=match.rules,
        )
        return forked

    def export(self, key: SigningKey | None = None) -> bytes:
        """Return the export of the match, signed."""
        match = self.match
        players = {
            who.player: PlayerName("Amara \N{SEEDLING}")
            for who in match.seats.values()
            if who and who.player
        }
        lines = export_lines(
            match.id,
            match.rules,
            self.log.read(self.id),
            players,
            key or signing_key(),
            AT,
        )
        return "".join(lines).encode()


CLOCKS: tuple[dict[str, int], ...] = (
    {"initial_s": 30, "increment_s": 1},
    {"initial_s": 300, "delay_s": 5},
    {"initial_s": 9, "increment_s": 0},
    {"days_per_move": 1},
)


def random_table(
    chance: random.Random,
    game: Game | None = None,
    *,
    clocks: bool = False,
    hints: bool = False,
) -> Table:
    """Return a match with random acts; one in eight is a fork of another.

    With *clocks*, it has one of those that are tried; with *hints*, some are taken.
    """
    game = game or chance.choice(GAMES)
    table = Table(game, chance)
    fields: dict[str, object] = {"clock": chance.choice(CLOCKS)} if clocks else {}
    table.open(**fields, **({"hints": True} if hints else {}))
    table.play(chance.choice([0, 3, 20, 60, 400]))
    if chance.random() < 0.125 and not table.match.is_aborted:
        forked = table.fork("mat_forked")
        return forked if forked.match.is_over else forked.play(20)
    return table


def ended_table() -> Table:
    """Return a match that two humans have played to its end by the rules."""
    table = Table(GAMES[0], random.Random(5))
    human = table.player(human=True)
    table.open(starter="south", seats={"south": human, "north": human})
    return play_at_random(table)


def passing_table() -> Table:
    """Return a match in which a seat had to pass."""
    for seed in range(50):
        table = Table(find_game("reversi"), random.Random(seed))
        human = table.player(human=True)
        table.open(seats={"black": human, "white": human}, starter="black")
        play_at_random(table)
        if any(event.type == "match.turn_passed" for event in table.log.read(table.id)):
            return table
    pytest.fail("nobody had to pass")


def long_table(moves: int) -> Table:
    """Return a match of so many moves: Nam Nam can go on for long."""
    game = find_game("oware-nam-nam")
    for seed in range(20):
        table = Table(game, random.Random(seed))
        human = table.player(human=True)
        table.open(starter="south", seats={"south": human, "north": human})
        if play_at_random(table, moves).match.ply == moves:
            return table
    pytest.fail("every match was over before")


def play_at_random(table: Table, moves: int = 10_000) -> Table:
    """Play so many moves, or until the match is over."""
    while table.match.ply < moves and (seat := table.match.to_move):
        assert table.match.position is not None
        move = table.chance.choice(table.match.position.legal_moves)
        table.act(PlayMove(seat=seat, move=move), "seat")
    return table


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
