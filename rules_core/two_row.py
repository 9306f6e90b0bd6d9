"""The face of a board of two rows: south's pits A, B, ... and north's a, b, ..."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules_core.face import Malformed
from rules_core.kernel import Board
from rules_core.layout import Layout

SEATS = ("south", "north")
SHAPE = re.compile(r"([^ /]+)/([^ /]+) ([^ ,]+),([^ ,]+) ([SN-])")


def read_count(text: str) -> int:
    """Read a number of seeds in its canonical form."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,2}", text):
        raise Malformed(f"{text!r} is not a number of seeds")
    return int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoRow:
    """Which cells are south's pits, north's pits, the stores and the seat to move."""

    south: Sequence[int]
    north: Sequence[int]
    stores: tuple[int, int]
    turn: int
    ends: tuple[str, str]  # where south's and north's store are drawn
    seats: tuple[str, str] = SEATS
    starters: tuple[str, ...] = SEATS

    def cells(self) -> tuple[str, ...]:
        """Return the labels of the pits; a store is named by its seat."""
        names = [""] * (max(*self.south, *self.north, *self.stores) + 1)
        for row, first in ((self.south, "A"), (self.north, "a")):
            for index, cell in enumerate(row):
                names[cell] = chr(ord(first) + index)
        for seat, cell in zip(SEATS, self.stores, strict=True):
            names[cell] = seat
        return tuple(names)

    def moves(self) -> tuple[str, ...]:
        """Return the labels; a move is the cell it begins in."""
        return self.cells()

    def layout(self) -> Layout:
        """Return north's row, from its right to its left, above south's."""
        names = self.cells()
        south = tuple(names[cell] for cell in self.south)
        north = tuple(names[cell] for cell in self.north)
        owners = dict.fromkeys(south, "south") | dict.fromkeys(north, "north")
        stores = dict(zip(SEATS, self.ends, strict=True))
        return Layout("two-row", (north[::-1], south), stores, owners)

    def places(self, board: Board) -> Mapping[str, int | str]:
        """Return the seeds in each pit and store."""
        names = self.cells()
        cells = (*self.south, *self.north, *self.stores)
        return {names[cell]: board[cell] for cell in cells}

    def score(self, board: Board) -> dict[str, int]:
        """Return the seeds in each store."""
        south, north = self.stores
        return {"south": board[south], "north": board[north]}

    def format(self, board: Board, over: bool) -> str:
        """Write both rows, both stores and the seat to move."""
        south = ",".join([str(board[cell]) for cell in self.south])
        north = ",".join([str(board[cell]) for cell in self.north])
        first, second = self.stores
        mover = "-" if over else "SN"[board[self.turn]]
        return f"{south}/{north} {board[first]},{board[second]} {mover}"

    def read(self, text: str, board: Board) -> bool:
        """Read both rows, both stores and the seat to move."""
        found = SHAPE.fullmatch(text)
        if not found:
            raise Malformed(
                "expected <south pits>/<north pits> <south store>,<north store> <S|N>"
            )
        south, north, *stores, mover = found.groups()
        cells = (*self.south, *self.north, *self.stores)
        total = sum(board[cell] for cell in cells)
        for row, counts, seat in ((self.south, south, 0), (self.north, north, 1)):
            pits = counts.split(",")
            if len(pits) != len(row):
                raise Malformed(f"{SEATS[seat]} has {len(row)} pits, not {len(pits)}")
            for cell, count in zip(row, pits, strict=True):
                board[cell] = read_count(count)
        for cell, count in zip(self.stores, stores, strict=True):
            board[cell] = read_count(count)
        seeds = sum(board[cell] for cell in cells)
        if seeds != total:
            raise Malformed(f"there must be {total} seeds, not {seeds}")
        board[self.turn] = 1 if mover == "N" else 0
        return mover == "-"

    def hidden(self, board: Board) -> str:
        """Nothing: all of the position is in its text."""
        return ""

    def read_hidden(self, text: str, board: Board) -> None:
        """Refuse anything."""
        raise Malformed(f"{text!r} does not belong here")
