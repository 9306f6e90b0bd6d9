"""`seedlog tune reversi`: learns what positions are worth from games of its own."""

import importlib.util
import sys
from pathlib import Path

import click

from rules_core import find_game
from services.cli.command import fail

GAMES = 60_000
BATCH = 50


def add_to(group: click.Group) -> None:
    """Add the command to `seedlog`."""
    group.add_command(tune)


@click.command()
@click.argument("game", type=click.Choice(["reversi"]))
@click.option("--games", default=GAMES, help=f"How many to play ({GAMES:,}).")
@click.option("--seed", default=1, help="The seed of the first game (1).")
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("reversi_games.txt"),
    help="Where the games are written; if they are there, they are learned from.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("reversi_weights_1.bin"),
    help="Where the weights are written.",
)
def tune(game: str, games: int, seed: int, log: Path, out: Path) -> None:
    """Play games, and learn the weights that explain their ends best.

    Needs numpy and the compiled game. The weights take effect where those of
    `rules_core/games` lie, once the game is compiled again.
    """
    if importlib.util.find_spec("numpy") is None:
        fail(f"learning needs numpy: {sys.executable} -m pip install numpy")
    from rules_core.tuning.reversi import ReversiPlayer, learn_weights
    from rules_core.tuning.self_play import CannotPlay, NoLog

    try:
        player = ReversiPlayer(find_game(game))
    except CannotPlay as why:
        fail(str(why))
    command = f"seedlog tune {game} --log {log.name}"
    if not log.exists():
        command = f"seedlog tune {game} --games {games} --seed {seed}"
        played = log.with_suffix(".part")
        with played.open("w") as file, click.progressbar(length=games) as bar:
            for number, line in enumerate(player.lines(seed, games), start=1):
                file.write(f"{line}\n")
                if number % BATCH == 0:
                    bar.update(BATCH)
        played.rename(log)
    lines = log.read_text().splitlines()
    try:
        learn_weights(player, lines, out, command, click.echo)
    except NoLog as why:
        fail(f"{log}: {why}")
    click.echo(f"learned from {len(lines)} games; written to {out}")
