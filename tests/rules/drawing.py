"""Boards drawn in tests, read as position texts."""

import re

from rules_core import Position, find_game, parse

ENDS = {"south to move": "S", "north to move": "N", "over": "-"}


def drawn(drawing: str, game: str = "kalah", extras: str = "") -> str:
    """Return the position text of a drawing of a two-row board.

    North's row is drawn from its right to its left, then the stores at their ends, then
    south's row; words of one letter are labels, what follows them is the seat to move.
    """
    ends = find_game(game).layout(None).stores
    top, middle, bottom = [line for line in drawing.splitlines() if line.strip()]
    north = re.findall(r"\d+|x\b", top)[::-1]
    south = re.findall(r"\d+|x\b", bottom)
    left, right = re.findall(r"\d+", middle)
    stores = (left, right) if ends["south"] == "left" else (right, left)
    (mover,) = [letter for words, letter in ENDS.items() if words in bottom]
    text = f"{','.join(south)}/{','.join(north)} {','.join(stores)} {mover}"
    return f"{text} {extras}".strip()


def drawn_squares(drawing: str) -> str:
    """Return the position text of a Reversi board, drawn in eight lines of squares.

    A point is an empty square; the last word is the disc to move, or '-'.
    """
    words = drawing.split()
    squares = "".join(words[:-1]).replace(".", "-")
    assert len(squares) == 64
    return f"{squares} {words[-1]}"


def position(game: str, drawing: str, extras: str = "", **options: object) -> Position:
    """Return the position of a drawing."""
    if game == "reversi":
        return parse(game, drawn_squares(drawing))
    return parse(game, drawn(drawing, game, extras), options)
