"""Compiled games: the same game files, translated to C where a compiler was at hand.

Without them everything runs in plain Python, slower. `build` makes them.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import sys
from functools import cache
from pathlib import Path
from typing import Any

from rules_core.game import Game

log = logging.getLogger(__name__)

RULES_CORE = Path(__file__).parents[1]
SHARED = (
    "kernel.py",
    "sowing.py",
    "search/alphabeta.py",
    "search/evaluation.py",
    "compiled/translate.py",
    "compiled/template.py",
)


def module_name(game: Game) -> str:
    """Return what the extension of a game is called."""
    return f"rules_core.compiled._{game.module.rpartition('.')[2]}"


def fingerprint(game: Game) -> str:
    """Return what changes with every file that an extension is made of."""
    found = hashlib.sha256()
    own = Path(str(sys.modules[game.module].__file__))
    for path in (*(RULES_CORE / name for name in SHARED), own):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


@cache
def find_compiled(game: Game) -> Any | None:
    """Return the extension of a game, or None: not built, or built of other sources."""
    try:
        module = importlib.import_module(module_name(game))
    except ImportError:
        return None
    if fingerprint(game) != module.FINGERPRINT:
        log.warning("the compiled %s is out of date and not used", game.rules)
        return None
    return module
