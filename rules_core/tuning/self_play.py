"""Games that the search plays with itself: how they are written down, and read again.

A game is one line of a log: how many of its moves were random, the moves in
hexadecimal, a byte each, and the final margin of the first seat.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from rules_core.game import Game
from rules_core.kernel import Board
from rules_core.origins import start
from rules_core.replay import Line, PlainLine


class CannotPlay(Exception):
    """There is no compiled game to play with."""


class NoLog(Exception):
    """A line of a log is no game by these rules; says which."""


class TooFew(Exception):
    """There are not games enough to learn from, and to keep some back."""


class Player(ABC):
    """Plays games with itself; the same for the same first seed and search."""

    def __init__(self, game: Game, compiled: Any | None) -> None:
        """Take a game, and its extension where there is one."""
        self.game = game
        self.first = start(game.key, rules=game.rules)
        self._compiled = compiled

    def lines(self, first: int, count: int) -> Iterator[str]:
        """Yield the lines of so many games, with seeds from *first* on."""
        for seed in range(first, first + count):
            line = self.play(random.Random(seed))  # noqa: S311  # games, no secrets
            if line:
                yield line

    @abstractmethod
    def play(self, chance: random.Random) -> str:
        """Return the line of one game, or nothing: there is nothing to learn from."""

    def read(self, lines: Iterable[str]) -> Iterator[tuple[int, list[Board], int]]:
        """Yield each game of a log: its random moves, a board a move, the margin.

        :raises NoLog: naming the line that is no game.
        """
        for number, text in enumerate(lines, start=1):
            try:
                random_moves, moves, margin = text.split()
                boards = list(self._boards(bytes.fromhex(moves)))
                game = int(random_moves), boards, int(margin)
            except ValueError:
                raise NoLog(f"line {number} is no game of {self.game.rules}") from None
            yield game

    def legal(self, board: Board) -> list[int]:
        """Return the legal moves."""
        if self._compiled is not None:
            found: list[int] = self._compiled.legal_moves(board)
            return found
        engine = self.game.engine
        out = [0] * engine.max_moves
        return out[: engine.legal(board.copy(), out)]

    def after(self, board: Board, move: int) -> Board:
        """Return the board after a legal move, whatever came up before."""
        line = self._line(board)
        line.play((move,))
        return line.board

    def _boards(self, moves: bytes) -> Iterator[Board]:
        line = self._line(self.first.flat)
        for move in moves:
            if not line.play((move,)):
                raise ValueError(move)
            yield line.board

    def _line(self, board: Board) -> Line:
        if self._compiled is None:
            return PlainLine(self.first.variant, board.copy(), ())
        line: Line = self._compiled.Line(board, ())
        return line


def line_of(random_moves: int, moves: Iterable[int], margin: int) -> str:
    """Return the line of a game."""
    return f"{random_moves} {bytes(moves).hex()} {margin}"
