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

from rules_core.kernel import Board, Memory, Moves, Steps, rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The functions and the cells of one game."""

    legal: Callable[[Board, Moves], int]
    """Write the legal moves in the order of G5, return their number; 0 when over."""

    candidates: Callable[[Board, Moves], int]
    """Write the legal moves likewise, and with them those that are endless (G8): after
    one of these `apply` leaves `NEVER_ENDS` in `over`, and a board that is good for
    nothing. A search need not sow what it does not look at then. Asked if `tries`."""

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

    insight: Callable[[Board], int]
    """Return what has been learned since the levels were fitted, to be added to what
    `evaluate` says. Levels with a budget go without: they stay what they are."""

    solvable: Callable[[Memory, Board], bool]
    solve: Callable[[Memory, Board, int, int, int], int]
    """Tell whether a position that is not over is soon solved, for the budget of a
    memory, and return the final margin of the seat to move, in whole seeds or discs.
    Asked only if `solves`.

    `solve` takes a memory, a board, the ply from which on rows of the memory are free,
    and a window, outside which the answer is a bound. The answer is worthless once the
    memory says that the search has stopped.
    """

    most: Callable[[Board], int]
    least: Callable[[Board], int]
    """Return the final score that the first seat can still reach at most, at least; of
    a position that is not over. Asked only if `bounded`."""

    banked: Callable[[Board, int], int]
    """Return the store of a seat, if nothing that is still to come depends on what lies
    in the stores, and the score is what one has more than the other; otherwise -1."""

    ring_size: Callable[[Board], int]
    ring_cell: Callable[[Board, int], int]
    """Return how many pits there are, and the cell of each, counted from the first pit
    of the seat to move: what an ending is known by (`search.endings`). Asked only if
    `has_endings`. Either such a game has `banked`, and seeds only move on in it, so
    that no position comes up twice; or its score is the lead of the stores, on which
    nothing bears but `majority` (`search.circles`)."""

    ending_options: tuple[str, ...]
    """The options that endings depend on; others are settled by the pits."""

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

    swapping: int
    """A cell that tells who may take the other's place, with all that lies there, at
    the next decision (K7, C9): 0 nobody, 1 the first seat, 2 the second; or -1. A game
    deals it for the case that the first seat begins."""

    late_depth: int
    late_from: int
    late_by: int
    """From this depth on so many moves of a position are looked at as deep, the others
    so many plies less deep first: also an insight."""

    whole_turns: bool
    """Whether all moves of a turn are one ply of depth: also an insight."""

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

    tries: bool
    """Whether moves can be tried that may be endless (`candidates`)."""

    solves: bool
    """Whether the game file solves its endings by itself (`solvable`, `solve`)."""

    bounded: bool
    """Whether it is known what each seat can still reach (`most`, `least`)."""

    banks: bool
    """Whether stores may be left out of what a position is remembered by (`banked`)."""

    has_endings: bool
    """Whether a table of endings can be made (`ring_size`, `ring_cell`)."""

    counts: bool
    """Whether who has the higher final score wins, so that it tells how far."""

    majority: bool
    """Whether the game is over as soon as a seat has more than half of all seeds."""

    draws: bool
    """Whether nobody wins at a standstill, whatever lies in the stores."""

    @property
    def recurs(self) -> bool:
        """Whether positions can come up again (G9)."""
        return self.standstill is not None


def engine_of(game: ModuleType) -> Engine:
    """Return the inner interface of a game file."""
    return Engine(
        legal=game.legal,
        candidates=getattr(game, "candidates", candidates),
        apply=game.apply,
        settle=game.settle,
        score=game.score,
        evaluate=getattr(game, "evaluate", None),
        insight=getattr(game, "insight", insight),
        solvable=getattr(game, "solvable", solvable),
        solve=getattr(game, "solve", solve),
        most=getattr(game, "most", most),
        least=getattr(game, "least", least),
        banked=getattr(game, "banked", banked),
        ring_size=getattr(game, "ring_size", ring_size),
        ring_cell=getattr(game, "ring_cell", ring_cell),
        ending_options=getattr(game, "ENDING_OPTIONS", ()),
        standstill=getattr(game, "standstill", None),
        lasting=getattr(game, "LASTING", ()),
        starter=getattr(game, "STARTER", -1),
        claiming=getattr(game, "CLAIMING", -1),
        swapping=getattr(game, "SWAPPING", -1),
        late_depth=getattr(game, "LATE_DEPTH", LATE_DEPTH),
        late_from=getattr(game, "LATE_FROM", LATE_FROM),
        late_by=getattr(game, "LATE_BY", LATE_BY),
        whole_turns=getattr(game, "WHOLE_TURNS", False),
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
        tries=hasattr(game, "candidates"),
        solves=hasattr(game, "solve"),
        bounded=hasattr(game, "most"),
        banks=hasattr(game, "banked"),
        has_endings=hasattr(game, "ring_size"),
        counts=getattr(game, "COUNTS", False),
        majority=getattr(game, "MAJORITY", False),
        draws=getattr(game, "DRAWS", False),
    )


# What holds of a game that does not say otherwise; compiled with it.

LATE_DEPTH, LATE_FROM, LATE_BY = 4, 3, 1


@rule
def candidates(board: Board, out: Moves) -> int:
    """All that can be tried is legal: never asked."""
    return 0


@rule
def standstill(board: Board, steps: Steps) -> None:
    """No position comes up twice: never asked."""


@rule
def insight(board: Board) -> int:
    """Nothing has been learned since."""
    return 0


@rule
def solvable(memory: Memory, board: Board) -> bool:
    """No position is: never asked."""
    return False


@rule
def solve(memory: Memory, board: Board, ply: int, alpha: int, beta: int) -> int:
    """Nothing is solved: never asked."""
    return 0


@rule
def most(board: Board) -> int:
    """Nothing is known of what can still be won: never asked."""
    return 0


@rule
def least(board: Board) -> int:
    """Nothing is known of what can still be lost: never asked."""
    return 0


@rule
def banked(board: Board, seat: int) -> int:
    """Nothing can be left out."""
    return -1


@rule
def ring_size(board: Board) -> int:
    """There are no endings: never asked."""
    return 0


@rule
def ring_cell(board: Board, index: int) -> int:
    """There are no endings: never asked."""
    return 0
