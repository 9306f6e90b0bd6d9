"""What the faces in JavaScript have to know of a board: their files, their numbers."""

from __future__ import annotations

from typing import Any

from rules_core.boards.face import Face
from rules_core.boards.four_row import ROWS, FourRow
from rules_core.boards.rounds import MatchExtras, OwnersExtras
from rules_core.boards.squares import Squares
from rules_core.boards.two_row import TwoRow

FaceScript = tuple[list[str], dict[str, Any]]
"""The files that a face is made of, and what they read in `GAME.face`."""


def face_script(face: Face) -> FaceScript | None:
    """Return how a face is written in JavaScript; None: it is not known there.

    A subclass may do what its class does not, so it is another face.
    """
    if type(face) is TwoRow:
        return _two_row(face)
    if type(face) is FourRow:
        rows = [[row, list(cells)] for row, cells in ROWS.items()]
        return ["four_row.js"], {"rows": rows, "turn": face.turn}
    if type(face) is Squares:
        return ["squares.js"], {"hands": face.hands}
    return None


def _two_row(face: TwoRow) -> FaceScript | None:
    numbers: dict[str, Any] = {
        "south": list(face.south),
        "north": list(face.north),
        "stores": face.stores,
        "turn": face.turn,
        "burnt": face.burnt,
        "extras": None,
        "swapping": face.swapping,
    }
    extras = face.extras
    if extras is None:
        return ["two_row.js"], numbers
    if type(extras) is MatchExtras:
        numbers["extras"] = {
            "kind": "match",
            "round": extras.round,
            "starter": extras.starter,
            "last": extras.last,
            "burnt": extras.burnt,
            "swapping": extras.swapping,
        }
        return ["rounds.js", "two_row.js"], numbers
    if type(extras) is OwnersExtras:
        numbers["extras"] = {
            "kind": "owners",
            "turn": extras.turn,
            "owners": extras.owners,
            "round": extras.round,
            "starter": extras.starter,
            "claim": extras.claim,
            "mostRounds": extras.most_rounds,
            "stores": extras.stores,
        }
        return ["owners.js", "two_row.js"], numbers
    return None
