"""Choose a move: deepen as far as the level allows, then leave some of it to chance."""

from __future__ import annotations

import math
import random
import time

from rules_core import Position
from workers.ai.evaluation import evaluation_of
from workers.ai.levels import HARD_CAP_S, LEVELS, TRIED_OUT
from workers.ai.memory import MAX_PLY, Memory
from workers.ai.search import INFINITE, SURE_WIN, WIN, negamax

Values = dict[str, int]


class Searcher:
    """Looks at positions of one game within one budget."""

    def __init__(self, position: Position, nodes: int, seconds: float) -> None:
        """Take the game from a position."""
        self._engine = position.variant.engine
        self._evaluate = evaluation_of(position.game.key, self._engine)
        self._memory = Memory(self._engine, nodes, time.monotonic() + seconds)

    @property
    def stopped(self) -> bool:
        """Whether the budget is used up, so that the last value is worthless."""
        return self._memory.stopped

    def value(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        """Return what a position is worth to the first seat, within a window."""
        board = position.flat
        second = board[self._engine.turn]
        if second:
            alpha, beta = -beta, -alpha
        self._memory.boards[0][:] = board
        value = negamax(
            self._engine, self._evaluate, self._memory, 0, depth, alpha, beta
        )
        return -value if second else value


def choose(position: Position, level: int, seed: int) -> str:
    """Return a legal move: the same for the same position, level and seed.

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
    engine = position.variant.engine
    nodes = setting.nodes // TRIED_OUT if engine.work > engine.size else setting.nodes
    searcher = Searcher(position, nodes, HARD_CAP_S * 0.9)
    values = deepen(position, searcher, exact=setting.temperature > 0)
    if not values:
        return chance.choice(moves)
    return draw(values, setting.temperature, chance)


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
        found: Values = {}
        low = -INFINITE
        for move in order:
            value = _value_after(after[move], searcher, depth, sign, low)
            if searcher.stopped:
                return values
            found[move] = value
            if not exact:
                low = max(low, value)
        order.sort(key=lambda move: -found[move])
        values = {move: found[move] for move in order}
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
    if sign > 0:
        return searcher.value(position, depth, low, INFINITE)
    return -searcher.value(position, depth, -INFINITE, -low)


def draw(values: Values, temperature: int, chance: random.Random) -> str:
    """Return the best move, or with a temperature perhaps a worse one."""
    moves = list(values)
    if temperature == 0:
        return moves[0]
    best = max(values.values())
    weights = [math.exp((values[move] - best) / temperature) for move in moves]
    return chance.choices(moves, weights)[0]
