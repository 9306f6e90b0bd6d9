"""`seedlog tables GAME`: works out the endings of a game, for workers to look up."""

import click

from rules_core import GAMES, InvalidOptions, find_game
from rules_core.search.ending_tables import (
    FOLDER,
    NoEndings,
    build_endings,
    count_places,
    file_name,
    read_endings,
    write_endings,
)
from services.cli.command import fail, with_settings
from services.settings import Settings


def add_to(group: click.Group) -> None:
    """Add the command to `seedlog`."""
    group.add_command(tables)


@click.command()
@click.argument("game", type=click.Choice([game.key for game in GAMES]))
@click.option("--seeds", type=click.IntRange(1, 40), required=True)
@click.option(
    "--option",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the game, as pits=5 or empty_capture=true; the others: default.",
)
@with_settings
def tables(settings: Settings, game: str, seeds: int, given: tuple[str, ...]) -> None:
    """Work out every ending of up to so many seeds, and keep it in the data folder.

    AI workers that are started afterwards know what each of them is worth.
    """
    try:
        variant = find_game(game).variant(dict(map(_option, given)))
        size = count_places(variant, seeds)
        with click.progressbar(length=size, label=f"{size:,} positions") as bar:
            endings = build_endings(
                variant,
                seeds,
                lambda number: bar.update(count_places(variant, number) - bar.pos),
            )
        path = settings.data / FOLDER / file_name(variant)
        write_endings(path, variant, endings)
        read_endings(path, variant)
    except (NoEndings, InvalidOptions) as reason:
        fail(str(reason))
    click.echo(f"{path}: every position of {game} of up to {seeds} seeds")


def _option(text: str) -> tuple[str, object]:
    name, _, value = text.partition("=")
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.isdecimal() else value
