"""Which languages there are, and which of them a reader is served."""

import re
from collections.abc import Iterator

LANGUAGES = ("en", "pa", "hi", "tr", "ja")
"""The languages of texts for people; the first one is the default."""

NAMES = {"en": "English", "pa": "ਪੰਜਾਬੀ", "hi": "हिन्दी", "tr": "Türkçe", "ja": "日本語"}
"""What each language calls itself."""

ITEM = re.compile(
    r"\s*([A-Za-z0-9*-]+)\s*(?:;\s*[qQ]\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*)?"
)
OTHER_SCRIPTS = {"pa": ("arab", "pk")}  # our Punjabi is written in Gurmukhi


def choose_language(header: str | None) -> str:
    """Return the language an `Accept-Language` header likes best of those we have.

    A region or a script is no obstacle: `hi-IN` is served Hindi. What cannot be read
    as a language is passed over, and whoever wants none of ours is served English.
    """
    wanted = sorted(_read(header or ""), key=lambda item: -item[1])
    refused = {language for language, quality in wanted if not quality}
    for language, quality in wanted:
        if not quality:
            break
        if language == "*":
            return next((ours for ours in LANGUAGES if ours not in refused), "en")
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]


def _read(header: str) -> Iterator[tuple[str, float]]:
    """Yield each language of a header with its quality, as it comes."""
    for item in header.split(","):
        parts = ITEM.fullmatch(item)
        if not parts:
            continue
        language, *subtags = parts[1].lower().split("-")
        if not set(subtags) & set(OTHER_SCRIPTS.get(language, ())):
            yield language, float(parts[2] or 1)
