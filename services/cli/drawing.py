"""Draws boards in a terminal, from what the API says of layout and places."""

from collections.abc import Mapping, Sequence
from typing import Any

CELL = 4


def draw_board(layout: Mapping[str, Any], board: Mapping[str, Any]) -> str:
    """Return a board as lines of text, as the first seat sees it."""
    if layout["kind"] == "squares":
        return _draw_squares(layout["rows"], board)
    return _draw_pits(layout, board)


def _draw_squares(rows: Sequence[Sequence[str]], board: Mapping[str, Any]) -> str:
    signs = {"black": "●", "white": "○"}
    header = "    " + " ".join(square[0] for square in rows[0])
    lines = [
        f"  {row[0][1:]} " + " ".join(signs.get(board.get(s, ""), "·") for s in row)
        for row in rows
    ]
    return "\n".join([header, *lines])


def _draw_pits(layout: Mapping[str, Any], board: Mapping[str, Any]) -> str:
    rows = layout["rows"]
    stores = {side: seat for seat, side in layout["stores"].items()}
    margin = " " * 6
    lines = [margin + "".join(f"{label:>{CELL}}" for label in rows[0])]
    middle = (len(rows) - 1) / 2
    for number, row in enumerate(rows):
        counts = "".join(f"{board.get(label, 'x'):>{CELL}}" for label in row)
        lines.append(margin + counts)
        if stores and number < middle <= number + 1:
            width = CELL * len(row)
            left = board[stores["left"]] if "left" in stores else ""
            right = board[stores["right"]] if "right" in stores else ""
            lines.append(f"{left:>6}" + " " * width + f"{right:>6}")
    lines.append(margin + "".join(f"{label:>{CELL}}" for label in rows[-1]))
    return "\n".join(lines)
