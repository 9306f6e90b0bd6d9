"""The rules of one game as JavaScript: for a page that is kept, and replays them.

The functions of a game file are translated, so what runs there are the very rules of
the server. Around them stand hand-written counterparts of positions and faces.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib.resources import files
from typing import Any

from rules_core.game import Variant
from rules_core.outcome import REASONS
from rules_core.translation.javascript.faces import face_script
from rules_core.translation.javascript.translate import translate
from rules_core.translation.subset import OutsideSubset

__all__ = ["script_of"]

WHOLE = """\
(() => {{
const GAME = {game};
const RULES = (() => {{
{kernel}
{functions}
const opening = () => [{opening}];
return {{ opening, {roots} }};
}})();
{parts}
return {{ ...GAME, Position }};
}})()"""


@cache
def script_of(variant: Variant) -> str | None:
    """Return the rules of a variant as an expression of JavaScript.

    Its value names the game, and has the class `Position`, which does what
    `rules_core.Position` does. None: the game has a face that is not known there, or
    rules outside the subset.
    """
    face = face_script(variant.face)
    if face is None:
        return None
    names, numbers = face
    roots = ["legal", "apply", "settle"]
    if variant.engine.standstill is not None:
        roots.append("standstill")
    module = sys.modules[variant.game.module]
    try:
        functions, wide = translate(module, roots, words=variant.engine.words)
    except (OutsideSubset, OSError):  # it cannot be written: that is the answer
        return None
    return WHOLE.format(
        game=_json({**_game(variant), "wide": wide, "face": numbers}),
        kernel=_part("kernel.js"),
        functions=functions,
        opening=", ".join(f"{count}{'n' if wide else ''}" for count in variant.opening),
        roots=", ".join(roots),
        parts="\n".join(_part(name) for name in ("position.js", *names)),
    )


def _game(variant: Variant) -> dict[str, Any]:
    engine = variant.engine
    return {
        "key": variant.game.key,
        "rules": variant.game.rules,
        "options": variant.game.options_on_record(variant.options),
        "seats": variant.seats,
        "starters": variant.face.starters,
        "moves": variant.move_names,
        "names": variant.cell_names,
        "reasons": REASONS,
        "cells": {
            "turn": engine.turn,
            "over": engine.over,
            "winner": engine.winner,
            "passed": engine.passed,
            "given": engine.given,
            "starter": engine.starter,
            "claiming": engine.claiming,
            "swapping": engine.swapping,
            "lasting": engine.lasting,
        },
    }


def _json(value: object) -> str:
    """Return a value as JavaScript; no text in it can end the element around it."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _part(name: str) -> str:
    return files("rules_core.translation.javascript").joinpath(name).read_text("utf-8")
