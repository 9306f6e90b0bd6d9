"""Thinking about a position: the best lines of play, deeper and deeper, in a budget.

Values are final margins, in seeds or discs, which the side to move may expect.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock, Thread

from rules_core.compiled import find_compiled
from rules_core.position import Position
from rules_core.search import MAX_PLY, Table, find_searcher
from rules_core.search.cancel import Cancel
from rules_core.search.ending_tables import SHELF
from rules_core.search.root import Root, Stopped

NO_LIMIT = 1 << 62

PROOF_NODES, PROOF_GROWTH = 40, 1.36
"""How many positions it takes to look to the end: by so much more with each seed that
is in play. Measured in Kalah of six pits; it need not be right."""

PROOF_SHARE = 8
"""What was looked at before that is tried for the first time: one in so many."""

PROOF_MARGIN, PROOF_MOST, NODES_PER_S = 1.5, 4, 3_000_000
PROOF_TIME, DEPTH_TO_PROVE = 0.8, 12
"""Who has time enough for the end, by that margin, gets it without the way there: it is
looked for after this depth, with so many times the positions that were guessed, and in
that share of the time."""

MANY, PROOF_MEGABYTES = 10_000_000, 256
"""A proof of so many positions has a table of its own."""

ONE_LOOK_S = 60.0
"""One look at each move takes a moment, and more where a game is not compiled."""

_TABLE = Table()
_IN_USE = Lock()


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
    whole number where it is *exact*, which says that it is proven, and that no other
    move is better. *decided* says that it is proven who wins, if perhaps not by how
    much. Where winning is no matter of counting, a win is worth all there is.
    """

    moves: tuple[str, ...]
    value: float
    exact: bool
    depth: int
    decided: bool = False


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
    everything: bool = True,
    once_at_least: bool = False,
) -> Thought:
    """Return the best lines, as deep as the budget goes; *on_depth* is told of each.

    With no budget to finish the first depth there are no lines, unless each move is
    looked at *once_at_least*, whatever that costs. With *keep*, what this process has
    found before is used; without, the same number of nodes finds the same each time,
    unless the time ends first or there are several threads. With *everything*, tables
    of endings are asked where this process has some (`ending_tables.SHELF`), and what
    was learned after the levels were fitted counts (`Engine.insight`); without, it is
    the search that levels with a budget promise.

    :raises ValueError: the game is over.
    """
    if not position.legal_moves:
        raise ValueError("the game is over: there is nothing to think about")
    with _table_for(position, budget) as table:
        table.begin(fresh=not keep)
        helpers = _Helpers(position, budget, lines, table, everything=everything)
        try:
            thinking = _Thinking(
                position, budget, lines, cancel, table, everything=everything
            )
            thought = thinking.think(on_depth)
        finally:
            helped = helpers.end()
    thought = replace(thought, nodes=thought.nodes + helped)
    if thought.lines or not once_at_least:
        return thought
    look = think(position, Budget(ONE_LOOK_S, depth=1), lines=lines, cancel=cancel)
    nodes, time_s = thought.nodes + look.nodes, thought.time_s + look.time_s
    return replace(look, nodes=nodes, time_s=time_s)


@contextmanager
def _table_for(position: Position, budget: Budget) -> Iterator[Table]:
    """Lend the table of this process, or make one that nobody else searches with."""
    if nodes_to_prove(position) > MANY and _can_prove_at_once(position, budget):
        yield Table(PROOF_MEGABYTES)
    elif _IN_USE.acquire(blocking=False):
        try:
            yield _TABLE
        finally:
            _IN_USE.release()
    else:
        yield Table()


