"""`seedlog new-game` and `compile`: games beside those that Seedlog brings."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from services.cli.failing import fail


@click.command()
@click.argument("name")
@click.option(
    "--folder",
    default=".",
    type=click.Path(file_okay=False),
    help="The folder to write it in, where not in this one.",
)
def new_game(name: str, folder: str) -> None:
    """Write a package with a running game, to be changed rule by rule."""
    from rules_core.plugins import BrokenPackage
    from services.cli.scaffold import InvalidName, write_game

    try:
        written = write_game(name, Path(folder))
    except (InvalidName, BrokenPackage, OSError) as error:
        fail(str(error))
    for path in written:
        click.echo(path)
    root = written[0].parent
    python = f"{sys.executable} -m"
    click.echo(f"\n{python} pip install pytest --editable {root}")
    click.echo(f"{python} services.cli compile")
    click.echo(f"{python} pytest {root}")


@click.command("compile")
def compile_games() -> None:
    """Compile the rules of every installed game that runs in plain Python."""
    from rules_core import all_games
    from rules_core.plugins import BrokenPackage
    from rules_core.translation.c.build import CannotCompile, build_in_place

    with TemporaryDirectory() as folder:
        try:
            made = build_in_place(all_games(), Path(folder))
        except (CannotCompile, BrokenPackage) as why:
            fail(f"not compiled: {why}")
    for path in made:
        click.echo(f"compiled {path}")
    click.echo("every game runs compiled; restart what is running")
