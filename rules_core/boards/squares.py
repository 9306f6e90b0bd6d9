"""The face of Reversi: 64 squares, a1 in the top left corner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from rules_core.boards.face import Malformed
from rules_core.boards.layout import Layout
from rules_core.kernel import Board
from rules_core.messages import Counted, Message

SQUARES = tuple(f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh")
DISCS = ("X", "O")
BLACK, WHITE, TURN = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Squares:
    """Two bitboards, then the seat to move; *hands* is the cell of black's hand."""

    hands: int
    seats: tuple[str, str] = ("black", "white")
    starters: tuple[str, ...] = ("black",)

    def cells(self) -> tuple[str, ...]:
        """Return the squares; a step names them by their bit."""
        return SQUARES

    def moves(self) -> tuple[str, ...]:
        """Return the squares; a move is the square of the new disc."""
        return SQUARES

    def layout(self) -> Layout:
        """Return eight rows of eight squares, rank 1 at the top."""
        rows = tuple(SQUARES[first : first + 8] for first in range(0, 64, 8))
        return Layout("squares", rows, {}, {})

    def places(self, board: Board) -> Mapping[str, int | str]:
        """Return the colour of each occupied square."""
        discs: dict[str, int | str] = {}
        for index, square in enumerate(SQUARES):
            if board[BLACK] >> index & 1:
                discs[square] = "black"
            elif board[WHITE] >> index & 1:
                discs[square] = "white"
        return discs

    def owners(self, board: Board) -> Mapping[str, str] | None:
        """Return None: nothing changes hands but what lies on the board."""
        return None

    @property
    def counted_text(self) -> None:
        """None: a square has a disc, and no count."""

    def score(self, board: Board) -> dict[str, int]:
        """Count the discs of each colour."""
        return {"black": board[BLACK].bit_count(), "white": board[WHITE].bit_count()}

    def format(self, board: Board, over: bool) -> str:
        """Write 64 squares and the seat to move."""
        black, white = (board[seat].to_bytes(8, "little") for seat in (BLACK, WHITE))
        rows = "".join(map(_row, black, white))
        return f"{rows} {'-' if over else DISCS[board[TURN]]}"

    def read(self, text: str, board: Board) -> bool:
        """Read 64 squares and the seat to move; hands as if nobody had passed (R5)."""
        if not re.fullmatch(r"[XO-]{64} [XO-]", text):
            raise Malformed(
                Message("expected 64 of 'X', 'O' and '-', a space and 'X' or 'O'")
            )
        squares, mover = text.split(" ")
        for seat, disc in enumerate(DISCS):
            board[seat] = sum(1 << i for i in range(64) if squares[i] == disc)
        board[TURN] = 1 if mover == "O" else 0
        placed = 60 - squares.count("-")
        board[self.hands] = 30 - (placed + 1) // 2
        board[self.hands + 1] = 30 - placed // 2
        return mover == "-"

    def hidden(self, board: Board) -> str:
        """Write the discs in both hands (R5)."""
        return f"hands={board[self.hands]}/{board[self.hands + 1]}"

    def read_hidden(self, text: str, board: Board) -> None:
        """Read the discs in both hands, which together fill the board."""
        parts = re.fullmatch(r"hands=(0|[1-9][0-9]?)/(0|[1-9][0-9]?)", text)
        if not parts:
            raise Malformed(Message("expected hands=<black>/<white>"))
        hands = [int(count) for count in parts.groups()]
        empty = 64 - (board[BLACK] | board[WHITE]).bit_count()
        if sum(hands) != empty:
            raise Malformed(
                Counted(
                    "the hands must hold {count} disc together",
                    "the hands must hold {count} discs together",
                    count=empty,
                )
            )
        board[self.hands : self.hands + 2] = hands


@cache
def _row(black: int, white: int) -> str:
    """Write the eight squares of a row, of which each colour has bits."""
    return "".join("-XO"[(black >> i & 1) + 2 * (white >> i & 1)] for i in range(8))
