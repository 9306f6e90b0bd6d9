"""Where the texts lie: our own in `texts`, those of other games where they say."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from rules_core import UnknownGame, find_game
from services.rulebooks.examples import tell_examples
from services.rulebooks.languages import LANGUAGES
from services.rulebooks.random_play import tell_random_play
from services.rulebooks.rulebook import Rulebook
from services.rulebooks.sentences import find_sentences

SHARED = "shared"
"""The document of the rules that all games share; find it like a game."""

BUILT_IN = (
    "kalah",
    "oware",
    "oware-abapa",
    "congkak",
    "oware-nam-nam",
    "bao-children",
    "bao-laps",
    "bao-kujifunza",
    "reversi",
    SHARED,
)

_folders: dict[str, Traversable] = dict.fromkeys(
    BUILT_IN, files("services.rulebooks") / "texts"
)


class NoRulebook(LookupError):
    """There is no rulebook of that game."""

    def __init__(self, game_key: str) -> None:
        """Keep the key."""
        super().__init__(f"there is no rulebook of {game_key!r}")
        self.game_key = game_key


def register(game_key: str, folder: Traversable) -> None:
    """Take the rulebook of a further game from `<folder>/<language>/<game_key>.md`.

    The folder `rulebooks` beside the module of a game is found without being asked; a
    package may bring as few languages as it has. Its worked examples are played by its
    rules when they are first asked for.

    :raises ValueError: when the game has a rulebook already.
    """
    if _folders.setdefault(game_key, folder) != folder:
        raise ValueError(f"{game_key} has a rulebook already")


def find_rulebook(game_key: str, language: str) -> Rulebook:
    """Return the rules of a game in a language, or in the nearest that there is.

    :raises NoRulebook: when there is none of this game.
    """
    if game_key not in _folders:
        register(game_key, _folder_of_package(game_key))
    for candidate in (language, *LANGUAGES):
        if candidate in LANGUAGES and _text(game_key, candidate).is_file():
            return _load(game_key, candidate)
    raise NoRulebook(game_key)


def _folder_of_package(game_key: str) -> Traversable:
    """Return `rulebooks` beside the module of a game that a package brings."""
    try:
        package = find_game(game_key).module.rpartition(".")[0]
    except UnknownGame:
        raise NoRulebook(game_key) from None
    return files(package) / "rulebooks"


def _text(game_key: str, language: str) -> Traversable:
    return _folders[game_key] / language / f"{game_key}.md"


@cache
def _load(game_key: str, language: str) -> Rulebook:
    text = _text(game_key, language).read_text(encoding="utf-8")
    sentences = find_sentences(language)
    told = tell_examples(text, sentences) + tell_random_play(game_key, sentences)
    return Rulebook.of(game_key, language, told)
