"""`seedlog book GAME`: works out what the first moves of a game are worth."""

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import click

from rules_core import Game, all_games, find_game, start
from rules_core.compiled import find_compiled
from rules_core.errors import RulesError
from rules_core.plugins import BrokenPackage
from rules_core.search.book import (
    Book,
    NoBook,
    book_moves,
    book_path,
    read_book,
    write_book,
)
from rules_core.search.book_growing import CannotLook, Grower, begin_book
from rules_core.search.book_proving import Prover
from rules_core.search.cancel import Cancel
from services.cli.engine_commands import use_endings
from services.cli.failing import fail

NODES, PLAIN_NODES, PLIES, MINUTES = 2_000_000, 20_000, 30, 3.0
WRITTEN_EVERY_S = 10.0
LOOK_S = 0.2


@click.command()
@click.argument("game")
@click.option(
    "--minutes",
    default=MINUTES,
    show_default=True,
    type=click.FloatRange(0),
    help="how long to go on; 0: say what there is",
)
@click.option(
    "--positions",
    type=click.IntRange(1),
    help="go on until it has so many instead, which gives the same book anywhere",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    help=f"so many are looked at for each ({NODES:,}); a book keeps to its own",
)
@click.option(
    "--plies",
    type=click.IntRange(0),
    help=f"so far from the start at most ({PLIES}); a book keeps to its own",
)
@click.option(
    "--prove",
    default=0,
    type=click.IntRange(0),
    metavar="SEEDS",
    help="prove how each seat keeps what the start is worth to it, until a search of "
    "so many nodes proves the rest or promises so many SEEDS more",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="where the book is, or is to be; without it beside the game file",
)
def book(
    game: str,
    minutes: float,
    positions: int | None,
    nodes: int | None,
    plies: int | None,
    prove: int,
    out: Path | None,
) -> None:
    """Work out what the first moves of GAME are worth, and keep it as its book.

    Computer players of the highest level that are started afterwards open by it. A book
    that is there is made larger; Ctrl-C ends that sooner, and loses nothing.
    """
    if not math.isfinite(minutes):
        fail("--minutes is a number of minutes")
    try:
        all_games()
        chosen = find_game(game)
        path = out or book_path(chosen)
        begun = _begin(chosen, path, nodes, plies, prove=prove)
        if begun.proves:
            use_endings()  # proofs are the same with them, and sooner there
        grower = Prover(begun) if begun.proves else Grower(begun)
    except (BrokenPackage, CannotLook, NoBook, RulesError) as error:
        fail(str(error))
    known, began = grower.book.entries, time.monotonic()

    def done() -> float:
        return len(known) if positions else time.monotonic() - began

    most = positions or round(60 * minutes)
    if done() < most:
        try:
            with click.progressbar(length=most, label=chosen.rules) as bar:
                _grow(grower, path, done, most, lambda n: bar.update(n - bar.pos))
        except CannotLook as error:
            fail(str(error))
        except OSError as error:
            fail(f"{path} cannot be written: {error.strerror}")
    for line in _tell(grower.book, path):
        click.echo(line)


def _begin(
    game: Game, path: Path, nodes: int | None, plies: int | None, *, prove: int
) -> Book:
    """Return the book that is there, or an empty one.

    :raises NoBook: it cannot be read, or was made in another way.
    """
    variant = game.variant(None)
    if not path.exists():
        usual = PLAIN_NODES if find_compiled(game) is None else NODES
        begun = begin_book(variant, nodes or usual, PLIES if plies is None else plies)
        return replace(begun, proves=prove)
    found = read_book(path, variant)
    if nodes not in (None, found.nodes) or plies not in (None, found.plies):
        raise NoBook(
            f"{path} was made with --nodes {found.nodes} --plies {found.plies}; remove "
            "it to begin with others"
        )
    if prove not in (0, found.proves):
        raise NoBook(
            f"{path} was made with --prove {found.proves}; remove it to begin with "
            "another"
        )
    return found


def _grow(
    grower: Grower | Prover,
    path: Path,
    done: Callable[[], float],
    most: int,
    show: Callable[[int], None],
) -> None:
    """Let a book grow, and write it now and then, until it is done or Ctrl-C comes.

    A search in C hears no signal: it thinks in a thread of its own.

    :raises CannotLook: the budget is too small.
    """
    cancel, written = Cancel(), time.monotonic()
    with ThreadPoolExecutor(1) as thread:
        try:
            while done() < most:
                looked = thread.submit(grower.grow, cancel)
                while wait([looked], LOOK_S).not_done:
                    show(min(int(done()), most))
                if not looked.result():
                    break
                if time.monotonic() - written > WRITTEN_EVERY_S:
                    write_book(path, grower.book)
                    written = time.monotonic()
                show(min(int(done()), most))
        except KeyboardInterrupt:
            cancel.set()
    if grower.book.entries:
        write_book(path, grower.book)


def _tell(book: Book, path: Path) -> Iterator[str]:
    """Yield what is said of a book: how far it goes, and its first moves."""
    if not book.entries:
        yield f"{path}: nothing yet"
        return
    furthest = max(entry.ply for entry in book.entries.values())
    yield f"{path}: {len(book.entries):,} positions, {furthest} plies from the start"
    game = book.variant.game
    first = start(game.key, rules=game.rules)
    good = book_moves(first, book)
    known = book.worth_of(first)
    unknown = "at most" if book.proves else "perhaps"
    for move in sorted(known, key=lambda move: -known[move].rank):
        worth = known[move]
        certain = "exactly" if worth.exact else unknown
        said = f"{move}: {certain} {worth.value / 100:+g}"
        yield f"{said}, played" if move in good else said
