"""Positions of every board, drawn by `<seedlog-board>` on a page."""

import json
from typing import Any

from playwright.sync_api import Page

SOWN = [{"kind": "sow", "at": place} for place in ("D", "E", "F", "south")]
BOARDS: tuple[dict[str, Any], ...] = (
    {
        "game": "kalah",
        "position": "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S",
        "moves": "A B D E F",
        "steps": [{"kind": "lift", "at": "C", "count": 4}, *SOWN],
    },
    {
        "game": "oware-abapa",
        "position": "0,5,5,1,3,0/2,1,12,0,6,3 6,4 S",
        "moves": "B C D E",
        "steps": [
            {"kind": "lift", "at": "d", "count": 4},
            *({"kind": "sow", "at": place} for place in ("e", "f", "A", "B")),
            {"kind": "capture", "at": "A", "count": 2, "to": "north"},
        ],
    },
    {
        "game": "congkak",
        "position": "7,7,7,7,7,7,7/7,7,7,7,7,7,x 3,4 S round=2 starter=S",
        "moves": "A B C D E F G",
    },
    {
        "game": "oware-nam-nam",
        "position": "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S "
        "owners=SSSSSS/NNNSSN round=3 starter=S",
        "moves": "A B C D E F d e",
    },
    {
        "game": "bao-kujifunza",
        "position": "0,2,3,0,5,0,2,8/2,2,0,1,0,2,2,2/"
        "2,2,2,2,0,2,2,2/2,2,2,2,2,2,2,5 - S",
        "moves": "A2L A2R A5L A5R",
        "steps": [
            {"kind": "lift", "at": "a5", "count": 2},
            {"kind": "sow", "at": "a6"},
            {"kind": "enter", "at": "A1", "count": 3},
            {"kind": "sow", "at": "a1"},
            {"kind": "sow", "at": "a2"},
        ],
    },
    {
        "game": "reversi",
        "position": f"{'-' * 11}X{'-' * 7}XXX-----XOO-----XX{'-' * 27} X",
        "moves": "b3 f4 e6",
        "steps": [
            {"kind": "place", "at": "d2", "to": "black"},
            {"kind": "flip", "at": "d3", "to": "black"},
        ],
    },
)

DRAW = """([boards, columns]) => {
  document.body.replaceChildren();
  const style = { display: "grid", gap: "1rem", padding: "1rem", alignItems: "start",
    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` };
  Object.assign(document.body.style, style);
  for (const told of boards) {
    const board = document.createElement("seedlog-board");
    for (const [name, value] of Object.entries(told)) board.setAttribute(name, value);
    document.body.append(board);
  }
}"""


def draw_all(page: Page, *, theme: str = "wood", columns: int = 1) -> None:
    """Draw every board on a page that knows the element."""
    told = [
        {**board, "theme": theme, "steps": json.dumps(board.get("steps", []))}
        for board in BOARDS
    ]
    page.evaluate(DRAW, [told, columns])
    page.locator("seedlog-board svg").nth(len(BOARDS) - 1).wait_for()
