"""Tells messages in a language, by the catalogues of gettext beside this file."""

from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from typing import Any

import polib

from rules_core.messages import Message
from services.languages.choosing import LANGUAGES, choose_language

CATALOGUES = files("services.languages") / "catalogues"


class Language:
    """One of the languages that texts for people are told in."""

    def __init__(self, code: str, catalogue: NullTranslations) -> None:
        """Take its code, `pa`, and its translations by their English."""
        self.code = code
        self._catalogue = catalogue

    def tell(self, message: Message) -> str:
        """Return a message in this language, or in English if it has no other."""
        return message.told(self.form)

    def form(self, one: str, many: str = "", count: int = 1) -> str:
        """Return the template of a text, of one with plurals that for a number."""
        if many:
            return self._catalogue.ngettext(one, many, count)
        return self._catalogue.gettext(one)


def find_language(accept_language: str | None) -> Language:
    """Return the language that a request is answered in (`choose_language`)."""
    return language_of(choose_language(accept_language))


def load_languages() -> None:
    """Read every catalogue; otherwise each is read when it is first asked for."""
    for code in LANGUAGES:
        language_of(code)


@cache
def language_of(code: str) -> Language:
    """Return one of `LANGUAGES`."""
    if code == LANGUAGES[0]:
        return Language(code, NullTranslations())
    text = (CATALOGUES / f"{code}.po").read_text("utf-8")
    compiled: Any = polib.pofile(text).to_binary()
    return Language(code, GNUTranslations(BytesIO(compiled)))