class _Thinking:
    """One search, as it deepens."""

    def __init__(
        self,
        position: Position,
        budget: Budget,
        lines: int,
        cancel: Cancel | None,
        table: Table,
        *,
        everything: bool,
    ) -> None:
        self._began = time.monotonic()
        self._budget = budget
        self._nodes = NO_LIMIT
        if budget.nodes is not None:
            self._nodes = budget.nodes // max(budget.threads, 1)
        self._to_prove = nodes_to_prove(position)
        self._at_once = _can_prove_at_once(position, budget)
        self._searcher = find_searcher(
            position.game, self._nodes, budget.time_s, cancel, table
        )
        if everything:
            self._searcher.use_insight()
            SHELF.lend(position.variant, self._searcher)
        self._wanted = max(1, min(lines, len(position.legal_moves)))
        self._root = Root(position, self._searcher, self._wanted)
        self._try_at = self._to_prove // PROOF_SHARE

    @property
    def nodes(self) -> int:
        return self._searcher.nodes

    def think(
        self, on_depth: Callable[[Thought], None] | None, first_depth: int = 1
    ) -> Thought:
        thought = Thought((), 0, 0, 0.0)
        most = MAX_PLY if self._budget.depth is None else self._budget.depth
        try:
            for depth in range(first_depth, min(most, MAX_PLY) + 1):
                self._root.look(depth)
                thought = self._thought(depth)
                if on_depth is not None:
                    on_depth(thought)
                if self._root.settled:
                    break
                if self._is_time_to_prove(depth) and self._prove():
                    thought = self._thought(depth)
                    if on_depth is not None:
                        on_depth(thought)
                    break
        except Stopped:
            pass
        spent = time.monotonic() - self._began
        return replace(thought, nodes=self._searcher.nodes, time_s=spent)

    def _is_time_to_prove(self, depth: int) -> bool:
        if self._at_once:
            return depth >= DEPTH_TO_PROVE
        return self._searcher.nodes >= self._try_at

    def _prove(self) -> bool:
        """Look to the end with as many positions as it took to come here."""
        allowed, seconds = 2 * self._searcher.nodes, self._left_s
        if self._at_once:
            allowed += PROOF_MOST * self._to_prove
            seconds *= PROOF_TIME
        self._searcher.go_on(min(self._nodes, allowed), seconds)
        try:
            self._root.prove()
        except Stopped:
            self._at_once = False
            self._searcher.go_on(self._nodes, self._left_s)
            self._try_at = 2 * self._searcher.nodes
            return False
        return self._root.settled

    @property
    def _left_s(self) -> float:
        return self._budget.time_s - (time.monotonic() - self._began)

    def _thought(self, depth: int) -> Thought:
        spent = time.monotonic() - self._began
        lines = tuple(
            self._line(move, depth) for move in self._root.order[: self._wanted]
        )
        return Thought(lines, depth, self._searcher.nodes, spent)

    def _line(self, move: str, depth: int) -> Line:
        after, exact = self._root.after[move], self._root.is_exact(move)
        most = MAX_PLY if exact else depth - 1
        if not self._root.is_certain:  # it might end in a standstill, which no C sees
            most = 0
        replies = self._searcher.line(after.flat, most)
        names = after.variant.move_names
        moves = (move, *(names[reply] for reply in replies))
        value, decided = self._root.margin_of(move), self._root.is_decided(move)
        return Line(moves, value, exact, depth, decided)


class _Helpers:
    """Further threads, which look at the same moves and share what they find.

    Each begins one ply deeper than the one before, so that they do not go side by side.
    What they find for themselves is forgotten: it stands in the table.
    """

    def __init__(
        self,
        position: Position,
        budget: Budget,
        lines: int,
        table: Table,
        *,
        everything: bool,
    ) -> None:
        self._cancel = Cancel()
        self._thinking = []
        self._threads = []
        if budget.threads < 2 or find_compiled(position.game) is None:
            return  # plain Python lets only one think at a time
        for number in range(1, budget.threads):
            one = _Thinking(
                position, budget, lines, self._cancel, table, everything=everything
            )
            self._thinking.append(one)
            thread = Thread(target=one.think, args=(None, 1 + number), daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> int:
        """End them; return how many positions they looked at."""
        self._cancel.set()
        for thread in self._threads:
            thread.join()
        return sum(one.nodes for one in self._thinking)


def _can_prove_at_once(position: Position, budget: Budget) -> bool:
    """Tell whether a budget is enough to look to the end, by a fair margin."""
    if find_compiled(position.game) is None or budget.depth is not None:
        return False
    nodes = PROOF_MARGIN * nodes_to_prove(position)
    wanted = NO_LIMIT if budget.nodes is None else budget.nodes
    return budget.time_s * NODES_PER_S > nodes and wanted > nodes


def nodes_to_prove(position: Position) -> int:
    """Guess how many positions it takes to look to the end, where that can be tried."""
    engine, board = position.game.engine, position.flat
    if not engine.bounded or engine.banked(board, 0) < 0:
        return NO_LIMIT
    in_play = (engine.most(board) - engine.least(board)) // 2
    return int(PROOF_NODES * PROOF_GROWTH**in_play)
