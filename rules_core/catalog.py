"""The games there are. A new game is a file in `games/` and a line here."""

from __future__ import annotations

from collections.abc import Iterator

from rules_core.errors import UnknownGame
from rules_core.game import Game
from rules_core.games import (
    bao_children,
    bao_kujifunza,
    bao_laps,
    congkak,
    kalah,
    oware,
    oware_abapa,
    oware_nam_nam,
    reversi,
)
from rules_core.plugins import BrokenPackage, find_plugins

GAMES: tuple[Game, ...] = tuple(
    Game.of(module)
    for module in (
        kalah,
        oware,
        oware_abapa,
        congkak,
        oware_nam_nam,
        bao_children,
        bao_laps,
        bao_kujifunza,
        reversi,
    )
)
"""The games that are built in, by their current rules."""

EARLIER: tuple[Game, ...] = ()
"""Rules that were changed, for the matches that were begun by them."""


def all_games() -> tuple[Game, ...]:
    """Return the games that are built in and those of installed packages.

    :raises BrokenPackage: a package brings no game, or one that is there already.
    """
    plugins = find_plugins()
    taken = {game.key for game in GAMES} & {game.key for game in plugins}
    if taken:
        keys = ", ".join(sorted(taken))
        raise BrokenPackage(f"a package brings a game that is built in: {keys}")
    return (*GAMES, *plugins)


def find_game(key: str, rules: str | None = None) -> Game:
    """Return a game by its key, by its current rules or by a named version.

    :raises UnknownGame: naming the keys, or the versions, that are known.
    """
    for game in _every_version():
        if game.key == key and rules in (None, game.rules):
            return game
    known = tuple(game.rules for game in _every_version() if game.key == key)
    if known:
        raise UnknownGame(str(rules), known)
    raise UnknownGame(key, tuple(game.key for game in all_games()))


def _every_version() -> Iterator[Game]:
    yield from GAMES
    yield from EARLIER
    yield from find_plugins()  # looked for only when nothing else was meant
