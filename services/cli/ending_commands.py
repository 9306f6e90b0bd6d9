"""`seedlog tables [GAME]`: works out the endings of games, for workers to look up."""

import time
from pathlib import Path

import click

from rules_core import GAMES, InvalidOptions, find_game
from rules_core.compiled import find_compiled
from rules_core.game import Variant
from rules_core.search.ending_tables import (
    FOLDER,
    Endings,
    NoEndings,
    count_places,
    count_small,
    file_name,
    growing_endings,
    read_endings,
    write_endings,
)
from services.cli.command import with_settings
from services.cli.failing import fail
from services.local_files import make_private_folder
from services.settings import Settings

KEEP_EVERY_S = 20.0
"""What is worked out, up to a number of seeds, is not kept more often than this."""


@click.command()
@click.argument("game", type=click.Choice([game.key for game in GAMES]), required=False)
@click.option("--seeds", type=click.IntRange(1, 40), help="Without: a small table.")
@click.option(
    "--option",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the game, as pits=5 or empty_capture=true; the others: default.",
)
@with_settings
def tables(
    settings: Settings, game: str | None, seeds: int | None, given: tuple[str, ...]
) -> None:
    """Work out every ending of up to so many seeds, and keep it in the data folder.

    Without a GAME: a small table, made in seconds, of each game that has endings, where
    there is none. Interrupted, it goes on when it is run again, from the last number of
    seeds that was whole. AI workers look up what they find when they need it.

    In Kalah and Congkak a table says what each ending is worth. In Oware, Oware Abapa
    and Bao with Laps, where play can go in circles, it says of how many seeds each seat
    can make sure: in Oware that tells who wins every ending.
    """
    folder = settings.data / FOLDER
    try:
        make_private_folder(settings.data)
        if game is not None:
            make_table(
                folder, find_game(game).variant(dict(map(_option, given))), seeds
            )
        elif seeds is None and not given:
            _make_small(folder)
        else:
            fail("say of which game")
    except (NoEndings, InvalidOptions) as reason:
        fail(str(reason))
    except OSError as error:
        fail(f"{error.filename or folder} cannot be written: {error.strerror}")


def make_table(folder: Path, variant: Variant, wanted: int | None) -> None:
    """Work out what is not kept yet of so many seeds, or of a small table.

    :raises NoEndings: the game has none, or there would be too many.
    :raises OSError: the table cannot be written.
    """
    seeds = count_small(variant) if wanted is None else wanted
    path = folder / file_name(variant)
    known = _known(path, variant)
    if known is None or known.seeds < seeds:
        _grow(path, variant, seeds, known)
        known = read_endings(path, variant)
    whole = f"every position of {variant.game.key} of up to {known.seeds} seeds"
    click.echo(f"{path}: {whole}")


def _make_small(folder: Path) -> None:
    """Make what is small and missing, of compiled games: plain Python takes hours."""
    for game in GAMES:
        if game.engine.has_endings and find_compiled(game) is not None:
            make_table(folder, game.variant(None), None)


def _grow(path: Path, variant: Variant, seeds: int, known: Endings | None) -> None:
    """Work out what is missing, and keep what is whole by and by."""
    size, kept = count_places(variant, seeds), time.monotonic()
    unkept: Endings | None = None
    label = f"{variant.game.key}: {size:,} positions"
    with click.progressbar(length=size, label=label) as bar:
        try:
            for endings in growing_endings(
                variant, seeds, known, lambda places: bar.update(places - bar.pos)
            ):
                unkept = endings
                if endings.seeds == seeds or time.monotonic() > kept + KEEP_EVERY_S:
                    write_endings(path, variant, endings)
                    unkept, kept = None, time.monotonic()
        except KeyboardInterrupt:
            if unkept is not None:
                write_endings(path, variant, unkept)
            raise


def _known(path: Path, variant: Variant) -> Endings | None:
    """Return the table that is there, if it can be used."""
    if not path.exists():
        return None
    try:
        return read_endings(path, variant)
    except NoEndings as reason:
        click.echo(f"{reason}: it is made anew", err=True)
        return None


def _option(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.isdecimal() else value
