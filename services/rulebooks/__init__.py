"""The rules of every game as a player reads them, in five languages."""

from services.languages.choosing import LANGUAGES, choose_language
from services.rulebooks.finding import SHARED, NoRulebook, find_rulebook
from services.rulebooks.rulebook import Rulebook
from services.rulebooks.words import GameWords, find_words

__all__ = [
    "LANGUAGES",
    "SHARED",
    "GameWords",
    "NoRulebook",
    "Rulebook",
    "choose_language",
    "find_rulebook",
    "find_words",
]
