"""The face of a board of four rows: a front and a back row of eight for each seat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rules_core.boards.face import CountedText, Malformed
from rules_core.boards.layout import Layout
from rules_core.boards.two_row import SEATS, read_count
from rules_core.kernel import Board
from rules_core.messages import Message

SHAPE = re.compile(r"([^ /]+)/([^ /]+)/([^ /]+)/([^ /]+) - ([SN-])")
ROWS = {  # the cells of each row, from its owner's left to the right
    "A": range(8),
    "B": range(15, 7, -1),
    "a": range(16, 24),
    "b": range(31, 23, -1),
}
CELLS = {
    f"{row}{column}": cell
    for row, cells in ROWS.items()
    for column, cell in enumerate(cells, start=1)
}
TEMPLATE = f"{'/'.join([','.join(['%d'] * 8)] * 4)} -"


@dataclass(frozen=True)
class FourRow:
    """Two rings of sixteen cells, then the seat to move."""

    turn: int
    seats: tuple[str, str] = SEATS
    starters: tuple[str, ...] = SEATS

    def cells(self) -> tuple[str, ...]:
        """Return the labels in the order of the rings."""
        return tuple(sorted(CELLS, key=CELLS.__getitem__))

    def moves(self) -> tuple[str, ...]:
        """Return the labels with their directions, in label order."""
        return tuple(f"{label}{way}" for label in CELLS for way in "LR")

    def layout(self) -> Layout:
        """Return north's rows, from its right to its left, above south's."""
        rows = {row: tuple(f"{row}{column}" for column in range(1, 9)) for row in ROWS}
        shown = (rows["b"][::-1], rows["a"][::-1], rows["A"], rows["B"])
        owners = {label: SEATS[cell // 16] for label, cell in CELLS.items()}
        return Layout("four-row", shown, {}, owners)

    def places(self, board: Board) -> Mapping[str, int | str]:
        """Return the kete in each shimo."""
        return {label: board[cell] for label, cell in CELLS.items()}

    def owners(self, board: Board) -> Mapping[str, str] | None:
        """Return None: nothing changes hands but what lies on the board."""
        return None

    @cached_property
    def counted_text(self) -> CountedText:
        """The position text."""
        return CountedText(TEMPLATE, tuple(CELLS.values()), self.turn)

    def score(self, board: Board) -> dict[str, int]:
        """Return the kete on each side."""
        return {"south": sum(board[:16]), "north": sum(board[16:32])}

    def format(self, board: Board, over: bool) -> str:
        """Write four rows and the seat to move."""
        return self.counted_text.write(board, over)

    def read(self, text: str, board: Board) -> bool:
        """Read four rows and the seat to move."""
        parts = SHAPE.fullmatch(text)
        if not parts:
            raise Malformed(Message("expected <A row>/<B row>/<a row>/<b row> - <S|N>"))
        *rows, mover = parts.groups()
        total = sum(board[:32])
        for (row, cells), counts in zip(ROWS.items(), rows, strict=True):
            kete = counts.split(",")
            if len(kete) != 8:
                said = Message(
                    "row {row} has 8 mashimo, not {count}", row=row, count=len(kete)
                )
                raise Malformed(said)
            for cell, count in zip(cells, kete, strict=True):
                board[cell] = read_count(count)
        if sum(board[:32]) != total:
            there = sum(board[:32])
            raise Malformed(
                Message(
                    "there must be {total} kete, not {count}", total=total, count=there
                )
            )
        board[self.turn] = 1 if mover == "N" else 0
        return mover == "-"

    def hidden(self, board: Board) -> str:
        """Nothing: all of the position is in its text."""
        return ""

    def read_hidden(self, text: str, board: Board) -> None:
        """Refuse anything."""
        raise Malformed(Message("{text!r} does not belong here", text=text))
