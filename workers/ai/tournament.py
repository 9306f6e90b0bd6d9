"""Games between two levels, and how far apart in Elo they are.

Each opening is played twice with seats changed, and the pair is what is counted: what
an opening gives to one seat, it gives to both levels.
"""

import itertools
import math
import random
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rules_core import Game, Position, find_game, start
from workers.ai.choice import choose

OPENING_PLIES = 4
"""So many moves are drawn by lot, for a search alone plays the same game always."""

MOST_PLIES = 1_000
"""A longer game is a draw."""

BOUNDED = {"max_rounds": 3}
"""What is set in games that have such an option: without it they may have no end."""

SURE = 1.96
"""Of twenty intervals so many standard errors wide, nineteen hold what they are for."""

ELO_AT_MOST = 800.0


@dataclass(frozen=True, slots=True)
class Played:
    """Where a game is: its moves after the opening; and its points, when it is over."""

    moves: tuple[str, ...]
    points: float | None


@dataclass(frozen=True, slots=True)
class Step:
    """How a level did against the one below it.

    ``scores`` are those of pairs of games, each from 0 to 2.
    """

    lower: int
    upper: int
    scores: tuple[float, ...]

    @property
    def share(self) -> float:
        """Return the part of all points that the upper level won, from 0 to 1."""
        return sum(self.scores) / (2 * len(self.scores))

    @property
    def elo(self) -> float:
        """Return by how much the upper level is stronger."""
        return elo_of(_held_in(self.share, len(self.scores)))

    @property
    def error(self) -> float:
        """Return half of the interval in which the difference lies at 95 %.

        The scores of pairs say how far they scatter; that all are the same does not
        say that they do not, so they count with a draw pair more.
        """
        pairs = [*(score / 2 for score in self.scores), 0.5]
        deviation = statistics.stdev(pairs) / math.sqrt(len(pairs))
        share = _held_in(self.share, len(self.scores))
        return SURE * deviation * 400 / math.log(10) / (share * (1 - share))


@dataclass(frozen=True, slots=True)
class Bout:
    """One game of a tournament: which game, which levels, which opening, who begins.

    ``is_changed``: the upper level sits where the lower one sat before.
    """

    game: str
    rules: str
    ladder: int
    lower: int
    upper: int
    seed: int
    is_changed: bool

    @property
    def levels(self) -> Mapping[str, int]:
        """Return the level of each seat."""
        seats = find_game(self.game, self.rules).seats
        seated = (self.lower, self.upper)
        return dict(
            zip(seats, seated[::-1] if self.is_changed else seated, strict=True)
        )

    def points(self, winner: str | None) -> float:
        """Return what the upper level gets: 1, a half or nothing."""
        return 0.5 if winner is None else float(self.levels[winner] == self.upper)


def pairs(
    game: Game, ladder: int, levels: Sequence[int], openings: Iterable[int]
) -> list[Bout]:
    """Return the games of a tournament in which each level meets the one above it."""
    return [
        Bout(game.key, game.rules, ladder, lower, upper, seed, is_changed)
        for seed in openings
        for lower, upper in itertools.pairwise(levels)
        for is_changed in (False, True)
    ]


def play(bout: Bout, moves: Sequence[str] = (), for_s: float = math.inf) -> Played:
    """Play a game on from where its *moves* led, for so long; a move is finished."""
    until, played = time.monotonic() + for_s, list(moves)
    position = opening(find_game(bout.game, bout.rules), bout.seed)
    for move in played:
        position = position.play(move)
    while position.outcome is None and len(played) < MOST_PLIES:
        if time.monotonic() >= until:
            return Played(tuple(played), None)
        level = bout.levels[str(position.to_move)]
        seed = bout.seed * MOST_PLIES + len(played)
        move = choose(position, level, seed, ladder=bout.ladder)
        played.append(move)
        position = position.play(move)
    outcome = position.outcome
    return Played(tuple(played), bout.points(outcome.winner if outcome else None))


def steps_of(scores: Mapping[Bout, float]) -> list[Step]:
    """Return the steps of a ladder from the points of its games; pairs count."""
    by_step: dict[tuple[int, int], list[float]] = {}
    for bout, points in scores.items():
        other = replace(bout, is_changed=not bout.is_changed)
        if not bout.is_changed and other in scores:
            pair = by_step.setdefault((bout.lower, bout.upper), [])
            pair.append(points + scores[other])
    return [Step(*two, tuple(pair)) for two, pair in sorted(by_step.items())]


def opening(game: Game, seed: int) -> Position:
    """Return a position after some moves that are drawn by lot."""
    chance = random.Random(f"opening {seed}")  # noqa: S311  # a game, no secret
    named = {spec.name for spec in game.options}
    options = {name: value for name, value in BOUNDED.items() if name in named}
    position = start(game.key, options, rules=game.rules)
    for _ in range(OPENING_PLIES):
        if position.outcome is None:
            position = position.play(chance.choice(position.legal_moves))
    return position


def elo_of(share: float) -> float:
    """Return the difference of strength at which somebody wins that share of points."""
    elo = 400 * math.log10(share / (1 - share))
    return max(-ELO_AT_MOST, min(ELO_AT_MOST, elo))


def _held_in(share: float, pairs: int) -> float:
    """Return a share that a draw pair more keeps away from all and nothing."""
    return (share * pairs + 0.5) / (pairs + 1)


def ladder(steps: Iterable[Step]) -> list[tuple[int, float, float]]:
    """Return level, Elo above the weakest and the error of it, for every level."""
    rungs: list[tuple[int, float, float]] = []
    for step in steps:
        if not rungs:
            rungs.append((step.lower, 0.0, 0.0))
        _, elo, error = rungs[-1]
        rungs.append((step.upper, elo + step.elo, math.hypot(error, step.error)))
    return rungs


def table(steps: Sequence[Step]) -> str:
    """Return the ladder as it is read, with the score against the level below."""
    lines = ["level    elo      ±   against the level below"]
    for (level, elo, error), step in zip(ladder(steps), (None, *steps), strict=True):
        told = (
            "" if step is None else f"{step.share:7.0%} of {2 * len(step.scores)} games"
        )
        lines.append(f"{level:5} {elo:6.0f} {error:6.0f}   {told}".rstrip())
    return "\n".join(lines)
