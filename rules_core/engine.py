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

from rules_core.kernel import Board, Memory, Moves, Steps


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

    solvable: Callable[[Board], bool] | None
    """Tell whether `solve` is soon done with a position; None: nothing solves it."""

    solve: Callable[[Memory, Board, int, int, int], int] | None
    """Return the final margin of the seat to move, in whole seeds or discs.

    Takes a memory, a board that is not over, the ply from which on the memory is free,
    and a window, outside which the answer is a bound. It is worthless once the memory
    says that the search has stopped.
    """

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


def engine_of(game: ModuleType) -> Engine:
    """Return the inner interface of a game file."""
    return Engine(
        legal=game.legal,
        apply=game.apply,
        settle=game.settle,
        score=game.score,
        evaluate=getattr(game, "evaluate", None),
        solvable=getattr(game, "solvable", None),
        solve=getattr(game, "solve", None),
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
    )
