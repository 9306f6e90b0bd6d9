"""`seedlog tune GAME`: learns what positions are worth from games of its own."""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rules_core import Game, RulesError, all_games, find_game
from rules_core.compiled import find_compiled
from rules_core.plugins import BrokenPackage
from services.cli.failing import fail, fail_unless_writable

if TYPE_CHECKING:
    from rules_core.tuning.self_play import Player

REVERSI = "reversi"
GAMES, SOWN = 60_000, 5_000
BATCH = 10


@click.command()
@click.argument("game")
@click.option(
    "--games",
    type=click.IntRange(1),
    help=f"How many to play ({GAMES:,} of Reversi, {SOWN:,} of others).",
)
@click.option("--seed", default=1, help="The seed of the first game (1).")
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the games are written; if they are there, they are learned from "
    "(GAME_games.txt).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the weights are written (GAME_weights_1.bin of Reversi, "
    "GAME_traits_1.json of others).",
)
def tune(
    game: str, games: int | None, seed: int, log: Path | None, out: Path | None
) -> None:
    """Play games of GAME, and learn the weights that explain their ends best.

    Needs numpy, and for Reversi the compiled game; another that is not compiled takes a
    hundred times as long. The weights of Reversi take effect where those of
    `rules_core/games` lie, once the game is compiled again. Those of a game of seeds
    are told, and nothing goes by them: what explains how games end is not always what
    wins. `rules_core/search/README.md` says how they are taken over.
    """
    if importlib.util.find_spec("numpy") is None:
        fail(f"learning needs numpy: {sys.executable} -m pip install numpy")
    from rules_core.tuning.self_play import CannotPlay, NoLog, TooFew
    from rules_core.tuning.traits import NoPits

    try:
        all_games()
        chosen = find_game(game)
        name = chosen.key.replace("-", "_")
        log = log or Path(f"{name}_games.txt")
        is_reversi = chosen.key == REVERSI
        learned = f"{name}_weights_1.bin" if is_reversi else f"{name}_traits_1.json"
        out = out or Path(learned)
        for path in [out] if log.is_file() else [log, out]:
            fail_unless_writable(path, anew=True)
        if log.resolve() == out.resolve():
            fail(f"{out} is where the games are; write the weights elsewhere")
        if is_reversi:
            count = _tune_reversi(chosen, games or GAMES, seed, log, out)
        else:
            count = _tune_sowing(chosen, games or SOWN, seed, log, out)
    except NoLog as why:
        fail(f"{log}: {why}")
    except OSError as error:
        fail(f"{error.filename or log} cannot be written: {error.strerror}")
    except (BrokenPackage, CannotPlay, NoPits, RulesError, TooFew) as why:
        fail(str(why))
    click.echo(f"learned from {count} games; written to {out}")


def _tune_reversi(game: Game, games: int, seed: int, log: Path, out: Path) -> int:
    from rules_core.tuning.reversi import ReversiPlayer, learn_weights

    player = ReversiPlayer(game)
    lines, command = _games_of(player, games, seed, log)
    learn_weights(player, lines, out, command, click.echo)
    return len(lines)


def _tune_sowing(game: Game, games: int, seed: int, log: Path, out: Path) -> int:
    from rules_core.tuning.learned import told, write_learned
    from rules_core.tuning.sowing import learn_traits
    from rules_core.tuning.sowing_games import SowingPlayer
    from rules_core.tuning.traits import Traits

    player = SowingPlayer(game, find_compiled(game))
    traits = Traits(player)
    lines, command = _games_of(player, games, seed, log)
    with click.progressbar(length=len(lines), label="looking") as bar:
        learned = learn_traits(player, traits, lines, command, lambda: bar.update(1))
    write_learned(out, learned)
    for line in told(learned):
        click.echo(line)
    return len(lines)


def _games_of(
    player: "Player", games: int, seed: int, log: Path
) -> tuple[Sequence[str], str]:
    """Return the games of a log, played now if it is not there, and the command."""
    key = player.game.key
    command = f"seedlog tune {key} --log {log.name}"
    if not log.exists():
        command = f"seedlog tune {key} --games {games} --seed {seed}"
        played = log.with_suffix(".part")
        with (
            played.open("w") as file,
            click.progressbar(
                player.lines(seed, games),
                length=games,
                label="playing",
                update_min_steps=BATCH,
            ) as bar,
        ):
            file.writelines(f"{line}\n" for line in bar)
        played.rename(log)
    return log.read_text().splitlines(), command
