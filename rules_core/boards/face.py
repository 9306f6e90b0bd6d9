"""What every kind of board can do: name its places, be written and be read."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Protocol

from rules_core.boards.layout import Layout
from rules_core.kernel import Board
from rules_core.messages import Message

MOVERS = "SN"
"""Who is to move, in the text of a game of south and north."""


class Malformed(Exception):
    """What is wrong with a text; the public functions say it with the text."""

    def __init__(self, message: Message) -> None:
        """Keep what is to be said."""
        super().__init__(message)
        self.message = message


class CountedText:
    """A position text of counts and the seat to move, open to whoever writes it fast.

    *template* has a `%d` for each count, and at its end `%c` for the seat to move, of
    which `MOVERS` has the letter; *order* are the cells that these stand for.
    """

    __slots__ = ("_cells", "_turn", "order", "template")

    def __init__(self, template: str, counts: tuple[int, ...], turn: int) -> None:
        """Take at least two cells, and a template for these."""
        self.template = f"{template} %c"
        self.order = (*counts, turn)
        self._cells = itemgetter(*counts)
        self._turn = turn

    def write(self, board: Board, over: bool) -> str:
        """Return the text of a board."""
        mover = "-" if over else MOVERS[board[self._turn]]
        return self.template % (*self._cells(board), mover)


class Face(Protocol):
    """The outside of a flat board: labels, text and drawing."""

    @property
    def seats(self) -> tuple[str, str]:
        """The two seats; the first is index 0."""

    @property
    def starters(self) -> tuple[str, ...]:
        """The seats that may begin."""

    def cells(self) -> tuple[str, ...]:
        """Return the name of each cell that is a place; a store has its seat's."""

    def moves(self) -> tuple[str, ...]:
        """Return the text of each move id."""

    def layout(self) -> Layout:
        """Return where the places are drawn."""

    def places(self, board: Board) -> Mapping[str, int | str]:
        """Return what is on each place."""

    def owners(self, board: Board) -> Mapping[str, str] | None:
        """Return who owns each pit, or None where that never changes."""

    @property
    def counted_text(self) -> CountedText | None:
        """The position text, or None where it tells more than counts."""

    def score(self, board: Board) -> dict[str, int]:
        """Return what each seat has."""

    def format(self, board: Board, over: bool) -> str:
        """Return the position text (G6)."""

    def read(self, text: str, board: Board) -> bool:
        """Read a position text into an opening board; tell whether it is over.

        :raises Malformed: saying what is wrong.
        """

    def hidden(self, board: Board) -> str:
        """Return what a position keeps that is not in its text, or nothing."""

    def read_hidden(self, text: str, board: Board) -> None:
        """Take back what `hidden` has written.

        :raises Malformed: saying what is wrong.
        """
