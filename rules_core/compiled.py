"""Compiled games: the same game files, translated to C where a compiler was at hand.

The extension of a game lies beside its file, `_kalah` beside `kalah`, whoever brings
it; `rules_core.translation.c.build` makes it. Without one a game runs in plain Python,
slower.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from rules_core.catalog import all_games
from rules_core.game import Game
from rules_core.kernel import Table

HERE = Path(__file__).parent
SHARED = (
    "kernel.py",
    "engine.py",
    "games/sowing.py",
    "search/worth.py",
    "search/swapping.py",
    "search/remembering.py",
    "search/ordering.py",
    "search/endings.py",
    "search/circles.py",
    "search/solving.py",
    "search/alphabeta.py",
    "translation/subset.py",
    "translation/c/*.p*",
)
"""What every extension is made of, besides its game file."""


def module_name(game: Game) -> str:
    """Return what the extension of a game is called."""
    package, _, name = game.module.rpartition(".")
    return f"{package}._{name}" if package else f"_{name}"


def fingerprint(game: Game) -> str:
    """Return what changes with every file that an extension is made of."""
    digest = hashlib.sha256(_shared_sources())
    for part in parts_of(game):
        digest.update(Path(str(part.__file__)).read_bytes())
        for value in vars(part).values():
            if isinstance(value, Table):
                digest.update(value.path.read_bytes())
    return digest.hexdigest()[:16]


def parts_of(game: Game) -> tuple[ModuleType, ...]:
    """Return the modules in which the rules of a game stand, the game file last."""
    module = sys.modules[game.module]
    return (*getattr(module, "PARTS", ()), module)


@cache
def _shared_sources() -> bytes:
    paths = [path for name in SHARED for path in sorted(HERE.glob(name))]
    return b"".join(path.read_bytes() for path in paths)


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


def plain_games() -> list[str]:
    """Return the keys of the games that run in plain Python here, plugins included."""
    return [game.key for game in all_games() if find_compiled(game) is None]
