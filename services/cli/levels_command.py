"""`seedlog levels`: levels of a game, made of what `seedlog calibrate` has shown."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_core import Game, RulesError, find_game
from rules_core.levels import FILE, latest_ladder, levels_of
from services.cli.calibrate_command import FORMAT
from services.cli.failing import fail

if TYPE_CHECKING:
    from workers.ai.tournament import Step

Files = tuple[str, ...]
GIVEN = click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False)
)


@click.group()
def levels() -> None:
    """Fit the levels of computer players to a game, and note what they are worth."""


@levels.command()
@click.argument("game")
@GIVEN
def fit(game: str, files: Files) -> None:
    """Begin a new ladder of GAME, from FILES about an earlier one.

    What `seedlog calibrate GAME --ladder 1 --json FILE` has written says where levels
    have to stand to be equally far apart. Matches that run keep theirs.
    """
    from workers.ai.fitting import fit as fitted
    from workers.ai.tournament import ladder

    chosen, number, steps = _read(game, files)
    rungs = ladder(steps)
    known = _known()
    ladders = known["ladders"].setdefault(chosen.rules, {})
    ladders[str(latest_ladder(chosen) + 1)] = fitted(levels_of(chosen, number), rungs)
    _write(known)
    click.echo(f"{chosen.rules}: ladder {max(map(int, ladders))}, measure it now")


@levels.command()
@click.argument("game")
@GIVEN
def note(game: str, files: Files) -> None:
    """Note in the ladder of GAME what FILES tell of it."""
    from workers.ai.tournament import ladder

    chosen, number, steps = _read(game, files)
    known = _known()
    try:
        told = known["ladders"][chosen.rules][str(number)]
    except KeyError:
        fail(f"{FILE.name} has no ladder {number} of {chosen.rules}")
    games = {step.upper: 2 * len(step.scores) for step in steps}
    for level, elo, error in ladder(steps):
        told[level - 1] |= {"elo": round(elo), "error": round(error)}
        if level in games:
            told[level - 1]["games"] = games[level]
    _write(known)


def _read(game: str, files: Sequence[str]) -> tuple[Game, int, "list[Step]"]:
    """Return a game, the ladder that files tell of, and its steps."""
    from workers.ai.tournament import Step

    try:
        chosen = find_game(game)
    except RulesError as error:
        fail(str(error))
    told = [_told(Path(file)) for file in files]
    try:
        about = {(one["rules"], one["ladder"]) for one in told}
        asked = [given for one in told for given in one["steps"]]
        found = [
            Step(each["lower"], each["upper"], (*each["scores"],)) for each in asked
        ]
    except (KeyError, TypeError) as error:
        fail(f"a file is not as `seedlog calibrate` writes it: {error}")
    if {rules for rules, _ in about} != {chosen.rules} or len(about) > 1:
        fail(
            f"these files tell of {sorted(about)}, not of one ladder of {chosen.rules}"
        )
    [(_, ladder)] = about
    steps: dict[tuple[int, int], Step] = {}
    for each in found:
        two = (each.lower, each.upper)
        step = steps.get(two, Step(*two, ()))
        steps[two] = replace(step, scores=(*step.scores, *each.scores))
    return chosen, ladder, [steps[two] for two in sorted(steps)]


def _told(file: Path) -> dict[str, Any]:
    told = None
    with suppress(ValueError):
        told = json.loads(file.read_text("utf-8"))
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        fail(f"{file} is not of format {FORMAT}")
    return told


def _known() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return known


def _write(known: dict[str, Any]) -> None:
    FILE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
