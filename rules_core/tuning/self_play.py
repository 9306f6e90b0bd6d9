"""Games of Reversi that the search plays with itself, until their end can be solved.

A game is one line of a log: how many of its moves were random, the moves as squares in
hexadecimal, and the margin of black by perfect play from there.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from rules_core.catalog import find_game
from rules_core.compiled import find_compiled
from rules_core.game import Game
from rules_core.kernel import Board

DEPTH = 4
"""So far each move is looked ahead: enough to punish blunders, in a millisecond."""

SOLVED_FROM = 12
FEWEST_RANDOM, MOST_RANDOM = 6, 22
FIRST_LEARNED = 3
"""Before so many moves there are too few positions to learn from."""

ALL_THERE_IS = 1_000_000


class CannotPlay(Exception):
    """There is no compiled game to play with."""


class Player:
    """Plays games with itself; the same for the same first seed and weights."""

    def __init__(self) -> None:
        """Take the compiled game.

        :raises CannotPlay: there is none.
        """
        self._game: Game = find_game("reversi")
        self._compiled: Any = find_compiled(self._game)
        if self._compiled is None:
            raise CannotPlay("self-play needs the compiled game: `make up` builds it")
        self._opening = self._game.variant(None).deal()

    def lines(self, first: int, count: int) -> Iterator[str]:
        """Yield the lines of so many games, with seeds from *first* on."""
        searcher = self._compiled.Searcher(1 << 62, 1e6)
        for seed in range(first, first + count):
            chance = random.Random(seed)  # noqa: S311  # games, no secrets
            line = self._play(searcher, chance)
            if line:
                yield line

    def _play(self, searcher: Any, chance: random.Random) -> str:
        """Return the line of one game, or nothing: it was over too early."""
        board, moves = self._opening, list[int]()
        random_moves = chance.randint(FEWEST_RANDOM, MOST_RANDOM)
        while empty(board) > SOLVED_FROM:
            legal = self._compiled.legal_moves(board)
            if not legal:
                return ""
            if len(moves) < random_moves:
                moves.append(chance.choice(legal))
            else:
                moves.append(self._best(searcher, board, legal))
            board = self._after(board, moves[-1])
        if board[self._game.engine.over]:
            return ""
        margin = searcher.solve(board, -64, 64)
        black = -margin if board[self._game.engine.turn] else margin
        return f"{random_moves} {bytes(moves).hex()} {black}"

    def _best(self, searcher: Any, board: Board, legal: list[int]) -> int:
        engine = self._game.engine
        best, low = legal[0], -ALL_THERE_IS
        for move in legal:
            after = self._after(board, move)
            same = after[engine.turn] == board[engine.turn]
            if after[engine.over]:
                ahead = 100 * engine.score(after)
                value = -ahead if board[engine.turn] else ahead
            elif same:
                value = searcher.value(after, DEPTH - 1, low, ALL_THERE_IS)
            else:
                value = -searcher.value(after, DEPTH - 1, -ALL_THERE_IS, -low)
            if value > low:
                best, low = move, value
        return best

    def _after(self, board: Board, move: int) -> Board:
        line = self._compiled.Line(board, ())
        line.play((move,))
        after: Board = line.board
        return after

    def positions(self, lines: Iterable[str]) -> Iterator[tuple[int, int, int]]:
        """Yield each position of a log: own discs, the other's, own final margin."""
        turn = self._game.engine.turn
        for text in lines:
            _, moves, margin = text.split()
            line = self._compiled.Line(self._opening, ())
            for ply, move in enumerate(bytes.fromhex(moves)):
                line.play((move,))
                if ply >= FIRST_LEARNED:
                    board = line.board
                    if board[turn]:
                        yield board[1], board[0], -int(margin)
                    else:
                        yield board[0], board[1], int(margin)


def empty(board: Board) -> int:
    """Count the empty squares."""
    return 64 - (board[0] | board[1]).bit_count()
