"""What is kept of rated games, and how standings follow from them. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from services.views.glicko import Rating, rate
from services.views.results import Pool, Result

WON, DRAWN = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a player of a pool after some game."""

    rating: Rating = Rating()  # noqa: RUF009 - it never changes
    won: int = 0
    drawn: int = 0
    lost: int = 0

    def after(self, other: "Standing", score: float, at_ms: int) -> "Standing":
        """Return the standing after another game; *other* is that of the opponent."""
        return Standing(
            rate(self.rating, other.rating, score, at_ms),
            self.won + (score == WON),
            self.drawn + (score == DRAWN),
            self.lost + (score not in (WON, DRAWN)),
        )

    @property
    def text(self) -> str:
        """Return the standing as it is kept: every digit of its numbers."""
        known = self.rating
        told = [known.rating, known.rd, known.volatility, known.at_ms]
        return orjson.dumps([*told, self.won, self.drawn, self.lost]).decode()


NEW = Standing()


def read_standing(text: str) -> Standing:
    """Return a standing that was kept."""
    rating, rd, volatility, at_ms, won, drawn, lost = orjson.loads(text)
    return Standing(Rating(rating, rd, volatility, at_ms), won, drawn, lost)


class Played(NamedTuple):
    """A match that is over; if it was rated and counted, how both stood then."""

    result: Result
    before: tuple[Standing, ...] = ()
    after: tuple[Standing, ...] = ()

    @property
    def place(self) -> str:
        """Return what gives it its place among others: when it ended, then its id."""
        return f"{self.result.at_ms:015d}:{self.result.match_id}"

    @property
    def text(self) -> str:
        """Return what is kept of it."""
        match_id, pool, *facts = self.result
        stood = [[standing.text for standing in side] for side in self[1:]]
        return orjson.dumps([match_id, [*pool], *facts, *stood]).decode()


def read_played(text: str) -> Played:
    """Return a match as it was kept."""
    match_id, pool, at_ms, players, score, is_rated, before, after = orjson.loads(text)
    result = Result(match_id, Pool(*pool), at_ms, tuple(players), score, is_rated)
    stood = (tuple(read_standing(text) for text in side) for side in (before, after))
    return Played(result, *stood)


def players_of(games: Iterable[Played]) -> Sequence[str]:
    """Return everybody who played."""
    return list(dict.fromkeys(who for game in games for who in game.result.players))


def count(
    games: Sequence[Played], stood: Mapping[str, Standing]
) -> tuple[list[Played], dict[str, Standing]]:
    """Return games of a pool, counted in order, and how their players stand then.

    *stood* is how they stood before; who is not there, had not played.
    """
    standing = {player: stood.get(player, NEW) for player in players_of(games)}
    counted = []
    for game in games:
        one, other = game.result.players
        score, at_ms = game.result.score, game.result.at_ms
        before = (standing[one], standing[other])
        after = (
            before[0].after(before[1], score, at_ms),
            before[1].after(before[0], 1 - score, at_ms),
        )
        standing |= {one: after[0], other: after[1]}
        counted.append(Played(game.result, before, after))
    return counted, standing
