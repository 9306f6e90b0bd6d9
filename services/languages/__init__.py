"""What is told to people, in their language: messages, and how they are translated."""

from rules_core.messages import (
    Counted,
    Message,
    Seat,
    all_of,
    any_of,
    each_of,
    number_within,
)
from services.languages.choosing import LANGUAGES, NAMES, choose_language
from services.languages.explained import Explained
from services.languages.telling import (
    Language,
    find_language,
    language_of,
    load_languages,
)

__all__ = [
    "LANGUAGES",
    "NAMES",
    "Counted",
    "Explained",
    "Language",
    "Message",
    "Seat",
    "all_of",
    "any_of",
    "choose_language",
    "each_of",
    "find_language",
    "language_of",
    "load_languages",
    "number_within",
]
