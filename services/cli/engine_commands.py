"""`seedlog engine`, `perft` and `solve`: the search by itself, without a server."""

import math
import sys
import time
from collections.abc import Mapping
from typing import Any

import click

from rules_core import Position, RulesError, find_game, parse, start
from rules_core.perft import fast_perft
from rules_core.search.ending_tables import FOLDER, SHELF
from rules_core.search.thinking import Budget, Thought, think
from services import logs
from services.cli.failing import fail
from services.environment import from_environment
from services.settings import InvalidSetting
from services.signals import ended_by_ctrl_c

ENGINE_HELP = """Answer questions, a JSON object on each line, until there are no more.

\b
in   {"game": "kalah", "options": {"seeds": 4}, "starter": "south", "moves": ["C"]},
     or "position" in the place of "starter"; besides "time_ms" (1000; to 3600000),
     "nodes" (to 1000000000000), "level", "threads" (1; to 64), "id" (text or number)
out  {"move", "value", "exact", "depth", "nodes", "pv", "time_ms"}, or {"error"};
     and the "id" of the question, if it has one

The value is the final margin, in seeds or discs, that the side to move may expect;
exact says that it is proven. With a level, the move is that of a computer player, who
looks at as many positions as the level has.
"""

UNPROVEN = 2
"""The code that `solve` ends with when time was out before all was proven."""


with_options = click.option(
    "--option", "given", multiple=True, metavar="NAME=VALUE", help="may be repeated"
)


@click.command(help=ENGINE_HELP)
def engine() -> None:
    """Answer questions until there are no more."""
    if sys.stdin is None or sys.stdout is None:
        fail("the engine reads questions from its input, and writes to its output")
    with ended_by_ctrl_c():
        from services.cli.engine import answer_lines

        logs.configure("engine")
        use_endings()
        for line in answer_lines(sys.stdin.buffer):
            try:
                print(line, flush=True)
            except OSError as error:
                sys.stdout = None  # nor is what is left of the answer tried again
                fail(f"an answer cannot be written: {error.strerror}")


@click.command()
@click.argument("game")
@click.argument("depth", type=click.IntRange(0, 60))
@click.option("--position", help="count from there; without it from the start")
@with_options
def perft(game: str, depth: int, position: str | None, given: tuple[str, ...]) -> None:
    """Count the ways to play on, depth by depth; a pass is a ply."""
    first = _position(game, position, given)
    with ended_by_ctrl_c():
        for reached in range(depth + 1):
            began = time.monotonic()
            lines = fast_perft(first, reached)
            spent_s = time.monotonic() - began
            click.echo(f"{reached:>3} {lines:>22,} {spent_s:>10.3f} s")


@click.command()
@click.argument("game")
@click.argument("position")
@click.option("--time", "time_s", type=click.FloatRange(0.001, 1e6), default=300.0)
@click.option("--threads", type=click.IntRange(1, 64), default=1)
@with_options
def solve(
    game: str, position: str, time_s: float, threads: int, given: tuple[str, ...]
) -> None:
    """Find the exact value of a POSITION, or what is known when time is out.

    `start` is the start of the game. The value is the final margin, in seeds or discs,
    of the side to move. Ends with code 2 if it is not proven.
    """
    if not math.isfinite(time_s):
        fail("--time is a number of seconds")
    use_endings()
    asked = _position(game, None if position == "start" else position, given)
    if asked.outcome is not None:
        fail("the game is over in this position")
    budget = Budget(time_s, threads=threads)
    with ended_by_ctrl_c():
        found = think(asked, budget, on_depth=_tell_of_depth, once_at_least=True)
    best = found.lines[0]
    known = "exactly" if best.exact else "perhaps"
    effort = f"{found.nodes:,} positions, {found.time_s:.1f} s"
    value = f"{best.value:+g}" if best.value else "0"
    click.echo(f"{known} {value} for {asked.to_move}: {' '.join(best.moves)}")
    click.echo(f"depth {found.depth}, {effort}")
    sys.exit(0 if best.exact else UNPROVEN)


def use_endings() -> None:
    """Look endings up that `seedlog tables` has worked out."""
    try:
        SHELF.use(from_environment().data / FOLDER)
    except InvalidSetting as error:
        fail(str(error))


def _tell_of_depth(thought: Thought) -> None:
    best = thought.lines[0]
    said = f"depth {thought.depth}: {best.value:+g} {' '.join(best.moves[:8])}"
    click.echo(said, err=True)


def _position(game: str, text: str | None, given: tuple[str, ...]) -> Position:
    """Return a position of the game that is named, or end with a message."""
    try:
        options = _options(game, given)
        if text is None:
            return start(game, options)
        return parse(game, text, options)
    except RulesError as error:
        fail(str(error))


def _options(game: str, given: tuple[str, ...]) -> Mapping[str, Any]:
    """Return options as the rules want them; what is wrong with them, they say."""
    kinds = {spec.name: spec.kind for spec in find_game(game).options}
    options: dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        options[name] = _value(kinds.get(name, ""), value)
    return options


def _value(kind: str, text: str) -> object:
    if kind == "int" and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    words: dict[str, object] = {"true": True, "false": False, "null": None}
    return words.get(text, text)
