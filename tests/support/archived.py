"""Matches that end and grow old, an archive for them, and backups of both."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rules_core import GAMES
from services.archive import Archive, Archiver, restore_backup, write_backup
from services.archive.damage import TellDamage
from services.eventlog import RedisEventLog
from services.eventlog.connection import Connections
from services.eventlog.library import connect_redis
from services.match import MatchService, OpenMatch, Player, PlayMove, Resign
from services.match.commands import Command

HUMAN = Player(kind="human", player="ply_0123456789abcdef")


HOUR = 3_600_000


class World:
    """A log with an archive behind it, and a clock that the test moves."""

    def __init__(self, url: str, where: str) -> None:
        self.url, self.where = url, where
        self.redis = Connections(url)
        self.now = 1_700_000_000_000
        self.archive = Archive(url, where)
        self.log = RedisEventLog(url, cold=self.archive)
        self.matches = MatchService(self.log, lambda: self.now)

    def fresh(self) -> "World":
        """Another process on the same log."""
        return World(self.url, self.where)

    def archiver(self, **settings: Any) -> Archiver:
        limits = {"archive_after_ms": HOUR, "abandon_after_ms": 10 * HOUR} | settings
        return Archiver(
            self.log, self.matches, self.archive, lambda: self.now, **limits
        )

    def act(self, match_id: str, command: Command) -> None:
        self.matches.handle(match_id, command, by="seat")

    def play(self, number: int, moves: int = 12, *, ends: bool = True) -> str:
        game = GAMES[number % len(GAMES)]
        chance, match_id = random.Random(number), f"mat_{number:06d}"
        seats = dict.fromkeys(game.seats, HUMAN)
        opening = OpenMatch(game=game.key, tenant="ten_a", seats=seats)
        match = self.matches.handle(match_id, opening, by="key:k").match
        for _ in range(moves):
            if match.to_move is None or match.position is None:
                break
            move = chance.choice(match.position.legal_moves)
            command = PlayMove(seat=match.to_move, move=move)
            match = self.matches.handle(match_id, command, by="seat").match
        if ends and not match.is_over:
            self.act(match_id, Resign(seat=game.seats[0]))
        return match_id


def fill(world: World) -> dict[str, object]:
    names = [world.play(number, ends=number % 2 == 0) for number in range(12)]
    world.now += HOUR
    world.archiver().run_once()
    names += [world.play(number, ends=False) for number in range(20, 24)]
    world.redis.call("HSET", "player:ply_x", "name", "Amara", "tenant", "ten_a")
    return {name: world.matches.load(name) for name in names}


def silent(*_: object) -> None:
    """Tell nobody."""


def none_damaged(name: str, reason: str) -> None:
    """Be told of damage where there must be none."""
    raise AssertionError(f"{name}: {reason}")


def back_up(
    world: World,
    path: Path,
    progress: Callable[[], None] = silent,
    tell_damage: TellDamage = none_damaged,
    *,
    goes_on: bool = False,
) -> int:
    redis = connect_redis(world.url)
    return write_backup(
        world.log, redis, path, progress, {}, tell_damage, goes_on=goes_on
    )


def restore(
    world: World,
    path: Path,
    progress: Callable[[], None] = silent,
    tell_damage: TellDamage = none_damaged,
) -> int:
    redis = connect_redis(world.url)
    return restore_backup(
        world.log, world.matches, redis, path, progress, silent, tell_damage
    )
