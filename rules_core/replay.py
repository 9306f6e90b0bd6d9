"""Many moves in bulk: from one position to the next, without those between.

Where a game is compiled its extension plays them, otherwise plain Python does; what
comes out is that of `Position.play`, to the last cell and digest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from rules_core.boards.face import MOVERS
from rules_core.compiled import find_compiled
from rules_core.errors import IllegalMove
from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.origins import start
from rules_core.position import Position, count_position, digest_of
from rules_core.snapshot import Seen, format_rest

Recorded = tuple[str, str, str]
"""A move that was played before: the digest it led to, the move, and whose it was."""


class Line(Protocol):
    """A flat board on which moves are played in place, and what has come up since."""

    @property
    def turn(self) -> int:
        """The seat to move, 0 or 1."""

    @property
    def mover(self) -> int:
        """The seat that moved last; -1: none."""

    @property
    def board(self) -> Board:
        """The board, as a list of the caller's own."""

    @property
    def seen(self) -> Seen:
        """The positions since the last change for good, this one included (G9)."""

    def play(self, moves: Iterable[int]) -> int:
        """Play moves as far as they are legal; return how many were."""

    def play_plain(self, move: int) -> bool:
        """Play a move that is legal and causes no more; return whether it is one.

        It ends no game, makes no seat pass and takes no disc. Others are not played.
        """


def from_moves(
    key: str,
    options: Mapping[str, object] | None,
    starter: str | None,
    moves: Iterable[str],
    rules: str | None = None,
) -> Position:
    """Return the position after all these moves from the start.

    :raises IllegalMove: at the first that is not legal, with its ply.
    """
    return play_all(start(key, options, starter, rules), moves)


def play_all(first: Position, moves: Iterable[str]) -> Position:
    """Return the position after all these moves.

    :raises IllegalMove: at the first that is not legal, with its ply.
    """
    played = list(moves)
    if not played:
        return first
    line = _line_of(first, find_compiled(first.game))
    ids = first.variant.move_ids
    count = line.play([ids.get(move, -1) for move in played])
    last = _position_of(first.variant, line)
    if count < len(played):
        raise IllegalMove(played[count], last.legal_moves, count + 1)
    return last


def play_recorded(first: Position, moves: Iterable[Recorded]) -> tuple[Position, int]:
    """Play recorded moves, up to the first that is not plain or not right.

    Right is a legal move of the seat to move that leads to its digest; plain is one
    that causes nothing else: no pass, no disc given, no end. Returns the position
    before that move, and how many were played.
    """
    variant, compiled = first.variant, find_compiled(first.game)
    line, ids, seats = _line_of(first, compiled), variant.move_ids, variant.seats
    whole, played = _writer_of(variant, line, compiled), list[int]()
    for digest, move, seat in moves:
        wanted = ids.get(move, -1)
        if seats[line.turn] != seat or not line.play_plain(wanted):
            break
        if digest_of(whole()) != digest:
            line = _line_of(first, compiled)  # that move is taken back
            line.play(played)
            break
        played.append(wanted)
    return (_position_of(variant, line) if played else first), len(played)


class PlainLine:
    """A line in plain Python."""

    def __init__(self, variant: Variant, board: Board, seen: Seen) -> None:
        """Begin with a board of its own."""
        self._variant = variant
        self._board = board
        self.seen = seen
        self.mover = -1

    @property
    def turn(self) -> int:
        """The seat to move, 0 or 1."""
        return self._board[self._variant.engine.turn]

    @property
    def board(self) -> Board:
        """The board, as a list of the caller's own."""
        return self._board.copy()

    def play_plain(self, move: int) -> bool:
        """Play a move that is legal and causes no more; return whether it is one."""
        engine, before = self._variant.engine, (self._board, self.seen, self.mover)
        self._board = self._board.copy()
        cells = (engine.over, engine.passed, engine.given)
        is_plain = self.play((move,)) == 1 and not any(
            self._board[cell] for cell in cells if cell >= 0
        )
        if not is_plain:
            self._board, self.seen, self.mover = before
        return is_plain

    def play(self, moves: Iterable[int]) -> int:
        """Play moves as far as they are legal; return how many were."""
        engine, board, count = self._variant.engine, self._board, 0
        out = [0] * engine.max_moves
        for move in moves:
            if move not in out[: engine.legal(board, out)]:
                break
            self.mover = board[engine.turn]
            before = board.copy() if engine.standstill is not None else board
            engine.apply(board, move, None)
            self.seen = count_position(self._variant, before, board, self.seen, None)
            count += 1
        return count


def _line_of(first: Position, compiled: Any | None) -> Line:
    if compiled is None:
        return PlainLine(first.variant, first.flat, first.seen)
    line: Line = compiled.Line(first.flat, first.seen)
    return line


def _position_of(variant: Variant, line: Line) -> Position:
    return Position(variant, line.board, line.seen, line.mover)


def _writer_of(variant: Variant, line: Any, compiled: Any | None) -> Callable[[], str]:
    """Return what writes the text and the rest of a line that is not over."""
    face, counted = variant.face, variant.face.counted_text
    hides, repeats = face.hidden(line.board), variant.engine.standstill is not None
    if compiled is not None and counted is not None:
        if not hides and not repeats:  # the rest is nothing
            return partial(line.write, counted.template + "|", counted.order, MOVERS)
        write = partial(line.write, counted.template, counted.order, MOVERS)
        return lambda: f"{write()}|{format_rest(variant, line.board, line.seen)}"

    def whole() -> str:
        board = line.board
        text = face.format(board, over=False)
        rest = format_rest(variant, board, line.seen) if repeats else face.hidden(board)
        return f"{text}|{rest}"

    return whole
