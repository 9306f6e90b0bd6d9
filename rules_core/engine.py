"""The inner interface: what every game file offers over one flat board.

Search and bulk replay work on this; the compiled build of a game offers the same. A
*board* is a list of `work` integers. Its first `size` cells are the position (copy
these); the rest is scratch space of the functions. Cells with a meaning:

- `turn`    the index of the seat to move, 0 or 1;
- `over`    0, or why the game is over: `outcome.REASONS[board[over] - 1]`;
- `winner`  when it is over: 0 nobody, 1 the first seat, 2 the second;
- `passed`  0, or the index + 1 of the seat that had to pass after the last move;
- `given`   1 when the last move used a disc of the opponent.

`passed` and `given` are -1 in games without such a cell. A *move* is a small integer
below `move_ids` (`Variant.move_names` has the texts); never more than `max_moves` are
legal at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from rules_core.kernel import Board, Moves, Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The functions and the cells of one game."""

    legal: Callable[[Board, Moves], int]
    """Write the legal moves in the order of G5, return their number; 0 when over."""

    apply: Callable[[Board, int, Steps], None]
    """Play a legal move in place, up to the next decision: captures, passes, the end.

    *steps* is None or a list that takes (kind, cell, count, seat); -1: none.
    """

    settle: Callable[[Board, Steps], None]
    """Do what follows a move, on a board that was read from a text."""

    score: Callable[[Board], int]
    """Return how far the first seat is ahead, for a search to go by."""

    evaluate: Callable[[Board], int] | None
    """Return what a position that is not over is worth to the first seat, in hundredths
    of a seed or disc; None: its score is all that is known."""

    most: Callable[[Board], int] | None
    least: Callable[[Board], int] | None
    """Return the final score that the first seat can still reach at most, at least; of
    a position that is not over. None: nothing is known."""

    banked: Callable[[Board, int], int] | None
    """Return the store of a seat, if nothing that is still to come depends on what lies
    in the stores, and the score is what one has more than the other; otherwise -1."""

    ring_size: Callable[[Board], int] | None
    ring_cell: Callable[[Board, int], int] | None
    """Return how many pits there are, and the cell of each, counted from the first pit
    of the seat to move: what an ending is known by (`search.endings`). Such a game has
    `banked`; seeds only move on in it, so that no position comes up twice."""

    standstill: Callable[[Board, Steps], None] | None
    """End the round at the third occurrence of a position; None: none can recur (G9).

    The caller counts. All pits are in the cells before `turn`.
    """

    lasting: tuple[int, ...]
    """Cells which, once changed, let no earlier position come back."""

    starter: int
    """A cell that keeps who began the round, or -1."""

    claiming: int
    """A cell that is not 0 while positions do not count (N7), or -1."""

    turn: int
    over: int
    winner: int
    passed: int
    given: int
    size: int
    work: int
    max_moves: int
    move_ids: int
    words: bool
    """Whether cells are 64-bit words instead of small counts."""

    counts: bool
    """Whether who has the higher final score wins, so that it tells how far."""

    @property
    def recurs(self) -> bool:
        """Whether positions can come up again (G9)."""
        return self.standstill is not None

    @property
    def bounded(self) -> bool:
        """Whether it is known what each seat can still reach."""
        return self.most is not None

    @property
    def has_endings(self) -> bool:
        """Whether a table of endings can be made."""
        return self.ring_size is not None

    @property
    def banks(self) -> bool:
        """Whether stores may be left out of what a position is remembered by."""
        return self.banked is not None


def engine_of(game: ModuleType) -> Engine:
    """Return the inner interface of a game file."""
    return Engine(
        legal=game.legal,
        apply=game.apply,
        settle=game.settle,
        score=game.score,
        evaluate=getattr(game, "evaluate", None),
        most=getattr(game, "most", None),
        least=getattr(game, "least", None),
        banked=getattr(game, "banked", None),
        ring_size=getattr(game, "ring_size", None),
        ring_cell=getattr(game, "ring_cell", None),
        standstill=getattr(game, "standstill", None),
        lasting=getattr(game, "LASTING", ()),
        starter=getattr(game, "STARTER", -1),
        claiming=getattr(game, "CLAIMING", -1),
        turn=game.TURN,
        over=game.OVER,
        winner=game.WINNER,
        passed=getattr(game, "PASSED", -1),
        given=getattr(game, "GIVEN", -1),
        size=game.SIZE,
        work=getattr(game, "WORK", game.SIZE),
        max_moves=game.MAX_MOVES,
        move_ids=game.MOVE_IDS,
        words=getattr(game, "WORDS", False),
        counts=getattr(game, "COUNTS", False),
    )
