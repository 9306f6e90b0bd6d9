"""Perft tables: from the literature and independent programs, and our own."""

import json
from pathlib import Path

OWN_PERFT = Path(__file__).parent / "perft.json"

KNOWN = [
    # confirmed by OpenSpiel, by an engine in C and, Oware, by one in Java
    (
        "kalah",
        {},
        (6, 35, 185, 942, 4690, 23233, 114430, 563055, 2763490, 13519608),
    ),
    (
        "kalah",
        {"seeds": 3},
        (6, 35, 182, 904, 4243, 19418, 87103, 387726, 1715619, 7557979),
    ),
    (
        "kalah",
        {"seeds": 5},
        (6, 35, 187, 982, 5113, 26927, 142073, 748196, 3914250, 20294622),
    ),
    (
        "kalah",
        {"seeds": 6},
        (6, 35, 190, 1056, 5882, 32243, 177827, 962153, 5197521, 27673819),
    ),
    (
        "kalah",
        {"pits": 4, "seeds": 3},
        (
            4,
            15,
            50,
            158,
            488,
            1510,
            4638,
            14108,
            41869,
            120853,
            341717,
            940713,
            2540943,
        ),
    ),
    (
        "kalah",
        {"empty_capture": True},
        (6, 35, 185, 942, 4685, 23169, 113959, 559885, 2743126, 13394139),
    ),
    (
        "kalah",
        {"seeds": 6, "empty_capture": True},
        (6, 35, 190, 1056, 5882, 32243, 177804, 961846, 5194136, 27642361),
    ),
    (
        "oware-abapa",
        {},
        (6, 36, 190, 1014, 5219, 27332, 139157, 711414, 3592872, 18137964),
    ),
    # Aart Bik, "Perft for Reversi": a pass is a ply, a finished game is one line
    (
        "reversi",
        {},
        (4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284),
    ),
    # an independent program; finished games are counted on, as one line
    ("bao-kujifunza", {}, (16, 108, 500, 1902 + 16, 6550 + 40)),
]

OWN = [
    (entry["game"], entry["options"], entry["counts"])
    for entry in json.loads(OWN_PERFT.read_text(encoding="utf-8"))
]
