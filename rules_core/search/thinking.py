"""Thinking about a position: the best lines of play, deeper and deeper, in a budget.

Values are final margins, in seeds or discs, which the side to move may expect.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from rules_core.position import Position
from rules_core.search import MAX_PLY, Table, find_searcher
from rules_core.search.cancel import Cancel
from rules_core.search.root import Root, Stopped

NO_LIMIT = 1 << 62

PROOF_NODES, PROOF_GROWTH = 40, 1.36
"""How many positions it takes to look to the end: by so much more with each seed that
is in play. Measured in Kalah of six pits; it need not be right."""

PROOF_SHARE = 8
"""What was looked at before that is tried for the first time: one in so many."""

_TABLE = Table()


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
    keep: bool = False,
) -> Thought:
    """Return the best lines, as deep as the budget goes; *on_depth* is told of each.

    With no budget to finish the first depth there are no lines. With *keep*, what
    this process has found before is used; without, the same number of nodes finds the
    same each time, unless the time ends first or there are several threads.

    :raises ValueError: the game is over.
    """
    if not position.legal_moves:
        raise ValueError("the game is over: there is nothing to think about")
    _TABLE.begin(fresh=not keep)
    thinking = _Thinking(position, budget, lines, cancel)
    return thinking.think(on_depth)


class _Thinking:
    """One search, as it deepens."""

    def __init__(
        self, position: Position, budget: Budget, lines: int, cancel: Cancel | None
    ) -> None:
        self._began = time.monotonic()
        self._budget = budget
        self._nodes = NO_LIMIT if budget.nodes is None else budget.nodes
        game = position.game
        self._searcher = find_searcher(game, self._nodes, budget.time_s, cancel, _TABLE)
        self._wanted = max(1, min(lines, len(position.legal_moves)))
        self._root = Root(position, self._searcher, self._wanted)
        self._try_at = nodes_to_prove(position) // PROOF_SHARE

    def think(self, on_depth: Callable[[Thought], None] | None) -> Thought:
        thought = Thought((), 0, 0, 0.0)
        most = MAX_PLY if self._budget.depth is None else self._budget.depth
        try:
            for depth in range(1, min(most, MAX_PLY) + 1):
                self._root.look(depth)
                thought = self._thought(depth)
                if on_depth is not None:
                    on_depth(thought)
                if self._root.settled:
                    break
                if self._searcher.nodes >= self._try_at and self._prove():
                    thought = self._thought(depth)
                    if on_depth is not None:
                        on_depth(thought)
                    break
        except Stopped:
            pass
        spent = time.monotonic() - self._began
        return replace(thought, nodes=self._searcher.nodes, time_s=spent)

    def _prove(self) -> bool:
        """Look to the end with as many positions as it took to come here."""
        spent = self._searcher.nodes
        self._searcher.go_on(min(self._nodes, 2 * spent))
        try:
            self._root.prove()
        except Stopped:
            if self._searcher.nodes < min(self._nodes, 2 * spent):
                raise  # the time is up
            self._searcher.go_on(self._nodes)
            self._try_at = 2 * self._searcher.nodes
            return False
        return self._root.settled

    def _thought(self, depth: int) -> Thought:
        spent = time.monotonic() - self._began
        lines = tuple(
            self._line(move, depth) for move in self._root.order[: self._wanted]
        )
        return Thought(lines, depth, self._searcher.nodes, spent)

    def _line(self, move: str, depth: int) -> Line:
        moves, after = [move], self._root.after[move]
        names = after.variant.move_names
        while after.legal_moves and len(moves) < depth:
            reply = self._searcher.reply(after.flat)
            if reply < 0 or names[reply] not in after.legal_moves:
                break
            moves.append(names[reply])
            after = after.play(names[reply])
        value, exact = self._root.margin_of(move), self._root.is_exact(move)
        return Line(tuple(moves), value, exact, depth)


def nodes_to_prove(position: Position) -> int:
    """Guess how many positions it takes to look to the end, where that can be tried."""
    engine, board = position.game.engine, position.flat
    if engine.banked is None or engine.most is None or engine.least is None:
        return NO_LIMIT
    if engine.banked(board, 0) < 0:
        return NO_LIMIT
    in_play = (engine.most(board) - engine.least(board)) // 2
    return int(PROOF_NODES * PROOF_GROWTH**in_play)
