"""Draws boards in plain characters, which need no translation and fit any terminal."""

from collections.abc import Mapping, Sequence

from rules_core import Layout

Board = Mapping[str, int | str]

DISCS = {"black": "X", "white": "O"}
CELL = 4
MARGIN = " " * 4


def draw(layout: Layout, board: Board) -> str:
    """Return a board as the first seat sees it, with its labels."""
    if layout.kind == "squares":
        return _draw_squares(layout, board)
    return _draw_pits(layout, board)


def _draw_squares(layout: Layout, board: Board) -> str:
    files = "  " + "".join(f" {square[0]}" for square in layout.rows[0])
    lines = [
        f"{row[0][1:]:>2}"
        + "".join(f" {DISCS.get(str(board.get(square)), '.')}" for square in row)
        for row in layout.rows
    ]
    return "\n".join([files, *lines])


def _draw_pits(layout: Layout, board: Board) -> str:
    """Draw the rows, the labels of each on its owner's side."""
    middle = len(layout.rows) // 2
    lines = []
    for row in layout.rows[:middle]:
        lines += [_draw_labels(row), _draw_counts(row, board)]
    if layout.stores:
        ends = {end: board[seat] for seat, end in layout.stores.items()}
        gap = " " * (CELL * len(layout.rows[0]) + 2)
        lines.append(f"[{ends['left']:>2}]{gap}[{ends['right']:>2}]")
    for row in layout.rows[middle:]:
        lines += [_draw_counts(row, board), _draw_labels(row)]
    return "\n".join(lines)


def _draw_labels(row: Sequence[str]) -> str:
    return MARGIN + "".join(f"{label:>{CELL}}" for label in row)


def _draw_counts(row: Sequence[str], board: Board) -> str:
    """Draw the counts of a row; a pit that is out of play is an x."""
    return MARGIN + "".join(f"{board.get(pit, 'x'):>{CELL}}" for pit in row)
