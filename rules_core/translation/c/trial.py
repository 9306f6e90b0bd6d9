"""Tries the checked build of a game from elsewhere, before its fast one is used.

A rule that does what C cannot keep (an index below zero, more moves than `MAX_MOVES`)
is an error in Python, and the end of the process in C. The games that are built in are
tried by tests; others here, in a process of its own: `python -m
rules_core.translation.c.trial EXTENSION KEY` ends well, or with what is wrong.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import sys
import traceback
from typing import Any

from rules_core.catalog import find_game
from rules_core.compiled import module_name
from rules_core.game import Game
from rules_core.options import extremes
from rules_core.origins import start
from rules_core.position import Position
from rules_core.translation.c.checked import Trapped

GAMES_EACH = 12
MOST_PLIES = 300
MOST_OPTIONS = 4
DEPTH = 3
NODES, SECONDS = 3_000, 5.0
BOUND = 2_000_000


class Differs(Exception):
    """C and Python do not play the same; says where."""


def try_game(game: Game, extension: Any) -> None:
    """Play random games by both, and look ahead from where they end.

    :raises Trapped: a rule did what C cannot keep; names file and line.
    :raises Differs: the games are not the same.
    """
    every = itertools.chain([{}], extremes(game.options))
    for options in itertools.islice(every, MOST_OPTIONS):
        for seed in range(GAMES_EACH):
            starter = game.starters[seed % len(game.starters)]
            first = start(game.key, options, starter, game.rules)
            try_line(first, random.Random(seed), extension)  # noqa: S311  # no secret


def try_line(first: Position, chance: random.Random, extension: Any) -> None:
    """Play one random game."""
    position, moves = first, list[str]()
    while position.legal_moves and len(moves) < MOST_PLIES:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
        if len(moves) % 10 == 1 and position.outcome is None:
            extension.perft(position.flat, DEPTH)
            searcher = extension.Searcher(NODES, SECONDS)
            searcher.value(position.flat, DEPTH, -BOUND, BOUND)
    variant = first.variant
    line = extension.Line(first.flat, first.seen)
    line.play([variant.move_ids[move] for move in moves])
    played = Position(variant, line.board, line.seen, line.mover)
    if played.snapshot != position.snapshot:
        raise Differs(f"after {' '.join(moves)} C has {played}, Python {position}")


def main(path: str, key: str) -> None:
    """Try the game of a key by the extension at a path."""
    game = find_game(key)
    spec = importlib.util.spec_from_file_location(module_name(game), path)
    assert spec is not None  # noqa: S101  # for the type checker
    assert spec.loader is not None  # noqa: S101
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    try:
        try_game(game, extension)
    except (Trapped, Differs) as wrong:
        sys.exit(str(wrong))
    except (ArithmeticError, LookupError, TypeError, ValueError) as wrong:  # in Python
        place = traceback.extract_tb(wrong.__traceback__)[-1]
        sys.exit(f"{place.filename}:{place.lineno}: {wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
