"""Thinking about a position: the best lines of play, deeper and deeper, in a budget.

Values are final margins, in seeds or discs, which the side to move may expect.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from rules_core.position import Position
from rules_core.search import INFINITE, MAX_PLY, SURE_WIN, WIN, Searcher, find_searcher
from rules_core.search.cancel import Cancel

NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Budget:
    """What thinking may cost; what is None has no limit.

    *time_s* seconds by the clock, *nodes* positions looked at, *depth* plies, and as
    many *threads* at once.
    """

    time_s: float
    nodes: int | None = None
    depth: int | None = None
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of play: the principal variation, whose first move is what is valued.

    *value* is the final margin in seeds or discs which the side to move may expect; a
    whole number where it is *exact*, which says that it is proven. A win of which no
    more is known than that is worth all there is.
    """

    moves: tuple[str, ...]
    value: float
    exact: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Thought:
    """What was found: the best lines first, and what that has cost."""

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    time_s: float


def think(
    position: Position,
    budget: Budget,
    *,
    lines: int = 1,
    on_depth: Callable[[Thought], None] | None = None,
    cancel: Cancel | None = None,
) -> Thought:
    """Return the best lines, as deep as the budget goes; *on_depth* is told of each.

    With no budget to finish the first depth there are no lines.

    :raises ValueError: the game is over.
    """
    if not position.legal_moves:
        raise ValueError("the game is over: there is nothing to think about")
    began = time.monotonic()
    nodes = NO_LIMIT if budget.nodes is None else budget.nodes
    searcher = find_searcher(position.game, nodes, budget.time_s, cancel)
    thinking = _Thinking(position, searcher, min(lines, len(position.legal_moves)))
    thought = Thought((), 0, 0, 0.0)
    most = MAX_PLY if budget.depth is None else min(budget.depth, MAX_PLY)
    for depth in range(1, most + 1):
        found = thinking.look(depth)
        spent = time.monotonic() - began
        if not found:
            return replace(thought, nodes=searcher.nodes, time_s=spent)
        thought = Thought(found, depth, searcher.nodes, spent)
        if on_depth is not None:
            on_depth(thought)
        if all(line.exact for line in found):
            break
    return thought


class _Thinking:
    """The root of a search: its moves, the best first."""

    def __init__(self, position: Position, searcher: Searcher, wanted: int) -> None:
        self._position = position
        self._searcher = searcher
        self._wanted = wanted
        self._after = {move: position.play(move) for move in position.legal_moves}
        self._order = list(self._after)

    def look(self, depth: int) -> tuple[Line, ...]:
        """Return the best lines of a depth, or none: the budget is used up."""
        values: dict[str, int] = {}
        for move in self._order:
            best = sorted(values.values(), reverse=True)[: self._wanted]
            low = best[-1] if len(best) == self._wanted else -INFINITE
            value = self._value_of(move, depth, low)
            if self._searcher.stopped:
                return ()
            values[move] = value
        self._order.sort(key=lambda move: -values[move])
        shown = self._order[: self._wanted]
        return tuple(self._line(move, values[move], depth) for move in shown)

    def _value_of(self, move: str, depth: int, low: int) -> int:
        after = self._after[move]
        if after.outcome is not None:  # also a standstill, which a search cannot see
            winner = after.outcome.winner
            if winner is None:
                return 0
            return WIN if winner == self._position.to_move else -WIN
        if after.to_move == self._position.to_move:  # moves again
            return self._searcher.value(after.flat, depth - 1, low, INFINITE)
        return -self._searcher.value(after.flat, depth - 1, -INFINITE, -low)

    def _line(self, move: str, value: int, depth: int) -> Line:
        moves, after = [move], self._after[move]
        names = after.variant.move_names
        while after.legal_moves and len(moves) < depth:
            reply = self._searcher.reply(after.flat)
            if reply < 0 or names[reply] not in after.legal_moves:
                break
            moves.append(names[reply])
            after = after.play(names[reply])
        if abs(value) <= SURE_WIN:
            return Line(tuple(moves), value / 100, exact=False, depth=depth)
        places = self._position.board.values()
        everything = sum(place for place in places if isinstance(place, int)) or 64
        won = float(everything if value > 0 else -everything)
        return Line(tuple(moves), won, exact=True, depth=depth)
