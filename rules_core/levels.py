"""How strong computer players play a game: its levels, the weakest first.

The levels of a game that belong together are a ladder, and ladders have numbers. The
first one is the same for every game: budgets that grow, whatever they are worth.
Later ones were fitted to one game by a tournament (`seedlog calibrate`), so that a step
is worth about as much as the next; they stand in `levels.json`. A match keeps the
ladder it began with, so what stands there never changes: new levels are a new ladder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from rules_core.errors import RulesError
from rules_core.game import Game
from rules_core.messages import Message

FILE, FORMAT = Path(__file__).with_name("levels.json"), "seedlog-levels 1"
FIRST = 1
"""The ladder of a match that names none, and of games that have no other."""

TRIED_OUT = 3
"""In games whose moves must be tried to know whether they are legal (G8), a position
costs several times as much: levels of the first ladder look at a third of them."""

PLAIN_NODES = 14_000
"""What is not compiled looks at no more positions, or a move would take too long."""


@dataclass(frozen=True, slots=True)
class Level:
    """A budget of positions, and a temperature in hundredths of a seed or disc.

    At temperature 0 the best move is played; above it, a move worse by one temperature
    is e times as rare. ``plain_nodes`` is the budget where the game is not compiled.
    ``tables``: it looks up endings that were worked out before, where they are at hand.
    ``book``: it opens by the book of its game, if there is one. The strongest of a
    game's own ladder does; of a game that has none, the strongest of the first. That
    is no new ladder: everything there is was promised to this level, which is as strong
    with a book or stronger, as with tables; all others play on to the letter.
    ``elo``: by how much it is stronger than the weakest, with half of the interval in
    which that lies at 95 % as its ``error``; None where nobody has measured it.
    ``games``: so many were played with the level below it.
    """

    nodes: int
    plain_nodes: int
    temperature: int
    tables: bool = False
    book: bool = False
    elo: int | None = None
    error: int | None = None
    games: int = 0


OF_EVERY_GAME = (
    Level(40, 40, 500),
    Level(80, 80, 250),
    Level(200, 160, 120),
    Level(1_000, 400, 60),
    Level(5_000, 1_000, 20),
    Level(30_000, 2_500, 0),
    Level(200_000, 6_000, 0),
    Level(1_500_000, 14_000, 0),
)


class NoSuchLadder(RulesError):
    """A game has no such ladder, or none in this version of the program."""

    def __init__(self, rules: str, ladder: int) -> None:
        """Keep what was asked for."""
        super().__init__(
            Message(
                "no ladder {ladder} of levels is known of {rules}",
                ladder=ladder,
                rules=rules,
            )
        )


def latest_ladder(game: Game) -> int:
    """Return the number of the ladder that new matches of a game begin with."""
    return max(_fitted().get(game.rules, {}), default=FIRST)


def levels_of(game: Game, ladder: int) -> Sequence[Level]:
    """Return the levels of a ladder of a game; the first of them is level 1.

    :raises NoSuchLadder: there is none of that number.
    """
    if ladder == FIRST:
        is_only = latest_ladder(game) == FIRST
        return _shared(
            is_tried_out=game.engine.work > game.engine.size, is_only=is_only
        )
    try:
        return _fitted()[game.rules][ladder]
    except KeyError:
        raise NoSuchLadder(game.rules, ladder) from None


def most_levels() -> int:
    """Return how many levels the games have that have most."""
    latest = [ladders[max(ladders)] for ladders in _fitted().values()]
    return max(map(len, [OF_EVERY_GAME, *latest]))


@cache
def _shared(*, is_tried_out: bool, is_only: bool) -> Sequence[Level]:
    *lower, strongest = OF_EVERY_GAME
    levels = (*lower, replace(strongest, book=is_only))
    if not is_tried_out:
        return levels
    return tuple(
        replace(
            level,
            nodes=level.nodes // TRIED_OUT,
            plain_nodes=level.plain_nodes // TRIED_OUT,
        )
        for level in levels
    )


@cache
def _fitted() -> Mapping[str, Mapping[int, Sequence[Level]]]:
    """Return the ladders of `levels.json` by rules and number."""
    told = json.loads(FILE.read_text("utf-8"))
    if told["format"] != FORMAT:
        raise ValueError(f"levels.json is of format {told['format']}, not {FORMAT}")
    return {
        rules: {
            int(number): tuple(map(_level, ladder))
            for number, ladder in ladders.items()
        }
        for rules, ladders in told["ladders"].items()
    }


def _level(told: Mapping[str, Any]) -> Level:
    nodes, has_everything = told["nodes"], told.get("tables", False)
    return Level(
        nodes,
        min(nodes, PLAIN_NODES),
        told["temperature"],
        tables=has_everything,
        book=has_everything,
        elo=told.get("elo"),
        error=told.get("error"),
        games=told.get("games", 0),
    )
