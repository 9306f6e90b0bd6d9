"""The moments that the page shows of a move end in the board after it."""

import json
import random
import shutil
from pathlib import Path

import pytest

from rules_core import GAMES, start
from rules_core.game import Game
from services.web.assets import STATIC
from tests.support.node import run_node

SHOW = """
import { readFileSync } from "node:fs";
import { framesOf } from "./steps.js";
const asked = JSON.parse(readFileSync("asked.json", "utf8"));
const last = ([before, steps]) => framesOf(before, steps).at(-1);
console.log(JSON.stringify(asked.map(last)));
"""
OPTIONS = {
    "congkak": {"rounds": "match", "pits": 5, "seeds": 3, "pie": True},
    "kalah": {"pie": True},
}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_the_last_frame_of_a_move_is_the_board_after_it(
    game: Game, tmp_path: Path
) -> None:
    """Of a whole random match; a swap is played where there is one."""
    chance = random.Random(game.key)
    position = start(game.key, OPTIONS.get(game.key, {}))
    asked, boards, swaps = [], [], 0
    while position.legal_moves and len(boards) < 120:
        moves = position.legal_moves
        move = "swap" if "swap" in moves else chance.choice(moves)
        swaps += move == "swap"
        owners = position.owners and dict(position.owners)
        before = {"board": dict(position.board), "owners": owners}
        asked.append([before, [step.as_json() for step in position.steps(move)]])
        position = position.play(move)
        boards.append(dict(position.board))

    (tmp_path / "asked.json").write_text(json.dumps(asked))
    (tmp_path / "show.mjs").write_text(SHOW)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copytree(STATIC / "boards", tmp_path / "boards")
    shutil.copy(STATIC / "steps.js", tmp_path)
    ran = run_node(tmp_path, "show.mjs")
    assert ran.returncode == 0, ran.stderr
    assert [frame["board"] for frame in json.loads(ran.stdout)] == boards
    assert swaps == ("pie" in OPTIONS.get(game.key, {}))
