"""Games from elsewhere: any installed package may bring some, by an entry point.

The entry point belongs to the group `seedlog.games`; its value is a module written like
the files of `rules_core.games`. The group is read when a game is asked for that is not
built in, or when all are: who wants the rules alone does not pay for it.
"""

from __future__ import annotations

from functools import cache

from rules_core.game import Game

GROUP = "seedlog.games"


class BrokenPackage(Exception):
    """An installed package says that it brings a game, and does not; names it."""


@cache
def find_plugins() -> tuple[Game, ...]:
    """Return the games of installed packages, in the order of their keys.

    :raises BrokenPackage: one cannot be loaded, or describes no game, or one whose key
        is taken.
    """
    from importlib.metadata import entry_points  # slow, and rarely needed

    games: dict[str, Game] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        package = entry.dist.name if entry.dist else "somebody"
        what = f"the package {package} brings {entry.value!r}, which is no game"
        try:
            game = Game.of(entry.load())
        except Exception as error:  # whatever it does wrong, it is named
            raise BrokenPackage(f"{what}: {error}; mend it or uninstall it") from error
        if games.setdefault(game.key, game) is not game:
            raise BrokenPackage(f"{what}: there is a game {game.key!r} already")
    return tuple(games.values())
