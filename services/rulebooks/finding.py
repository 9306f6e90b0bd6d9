"""Where the texts lie: our own in `texts`, those of other games where they say."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from rules_core import UnknownGame, find_game
from services.languages.choosing import LANGUAGES
from services.rulebooks.examples import tell_examples
from services.rulebooks.levels import tell_levels
from services.rulebooks.random_play import tell_random_play
from services.rulebooks.rulebook import Rulebook
from services.rulebooks.wording import find_sentences

SHARED = "shared"
"""The document of the rules that all games share; find it like a game."""

BUILT_IN = "rules_core.games"
OURS = files("services.rulebooks") / "texts"


class NoRulebook(LookupError):
    """There is no rulebook of that game."""

    def __init__(self, game_key: str) -> None:
        """Keep the key."""
        super().__init__(f"there is no rulebook of {game_key!r}")
        self.game_key = game_key


def find_rulebook(game_key: str, language: str) -> Rulebook:
    """Return the rules of a game in a language, or in the nearest that there is.

    A package has the rulebooks of its games in `rulebooks/<language>/<game_key>.md`
    beside their modules, in as few languages as it likes. Worked examples are played
    by the rules when they are first asked for.

    :raises NoRulebook: when there is none of this game.
    """
    for candidate in (language, *LANGUAGES):
        if candidate in LANGUAGES and _text(game_key, candidate).is_file():
            return _load(game_key, candidate)
    raise NoRulebook(game_key)


def find_text(game_key: str, language: str) -> str:
    """Return a rulebook as it was written, or nothing if there is none of it."""
    try:
        place = _text(game_key, language)
    except NoRulebook:
        return ""
    return place.read_text(encoding="utf-8") if place.is_file() else ""


def _text(game_key: str, language: str) -> Traversable:
    folder = OURS
    if game_key != SHARED:
        try:
            package = find_game(game_key).module.rpartition(".")[0]
        except UnknownGame:
            raise NoRulebook(game_key) from None
        folder = OURS if package == BUILT_IN else files(package) / "rulebooks"
    return folder / language / f"{game_key}.md"


@cache
def _load(game_key: str, language: str) -> Rulebook:
    text = _text(game_key, language).read_text(encoding="utf-8")
    sentences = find_sentences(language)
    told = tell_examples(text, sentences)
    if game_key != SHARED:
        told += tell_levels(game_key, sentences) + tell_random_play(game_key, sentences)
    return Rulebook.of(game_key, language, told)
