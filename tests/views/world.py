"""A log with a clock, and a view of it."""

import random

from rules_core import GAMES
from services.eventlog import RedisEventLog
from services.eventlog.connection import Connections
from services.match import Match, MatchService, OpenMatch, Player, PlayMove
from services.views import MatchList, Projector

HUMAN = Player(kind="human", player="ply_a")


class World:
    """A log on a Redis with a service, and a view of it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.redis = Connections(url)
        self.redis.call("FLUSHALL")
        self.log = RedisEventLog(url)
        self.matches = MatchService(self.log, lambda: 1_700_000_000_000)
        self.view = MatchList(url)

    def projector(self) -> Projector:
        projector = Projector(self.log, self.view)
        projector.begin()
        return projector

    def play(self, count: int, moves: int, seed: int = 1) -> None:
        """Open matches of all games and play some random moves in each."""
        chance = random.Random(seed)
        for number in range(count):
            game = GAMES[number % len(GAMES)]
            match_id = f"mat_{seed}x{number}"
            seats = dict.fromkeys(game.seats, HUMAN)
            opening = OpenMatch(game=game.key, tenant="ten_a", seats=seats)
            match = self.matches.handle(match_id, opening, by="key:k").match
            for _ in range(moves):
                match = self.move(match, chance)

    def move(self, match: Match, chance: random.Random) -> Match:
        if not match.to_move or match.position is None:
            return match
        move = chance.choice(match.position.legal_moves)
        command = PlayMove(seat=match.to_move, move=move)
        return self.matches.handle(match.id, command, by="seat").match


def drain(projector: Projector) -> None:
    while projector.run_once():
        pass
