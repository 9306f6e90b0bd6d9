"""Games from elsewhere: any installed package may bring some, by an entry point.

The entry point belongs to the group `seedlog.games`; its value is a module written like
the files of `rules_core.games`. The group is read when a game is asked for that is not
built in, or when all are: who wants the rules alone does not pay for it.
"""

from __future__ import annotations

from functools import cache

from rules_core.game import Game

GROUP = "seedlog.games"


@cache
def find_plugins() -> tuple[Game, ...]:
    """Return the games of installed packages, in the order of their keys.

    :raises ImportError: a package cannot be loaded; naming it.
    :raises ValueError: it describes no game, or one whose key is taken.
    """
    from importlib.metadata import entry_points  # slow, and rarely needed

    games: dict[str, Game] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            game = Game.of(entry.load())
        except AttributeError as error:
            raise ValueError(f"{entry.value} is not a game file: {error}") from error
        if games.setdefault(game.key, game) is not game:
            raise ValueError(f"{entry.value}: there is a game {game.key!r} already")
    return tuple(games.values())
