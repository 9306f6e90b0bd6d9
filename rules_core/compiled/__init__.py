"""Compiled games: the same game files, translated to C where a compiler was at hand.

Without them everything runs in plain Python, slower. `build` makes them.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from rules_core.face import MOVERS
from rules_core.game import Game, Variant
from rules_core.kernel import Board

RULES_CORE = os.path.dirname(os.path.dirname(__file__))
SHARED = (
    "kernel.py",
    "sowing.py",
    "subset.py",
    "search/alphabeta.py",
    "search/evaluation.py",
    "compiled/signs.py",
    "compiled/checked.py",
    "compiled/translate.py",
    "compiled/template.py",
    "compiled/interface.py",
)


def module_name(game: Game) -> str:
    """Return what the extension of a game is called."""
    return f"rules_core.compiled._{game.module.rpartition('.')[2]}"


def fingerprint(game: Game) -> str:
    """Return what changes with every file that an extension is made of."""
    found = hashlib.sha256()
    own = str(sys.modules[game.module].__file__)
    for path in (*(os.path.join(RULES_CORE, name) for name in SHARED), own):
        with open(path, "rb") as source:
            found.update(source.read())
    return found.hexdigest()[:16]


@cache
def find_compiled(game: Game) -> Any | None:
    """Return the extension of a game, or None: not built, or built of other sources."""
    try:
        module = importlib.import_module(module_name(game))
    except ImportError:
        return None
    if fingerprint(game) != module.FINGERPRINT:
        # imported here, for the sake of who only wants the rules, and quickly
        from logging import getLogger

        getLogger(__name__).warning("the compiled %s is out of date", game.rules)
        return None
    return module


def text_writer(variant: Variant, compiled: Any) -> Callable[[Board], str]:
    """Return what writes the text of a board that is not over, as its face does."""
    counted = variant.face.counted_text
    if counted is None:
        return partial(variant.face.format, over=False)
    template, order = counted.template, counted.order
    return partial(compiled.write_text, template, order, MOVERS)


def compiled_games() -> dict[str, bool]:
    """Tell of each game whether its compiled rules are in use."""
    from rules_core.catalog import GAMES

    return {game.key: find_compiled(game) is not None for game in GAMES}
