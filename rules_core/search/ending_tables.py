"""Files of endings: what `endings` has worked out, kept, found and shared.

A file belongs to a game by its rules, with those options that bear on its endings. It
is one line of JSON, padded to 65,536 bytes, and then a byte for each position: what the
seat to move gains, as a signed number, or -128 where nobody comes to move. Where play
can go in circles it is two bytes, the bounds of `circles`, and another format.
Processes map it into memory, so that all on a machine share it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import mmap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.options import Option
from rules_core.search import Searcher, Values, find_searcher
from rules_core.search.endings import UNKNOWN
from rules_core.search.whole_files import write_whole

FORMAT = "seedlog-endings/1"
BOUNDS_FORMAT = "seedlog-ending-bounds/1"
FOLDER = "endings"
"""How the folder of tables is called in a data folder."""

HEADER = 1 << 16
"""Where the values begin: a place that every system can map a file from."""

FOREVER = 1 << 60
MOST_BYTES = 4 << 30
"""What making a table may take of memory, what is needed only meanwhile included."""

SMALL_BYTES = 8 << 20
"""How large a table may be that everybody gets: compiled, it is made in seconds."""

LINK_BYTES = 4
AT_ONCE = 1 << 18
"""So many places are worked on between two looks at the progress."""

Stamp = tuple[int, int]
"""By which a file is known: its number, and when it was written, in nanoseconds."""

OnPlaces = Callable[[int], None]
"""Is told of how many places all is done, or as good as done."""


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
        self.use(None)

    def use(self, folder: Path | None) -> None:
        """Look in this folder from now on; tables that were open stay so."""
        self._folder = folder
        self._open: dict[Path, tuple[Stamp, Endings | None]] = {}

    def find(self, variant: Variant) -> Endings | None:
        """Return the table of a game with these options, if there is one here.

        It may still be in the making, or be exchanged for a larger one.
        """
        if self._folder is None or not variant.engine.has_endings:
            return None
        path = self._folder / file_name(variant)
        try:
            told = path.stat()
        except OSError:
            return None
        stamp = (told.st_ino, told.st_mtime_ns)
        known, endings = self._open.get(path, (None, None))
        if known != stamp:
            endings = self._read(path, variant)
            self._open[path] = stamp, endings
        return endings

    def lend(self, variant: Variant, searcher: Searcher) -> None:
        """Let a search of a game with these options ask its table, if there is one."""
        if endings := self.find(variant):
            searcher.use_endings(endings.values, endings.seeds)

    @staticmethod
    def _read(path: Path, variant: Variant) -> Endings | None:
        try:
            return read_endings(path, variant)
        except NoEndings as reason:  # the game goes on without
            logging.getLogger(__name__).warning("endings are not used: %s", reason)
            return None


SHELF = Shelf()


def file_name(variant: Variant) -> str:
    """Return how the table of a game with these options is called."""
    options = [str(value).lower() for value in settled(variant).values()]
    return "-".join([variant.game.rules.replace("/", "-"), *options]) + ".endings"


def format_of(variant: Variant) -> str:
    """Return the format of the table of a game."""
    return BOUNDS_FORMAT if variant.engine.recurs else FORMAT


def settled(variant: Variant) -> dict[str, Option]:
    """Return the options that bear on endings."""
    names = variant.engine.ending_options
    return {name: variant.options[name] for name in names}


def count_places(variant: Variant, seeds: int) -> int:
    """Return how many positions there are of so many seeds at most.

    :raises NoEndings: the game has none, or not with these options.
    """
    engine, board = variant.engine, variant.deal()
    if not engine.has_endings:
        raise NoEndings(f"{variant.game.key} has no table of endings")
    if not engine.recurs and engine.banked(board, 0) < 0:
        raise NoEndings(f"{variant.game.key} has no endings with these options")
    pits = engine.ring_size(board)
    return math.comb(seeds + pits, pits) if seeds >= 0 else 0


def count_bytes(variant: Variant, seeds: int) -> int:
    """Return how long the table of so many seeds is, without its header.

    :raises NoEndings: the game has none.
    """
    return count_places(variant, seeds) * (2 if variant.engine.recurs else 1)


def count_links(variant: Variant, seeds: int) -> int:
    """Return how many links the positions of just so many seeds have."""
    if not variant.engine.recurs:
        return 0
    places = count_places(variant, seeds) - count_places(variant, seeds - 1)
    return places * (variant.engine.max_moves + 1)


def count_small(variant: Variant) -> int:
    """Return how many seeds a small table has.

    :raises NoEndings: the game has none.
    """
    seeds = 0
    while count_bytes(variant, seeds + 1) <= SMALL_BYTES:
        seeds += 1
    return seeds


def empty_board(variant: Variant) -> Board:
    """Return the board of a game without its seeds."""
    board, engine = variant.deal(), variant.engine
    if engine.swapping >= 0:
        board[engine.swapping] = 0
    for index in range(engine.ring_size(board)):
        board[engine.ring_cell(board, index)] = 0
    return board


def build_endings(variant: Variant, seeds: int) -> Endings:
    """Work out all endings of so many seeds.

    :raises NoEndings: the game has none, or there would be too many.
    """
    *_, endings = growing_endings(variant, seeds)
    return endings


def growing_endings(
    variant: Variant,
    seeds: int,
    known: Endings | None = None,
    on_places: OnPlaces = lambda places: None,
) -> Iterator[Endings]:
    """Work out all endings of so many seeds; yield the table as it grows.

    It begins with what is *known*; whatever is yielded is whole, and may be kept.

    :raises NoEndings: the game has none, or there would be too many.
    """
    size = count_bytes(variant, seeds)
    needed = size + LINK_BYTES * count_links(variant, seeds)
    if needed > MOST_BYTES:
        raise NoEndings(
            f"{seeds} seeds take {needed:,} bytes, more than {MOST_BYTES:,}"
        )
    values = bytearray([UNKNOWN & 255]) * size
    first = 0
    if known is not None:
        values[: len(known.values)] = known.values
        first = known.seeds + 1
    searcher = find_searcher(variant.game, FOREVER, FOREVER)
    for number in range(first, seeds + 1):
        if variant.engine.recurs:
            _narrow(searcher, variant, values, number, on_places)
        else:
            searcher.fill_endings(empty_board(variant), values, number)
        on_places(count_places(variant, number))
        if number == seeds:
            yield Endings(seeds, values)
        else:
            yield Endings(number, memoryview(values)[: count_bytes(variant, number)])


def _narrow(
    searcher: Searcher,
    variant: Variant,
    values: bytearray,
    seeds: int,
    on_places: OnPlaces,
) -> None:
    """Work out the bounds of all positions of just so many seeds."""
    first, end = count_places(variant, seeds - 1), count_places(variant, seeds)
    links = bytearray(LINK_BYTES * count_links(variant, seeds))
    searcher.use_links(empty_board(variant), values, links)
    for begin in range(first, end, AT_ONCE):
        searcher.link_endings(seeds, begin, min(begin + AT_ONCE, end))
        on_places(first + (begin - first) // 2)
    changed, done = 1, (first + end) // 2
    while changed:
        changed = 0
        for begin in range(first, end, AT_ONCE):
            changed += searcher.narrow_endings(seeds, begin, min(begin + AT_ONCE, end))
            done = max(done, (begin + end) // 2)
            on_places(done)


def write_endings(path: Path, variant: Variant, endings: Endings) -> None:
    """Write a table, which appears whole or not at all.

    :raises OSError: there is no room for it, or the folder cannot be written.
    """
    facts = {
        "format": format_of(variant),
        "rules": variant.game.rules,
        "options": settled(variant),
        "seeds": endings.seeds,
        "sha256": hashlib.sha256(endings.values).hexdigest(),
    }
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    head = json.dumps(facts).encode().ljust(HEADER - 1) + b"\n"
    write_whole(path, head, endings.values, mode=0o600)


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
    named = isinstance(facts, dict) and facts.get("format") == format_of(variant)
    if not named or facts.get("rules") != variant.game.rules:
        raise NoEndings(f"{path.name} is no table of {variant.game.rules}")
    if facts.get("options") != settled(variant):
        raise NoEndings(f"{path.name} is of other options")
    seeds = facts.get("seeds")
    if not isinstance(seeds, int) or size != count_bytes(variant, seeds):
        raise NoEndings(f"{path.name} is damaged")
    if hashlib.sha256(values).hexdigest() != facts.get("sha256"):
        raise NoEndings(f"{path.name} is damaged")
    return Endings(seeds, values)
