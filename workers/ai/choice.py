"""Choose a move: deepen as far as the level allows, then leave some of it to chance."""

import math
import random

from rules_core import Game, Position
from rules_core.compiled import find_compiled
from rules_core.search import WIN
from rules_core.search.cancel import Cancel
from rules_core.search.thinking import Budget, Thought, think
from workers.ai.levels import LEVELS, TIME_S, TRIED_OUT

Values = dict[str, int]


def choose(
    position: Position,
    level: int,
    seed: int,
    time_s: float = TIME_S,
    cancel: Cancel | None = None,
) -> str:
    """Return a legal move: the same for the same position, level and seed.

    A search that *time_s* cuts off knows less; it does not begin to play anything else.
    One that is *cancel*ed returns soon, and any move.

    :raises ValueError: when the game is over, or there is no such level.
    """
    if level not in LEVELS:
        raise ValueError(f"there is no level {level}; levels: 1 to {len(LEVELS)}")
    moves = position.legal_moves
    if not moves:
        raise ValueError("the game is over: there is no move to choose")
    if len(moves) == 1:
        return moves[0]
    setting = LEVELS[level]
    chance = random.Random(f"{seed}/{level}")  # noqa: S311  # a game, no secret
    limits = Budget(time_s, budget(position.game, level))
    lines = len(moves) if setting.temperature else 1
    thought = think(position, limits, lines=lines, cancel=cancel, endings=False)
    if not thought.lines:
        return chance.choice(moves)
    return draw(values_of(thought), setting.temperature, chance)


def budget(game: Game, level: int) -> int:
    """Return how many positions a level looks at."""
    setting = LEVELS[level]
    nodes = setting.nodes if find_compiled(game) is None else setting.compiled_nodes
    tried_out = game.engine.work > game.engine.size
    return nodes // TRIED_OUT if tried_out else nodes


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
