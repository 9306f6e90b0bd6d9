"""Every text of the page, by key, as it is told in each language."""

from collections.abc import Callable

from services.languages import LANGUAGES, NAMES, Language
from services.web.words import board, home, log, match, notices, proof
from services.web.words.phrases import Phrase, Phrases, Words

PHRASES: Words = {
    **home.WORDS,
    **match.WORDS,
    **board.WORDS,
    **log.WORDS,
    **notices.WORDS,
    **proof.WORDS,
}

__all__ = ["PHRASES", "Phrase", "Phrases", "Words", "tell_all"]


def tell_all(language: Language) -> dict[str, str | dict[str, str]]:
    """Return every text by its key, in a language; where it counts, its forms."""
    return {key: phrase.told(language) for key, phrase in PHRASES.items()}


def language_options(facts: Callable[[str], str] = lambda _: "") -> str:
    """Return what one chooses a language from, as HTML; *facts* adds attributes."""
    return "".join(
        f'<option value="{code}" lang="{code}"{facts(code)}>{NAMES[code]}</option>'
        for code in LANGUAGES
    )
