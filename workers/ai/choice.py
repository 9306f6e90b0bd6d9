"""Choose a move: deepen as far as the level allows, then leave some of it to chance."""

import math
import random
from collections.abc import Callable

from rules_core import Game, Position
from rules_core.compiled import find_compiled
from rules_core.levels import Level, latest_ladder, levels_of
from rules_core.search import WIN
from rules_core.search.book import book_moves, find_book
from rules_core.search.cancel import Cancel
from rules_core.search.thinking import Budget, Thought, think
from workers.ai.levels import TIME_S

Values = dict[str, int]
Note = Callable[[Position, Thought, float], None]
"""Hears what was thought of a position, and for how long that was to be at most."""


def choose(
    position: Position,
    level: int,
    seed: int,
    time_s: float = TIME_S,
    cancel: Cancel | None = None,
    ladder: int | None = None,
    note: Note | None = None,
) -> str:
    """Return a legal move: the same for the same position, level and seed.

    The level is one of a *ladder* of the game, or of its latest. One that opens by a
    book plays any of the moves that are equally good there, without thinking.
    A search that *time_s* cuts off knows less; it does not begin to play anything else.
    One that is *cancel*ed returns soon, and any move. *note* hears what it has found.

    :raises ValueError: when the game is over, or there is no such level.
    """
    setting = find_level(position.game, level, ladder)
    moves = position.legal_moves
    if not moves:
        raise ValueError("the game is over: there is no move to choose")
    if len(moves) == 1:
        return moves[0]
    chance = random.Random(f"{seed}/{level}")  # noqa: S311  # a game, no secret
    book = find_book(position.variant) if setting.book else None
    if book is not None and (good := book_moves(position, book)):
        return chance.choice(good)
    limits = Budget(time_s, budget(position.game, setting))
    lines = len(moves) if setting.temperature else 1
    tables = setting.tables
    thought = think(position, limits, lines=lines, cancel=cancel, everything=tables)
    if note is not None:
        note(position, thought, time_s)
    if not thought.lines:
        return chance.choice(moves)
    return draw(values_of(thought), setting.temperature, chance)


def find_level(game: Game, level: int, ladder: int | None = None) -> Level:
    """Return a level of a ladder of a game, or of its latest.

    :raises ValueError: there is no such level, or no such ladder.
    """
    levels = levels_of(game, latest_ladder(game) if ladder is None else ladder)
    if not 1 <= level <= len(levels):
        raise ValueError(f"there is no level {level}; levels: 1 to {len(levels)}")
    return levels[level - 1]


def budget(game: Game, level: Level) -> int:
    """Return how many positions a level looks at."""
    return level.plain_nodes if find_compiled(game) is None else level.nodes


def values_of(thought: Thought) -> Values:
    """Return what the moves of the lines are worth, in hundredths, the best first.

    A proven win is worth more than any promise, a proven loss less.
    """
    values: Values = {}
    for line in thought.lines:
        value = round(100 * line.value)
        if line.decided and value:
            value += WIN if value > 0 else -WIN
        values[line.moves[0]] = value
    return values


def draw(values: Values, temperature: int, chance: random.Random) -> str:
    """Return the best move, or with a temperature perhaps a worse one."""
    moves = list(values)
    if temperature == 0:
        return moves[0]
    best = max(values.values())
    weights = [math.exp((values[move] - best) / temperature) for move in moves]
    return chance.choices(moves, weights)[0]
