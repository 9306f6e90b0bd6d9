"""How random games end: a table at the end of each rulebook, from recorded counts.

`random_play.json` is written by the command that records the playthroughs of the rules.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from rules_core import find_game
from services.rulebooks.wording import Sentences


def tell_random_play(game_key: str, sentences: Sentences) -> str:
    """Return the section of a game, or nothing if its games were not counted."""
    counted = _counts().get(game_key)
    if counted is None:
        return ""
    words = sentences.random_play
    plies = round(counted["plies"] / counted["games"])
    intro = words["intro"].format(games=counted["games"], plies=plies)
    seats = dict(zip(find_game(game_key).seats, ("first", "second"), strict=True))
    rows = [
        (words[seats.get(winner, "draw")], count)
        for winner, count in sorted(counted["winners"].items(), key=lambda w: -w[1])
    ]
    rows += [
        (f"`{reason}`", count)
        for reason, count in sorted(counted["reasons"].items(), key=lambda r: -r[1])
    ]
    table = [f"| {words['result']} | {words['games']} |", "| --- | --- |"]
    table += [f"| {name} | {count} |" for name, count in rows]
    return "\n".join(
        ["", f"## {words['title']} {{#random-play}}", "", intro, "", *table, ""]
    )


@cache
def _counts() -> dict[str, Any]:
    path = files("services.rulebooks") / "random_play.json"
    counts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return counts
