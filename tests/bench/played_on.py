"""Bao for Children, played on to the last seed, where its rules would end it.

B6 ends the game when a seat has 25 of the 48 seeds. Seeds never leave a store, so if
the game went on, that seat would have more than half at the end as well, and nobody
else ever could: who wins is the same. The margin is not, but the game that goes on can
be looked through as Kalah is: what lies in the stores is no part of its positions, and
its endings stand in a table. Openings that a minute left open take a second or two.

A table of fourteen seeds takes a minute. Each seed more takes twice as long, twice the
room, and spares the proofs a part of their time: so a larger one may be kept.
"""

import importlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rules_core import Position
from rules_core.game import Game
from rules_core.games import bao_children
from rules_core.search.ending_tables import SHELF
from rules_core.translation.c.build import compile_game_file
from services.cli.ending_commands import make_table
from tests.bench import played_on_rules

TABLE_SEEDS = 14
MAJORITY, ALL_SEEDS = "HALF = 24\n", "HALF = 48\n"
HOOKS = f"""
import {played_on_rules.__name__} as played_on_rules
from {played_on_rules.__name__} import banked, least, most, ring_cell, ring_size

PARTS = (played_on_rules,)
"""
PACKAGE = "seedlog_played_on"


class PlayedOn:
    """The game without B6: the same file of rules, with another number in it."""

    def __init__(self, kept: Path | None, seeds: int) -> None:
        """Write it to a folder, compile it, and work out its endings of so many seeds.

        Where they are *kept*, those that are there are not worked out again.
        """
        self._folder = TemporaryDirectory(prefix="seedlog-")
        folder = Path(self._folder.name)
        text = Path(bao_children.__file__).read_text("utf-8")
        assert text.count(MAJORITY) == 1
        (folder / PACKAGE).mkdir()
        (folder / PACKAGE / "__init__.py").touch()
        file = folder / PACKAGE / "game.py"
        file.write_text(text.replace(MAJORITY, ALL_SEEDS) + HOOKS, "utf-8")
        sys.path.insert(0, str(folder))
        game = Game.of(importlib.import_module(f"{PACKAGE}.game"))
        compile_game_file(folder / "build", game)
        self._variant = game.variant(None)
        tables = kept or folder
        make_table(tables, self._variant, seeds)
        SHELF.use(tables)

    def position(self, position: Position) -> Position:
        """Return a position of Bao for Children as one of the game that goes on."""
        return Position(self._variant, list(position.flat), position.seen)
