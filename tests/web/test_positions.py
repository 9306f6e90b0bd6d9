"""What `<seedlog-board>` reads from a text is what the rules say of that position."""

import json
import random
import shutil
from pathlib import Path

import pytest

from rules_core import GAMES, start
from rules_core.game import Game
from services.web.page import STATIC
from tests.support.node import run_node

READ = """
import { readFileSync } from "node:fs";
import { readPosition } from "./boards/position.js";
const asked = JSON.parse(readFileSync("asked.json", "utf8"));
console.log(JSON.stringify(asked.map(([game, text]) => readPosition(game, text))));
"""
OPTIONS = {
    "congkak": {"rounds": "match", "pits": 5, "seeds": 3, "pie": True},
    "kalah": {"pits": 4, "pie": True},
}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_text_is_read_as_the_rules_read_it(game: Game, tmp_path: Path) -> None:
    """Of a whole random match: rounds, burnt pits and new owners among it."""
    chance = random.Random(game.key)
    position = start(game.key, OPTIONS.get(game.key, {}))
    seen = [position]
    while position.legal_moves and len(seen) < 300:
        position = position.play(chance.choice(position.legal_moves))
        seen.append(position)
    layout = game.layout(game.complete_options(OPTIONS.get(game.key, {})))

    asked = [[game.key, str(position)] for position in seen]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    (tmp_path / "read.mjs").write_text(READ)
    shutil.copytree(STATIC / "boards", tmp_path / "boards")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    ran = run_node(tmp_path, "read.mjs")
    assert ran.returncode == 0, ran.stderr
    for position, read in zip(seen, json.loads(ran.stdout), strict=True):
        assert read["board"] == dict(position.board)
        assert read["owners"] == (dict(position.owners) if position.owners else None)
        assert read["toMove"] == position.to_move
        assert read["layout"] == {
            "kind": layout.kind,
            "rows": [list(row) for row in layout.rows],
            "stores": dict(layout.stores),
            "owners": dict(layout.owners),
        }
