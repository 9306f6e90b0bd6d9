"""Files of endings: what `endings` has worked out, kept, found and shared.

A file belongs to a game by its rules, with those options that bear on its endings. It
is one line of JSON, padded to 65,536 bytes, and then a byte for each position: what the
seat to move gains, as a signed number, or -128 where nobody comes to move. Processes
map it into memory, so that all on a machine share it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import mmap
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.options import Option
from rules_core.search import Values, find_searcher
from rules_core.search.endings import UNKNOWN

FORMAT = "seedlog-endings/1"
FOLDER = "endings"
"""How the folder of tables is called in a data folder."""

HEADER = 1 << 16
"""Where the values begin: a place that every system can map a file from."""

FOREVER = 1 << 60
MOST_BYTES = 4 << 30


class NoEndings(Exception):
    """There is no table of endings, or none can be made; says why."""


@dataclass(frozen=True, slots=True)
class Endings:
    """The values of all positions up to so many seeds."""

    seeds: int
    values: Values


class Shelf:
    """The folder where this process looks for tables of endings."""

    def __init__(self) -> None:
        """Begin without one."""
        self._folder: Path | None = None
        self._open = cache(self._read)

    def use(self, folder: Path | None) -> None:
        """Look in this folder from now on; tables that were open stay so."""
        self._folder = folder
        self._open = cache(self._read)

    def find(self, variant: Variant) -> Endings | None:
        """Return the table of a game with these options, if there is one here."""
        if self._folder is None or not variant.engine.has_endings:
            return None
        return self._open(self._folder / file_name(variant), variant)

    @staticmethod
    def _read(path: Path, variant: Variant) -> Endings | None:
        if not path.exists():
            return None
        try:
            return read_endings(path, variant)
        except NoEndings as reason:  # the game goes on without
            logging.getLogger(__name__).warning("endings are not used: %s", reason)
            return None


SHELF = Shelf()


def file_name(variant: Variant) -> str:
    """Return how the table of a game with these options is called."""
    options = "-".join(str(value).lower() for value in settled(variant).values())
    return f"{variant.game.rules.replace('/', '-')}-{options}.endings"


def settled(variant: Variant) -> dict[str, Option]:
    """Return the options that bear on endings."""
    names = variant.engine.ending_options
    return {name: variant.options[name] for name in names}


def count_places(variant: Variant, seeds: int) -> int:
    """Return how many positions there are of so many seeds at most.

    :raises NoEndings: the game has none.
    """
    if not variant.engine.has_endings:
        raise NoEndings(f"{variant.game.key} has no table of endings")
    pits = variant.engine.ring_size(variant.deal())
    return math.comb(seeds + pits, pits)


def empty_board(variant: Variant) -> Board:
    """Return the board of a game without its seeds."""
    board, engine = variant.deal(), variant.engine
    if engine.swapping >= 0:
        board[engine.swapping] = 0
    for index in range(engine.ring_size(board)):
        board[engine.ring_cell(board, index)] = 0
    return board


def build_endings(
    variant: Variant, seeds: int, on_seeds: Callable[[int], None] | None = None
) -> Endings:
    """Work out all endings of so many seeds; *on_seeds* is told of each number.

    :raises NoEndings: the game has none, or there would be too many.
    """
    size = count_places(variant, seeds)
    if size > MOST_BYTES:
        raise NoEndings(f"{seeds} seeds take {size:,} bytes, more than {MOST_BYTES:,}")
    if variant.engine.banked(variant.deal(), 0) < 0:
        raise NoEndings(f"{variant.game.key} has no endings with these options")
    values = bytearray([UNKNOWN & 255]) * size
    searcher = find_searcher(variant.game, FOREVER, FOREVER)
    board = empty_board(variant)
    for number in range(seeds + 1):
        searcher.fill_endings(board, values, number)
        if on_seeds is not None:
            on_seeds(number)
    return Endings(seeds, values)


def write_endings(path: Path, variant: Variant, endings: Endings) -> None:
    """Write a table, which appears whole or not at all."""
    facts = {
        "format": FORMAT,
        "rules": variant.game.rules,
        "options": settled(variant),
        "seeds": endings.seeds,
        "sha256": hashlib.sha256(endings.values).hexdigest(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with draft.open("wb") as file:
        file.write(json.dumps(facts).encode().ljust(HEADER - 1) + b"\n")
        file.write(endings.values)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def read_endings(path: Path, variant: Variant) -> Endings:
    """Map a table into memory.

    :raises NoEndings: it is damaged, or that of another game, or not to be read.
    """
    try:
        with path.open("rb") as file:
            facts = json.loads(file.read(HEADER))
            size = path.stat().st_size - HEADER
            values = mmap.mmap(
                file.fileno(), size, access=mmap.ACCESS_READ, offset=HEADER
            )
    except (OSError, ValueError) as error:
        raise NoEndings(f"{path.name} cannot be read: {error}") from error
    named = isinstance(facts, dict) and facts.get("format") == FORMAT
    if not named or facts.get("rules") != variant.game.rules:
        raise NoEndings(f"{path.name} is no table of {variant.game.rules}")
    if facts.get("options") != settled(variant):
        raise NoEndings(f"{path.name} is of other options")
    seeds = facts.get("seeds")
    if not isinstance(seeds, int) or size != count_places(variant, seeds):
        raise NoEndings(f"{path.name} is damaged")
    if hashlib.sha256(values).hexdigest() != facts.get("sha256"):
        raise NoEndings(f"{path.name} is damaged")
    return Endings(seeds, values)
