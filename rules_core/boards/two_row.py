"""The face of a board of two rows: south's pits A, B, ... and north's a, b, ..."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from rules_core.boards.face import MOVERS, CountedText, Malformed
from rules_core.boards.layout import Layout
from rules_core.kernel import Board
from rules_core.messages import Message, Seat

SEATS = ("south", "north")
SWAP = "swap"
"""The move by which a seat takes the other's place."""

SHAPE = re.compile(r"([^ /]+)/([^ /]+) ([^ ,]+),([^ ,]+) ([SN-])(?: (.+))?")
PIE = re.compile(r"(?:(.+) )?pie=([SN])")


class Extras(Protocol):
    """What the text of a game tells behind the seat to move, as `key=value`."""

    def format(self, board: Board) -> str:
        """Write it."""

    def read(self, text: str, board: Board) -> None:
        """Read it, when everything before has been read.

        :raises Malformed: saying what is wrong.
        """


def read_count(text: str) -> int:
    """Read a number of seeds in its canonical form."""
    if not re.fullmatch(r"0|[1-9][0-9]{0,2}", text):
        raise Malformed(Message("{text!r} is not a number of seeds", text=text))
    return int(text)


@dataclass(frozen=True, kw_only=True)
class TwoRow:
    """Which cells are south's pits, north's pits, the stores and the seat to move."""

    south: Sequence[int]
    north: Sequence[int]
    stores: tuple[int, int]
    turn: int
    ends: tuple[str, str]  # where south's and north's store are drawn
    burnt: tuple[int, int] | None = None  # cells with the numbers of burnt pits
    claims: bool = False  # whether pits can be claimed, by moves behind the pits
    owned: int | None = None  # the first of the cells that tell who owns each pit
    extras: Extras | None = None
    swapping: int | None = None  # a cell: who may still take the other's place (K7, C9)
    seats: tuple[str, str] = SEATS
    starters: tuple[str, ...] = SEATS

    def cells(self) -> tuple[str, ...]:
        """Return the labels of the pits; a store is named by its seat."""
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = [""] * (max(*self.south, *self.north, *self.stores) + 1)
        for row, first in ((self.south, "A"), (self.north, "a")):
            for index, cell in enumerate(row):
                names[cell] = chr(ord(first) + index)
        for seat, cell in zip(SEATS, self.stores, strict=True):
            names[cell] = seat
        return tuple(names)

    @cached_property
    def counted_text(self) -> CountedText | None:
        """The position text, or None in a game of burnt pits, extras or a swap."""
        more = (self.burnt, self.extras, self.swapping)
        if any(each is not None for each in more):
            return None
        south, north = (",".join(["%d"] * len(r)) for r in (self.south, self.north))
        order = (*self.south, *self.north, *self.stores)
        return CountedText(f"{south}/{north} %d,%d", order, self.turn)

    def moves(self) -> tuple[str, ...]:
        """Return the labels; a move is the cell it begins in or claims, or the swap."""
        names = self.cells()
        if self.swapping is not None:
            return (*names, SWAP)
        if not self.claims:
            return names
        pits = tuple(names[cell] for cell in (*self.south, *self.north))
        return (*pits, *(f"@{pit}" for pit in pits))

    def layout(self) -> Layout:
        """Return north's row, from its right to its left, above south's."""
        names = self.cells()
        south = tuple(names[cell] for cell in self.south)
        north = tuple(names[cell] for cell in self.north)
        owners = dict.fromkeys(south, "south") | dict.fromkeys(north, "north")
        stores = dict(zip(SEATS, self.ends, strict=True))
        return Layout("two-row", (north[::-1], south), stores, owners)

    def places(self, board: Board) -> Mapping[str, int | str]:
        """Return the seeds in each pit that is not burnt, and in each store."""
        names = self.cells()
        south, north = self._in_play(board)
        cells = (*south, *north, *self.stores)
        return {names[cell]: board[cell] for cell in cells}

    def owners(self, board: Board) -> Mapping[str, str] | None:
        """Return who owns each pit, in a game in which that changes (N7)."""
        if self.owned is None:
            return None
        names = self.cells()
        cells = (*self.south, *self.north)
        return {
            names[cell]: SEATS[board[self.owned + index]]
            for index, cell in enumerate(cells)
        }

    def score(self, board: Board) -> dict[str, int]:
        """Return the seeds in each store."""
        south, north = self.stores
        return {"south": board[south], "north": board[north]}

    def format(self, board: Board, over: bool) -> str:
        """Write both rows, both stores, the seat to move and the extras."""
        if self.counted_text is not None:
            return self.counted_text.write(board, over)
        rows = [[str(board[cell]) for cell in row] for row in self._in_play(board)]
        if self.burnt is not None:
            rows[0] += ["x"] * board[self.burnt[0]]
            rows[1] += ["x"] * board[self.burnt[1]]
        south, north = self.stores
        mover = "-" if over else MOVERS[board[self.turn]]
        text = f"{','.join(rows[0])}/{','.join(rows[1])} {board[south]},{board[north]}"
        told = [text, mover]
        if self.extras is not None:
            told.append(self.extras.format(board))
        if self.swapping is not None and board[self.swapping]:
            told.append(f"pie={MOVERS[board[self.swapping] - 1]}")
        return " ".join(told)

    def read(self, text: str, board: Board) -> bool:
        """Read both rows, both stores, the seat to move and the extras."""
        parts = SHAPE.fullmatch(text)
        if not parts:
            raise Malformed(self._expected())
        south, north, south_store, north_store, mover, told = parts.groups()
        extras = self._read_swapping(told, board)
        is_swapped_over = mover == "-" and extras != told
        if (extras is None) != (self.extras is None) or is_swapped_over:
            raise Malformed(self._expected())
        cells = (*self.south, *self.north, *self.stores)
        total = sum(board[cell] for cell in cells)
        self._read_row(south, board, 0)
        self._read_row(north, board, 1)
        board[self.stores[0]] = read_count(south_store)
        board[self.stores[1]] = read_count(north_store)
        seeds = sum(board[cell] for cell in cells)
        if seeds != total:
            raise Malformed(
                Message(
                    "there must be {total} seeds, not {count}", total=total, count=seeds
                )
            )
        board[self.turn] = 1 if mover == "N" else 0
        if self.extras is not None and extras is not None:
            self.extras.read(extras, board)
        return mover == "-"

    def _read_swapping(self, told: str | None, board: Board) -> str | None:
        """Read who may still swap; return what else is told."""
        if self.swapping is None:
            return told
        found = PIE.fullmatch(told or "")
        board[self.swapping] = 1 + MOVERS.index(found[2]) if found else 0
        return found[1] if found else told

    def _read_row(self, text: str, board: Board, seat: int) -> None:
        row = (self.south, self.north)[seat]
        counts = text.split(",")
        if len(counts) != len(row):
            raise Malformed(
                Message(
                    "{seat} has {pits} pits, not {count}",
                    seat=Seat(SEATS[seat]),
                    pits=len(row),
                    count=len(counts),
                )
            )
        for cell in row:
            board[cell] = 0
        if self.burnt is not None:
            while len(counts) > 1 and counts[-1] == "x":
                counts.pop()
            board[self.burnt[seat]] = len(row) - len(counts)
        for cell, count in zip(row, counts, strict=False):
            board[cell] = read_count(count)

    def _in_play(self, board: Board) -> tuple[Sequence[int], Sequence[int]]:
        if self.burnt is None:
            return self.south, self.north
        south, north = board[self.burnt[0]], board[self.burnt[1]]
        return (
            self.south[: len(self.south) - south],
            self.north[: len(self.north) - north],
        )

    def hidden(self, board: Board) -> str:
        """Nothing: all of the position is in its text."""
        return ""

    def _expected(self) -> Message:
        if self.extras is None and self.swapping is not None:
            return Message(
                "expected <south pits>/<north pits> <south store>,<north store> <S|N>, "
                "and pie=<S|N> where that seat may still swap"
            )
        if self.extras is None:
            return Message(
                "expected <south pits>/<north pits> <south store>,<north store> <S|N>"
            )
        return Message(
            "expected <south pits>/<north pits> <south store>,<north store> <S|N> and "
            "key=value"
        )

    def read_hidden(self, text: str, board: Board) -> None:
        """Refuse anything."""
        raise Malformed(Message("{text!r} does not belong here", text=text))
