"""How long one has to look at what others do: measured in beats, not in time."""

import json
from pathlib import Path

from services.web.page import STATIC
from tests.support.node import run_node

ASK = """
import { beatOf } from "./pace.mjs";
function turn(speed, beats, moves) {
  let ms = 0;
  for (let before = 0; before < moves; before += 1) {
    ms += beats * beatOf(speed, beats, before);
  }
  return ms;
}
console.log(JSON.stringify({
  short: turn("normal", 7, 1), long: turn("normal", 300, 1),
  eight: turn("normal", 60, 8), slow: turn("slow", 60, 8),
  fast: turn("fast", 60, 8), none: turn("none", 60, 8),
}));
"""


def test_a_long_turn_is_shown_in_less_than_fifteen_seconds(tmp_path: Path) -> None:
    """Eight moves of sixty beats took 39 s; a short move is shown as it always was."""
    module = (STATIC / "pace.js").read_text("utf-8")
    (tmp_path / "pace.mjs").write_text(module, "utf-8")
    (tmp_path / "ask.mjs").write_text(ASK)
    ran = run_node(tmp_path, "ask.mjs")
    assert ran.returncode == 0, ran.stderr
    ms = json.loads(ran.stdout)

    assert 900 < ms["short"] < 7 * 190
    assert ms["long"] < 5_000
    assert ms["fast"] < ms["eight"] < 15_000
    assert ms["none"] == 0
    assert ms["slow"] < 3 * ms["eight"]
