"""Choose a move: deepen as far as the level allows, then leave some of it to chance."""

import math
import random

from rules_core import Game, Position
from rules_core.compiled import find_compiled
from rules_core.search import INFINITE, MAX_PLY, SURE_WIN, WIN, Searcher, find_searcher
from workers.ai.levels import LEVELS, TIME_S, TRIED_OUT

Values = dict[str, int]


def choose(position: Position, level: int, seed: int, time_s: float = TIME_S) -> str:
    """Return a legal move: the same for the same position, level and seed.

    A search that *time_s* cuts off knows less; it does not begin to play anything else.

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
    searcher = find_searcher(position.game, budget(position.game, level), time_s)
    values = deepen(position, searcher, exact=setting.temperature > 0)
    if not values:
        return chance.choice(moves)
    return draw(values, setting.temperature, chance)


def budget(game: Game, level: int) -> int:
    """Return how many positions a level looks at."""
    setting = LEVELS[level]
    nodes = setting.nodes if find_compiled(game) is None else setting.compiled_nodes
    tried_out = game.engine.work > game.engine.size
    return nodes // TRIED_OUT if tried_out else nodes


def deepen(position: Position, searcher: Searcher, exact: bool) -> Values:
    """Value the moves, deeper and deeper, until the budget is used up.

    The values are those of the seat to move and of the deepest round that was
    finished; unless *exact* they are bounds for all but the best move, which is first.
    """
    sign = 1 if position.to_move == position.game.seats[0] else -1
    after = {move: position.play(move) for move in position.legal_moves}
    values: Values = {}
    order = list(after)
    for depth in range(MAX_PLY):
        round_values: Values = {}
        low = -INFINITE
        for move in order:
            value = _value_after(after[move], searcher, depth, sign, low)
            if searcher.stopped:
                return values
            round_values[move] = value
            if not exact:
                low = max(low, value)
        order.sort(key=lambda move: -round_values[move])
        values = {move: round_values[move] for move in order}
        if abs(values[order[0]]) > SURE_WIN and not exact:
            break
    return values


def _value_after(
    position: Position, searcher: Searcher, depth: int, sign: int, low: int
) -> int:
    if position.outcome is not None:  # also a standstill, which a search cannot see
        winner = position.outcome.winner
        if winner is None:
            return 0
        return sign * WIN if winner == position.game.seats[0] else -sign * WIN
    if position.to_move == position.game.seats[0 if sign > 0 else 1]:  # moves again
        return searcher.value(position.flat, depth, low, INFINITE)
    return -searcher.value(position.flat, depth, -INFINITE, -low)


def draw(values: Values, temperature: int, chance: random.Random) -> str:
    """Return the best move, or with a temperature perhaps a worse one."""
    moves = list(values)
    if temperature == 0:
        return moves[0]
    best = max(values.values())
    weights = [math.exp((values[move] - best) / temperature) for move in moves]
    return chance.choices(moves, weights)[0]
