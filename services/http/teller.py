"""Writes the JSON of an answer, with what it tells people in their language."""

import orjson
from flask import Response, request

from services.languages import Language, Message, find_language


class Teller:
    """Tells the messages of one answer; where there are none, it does nothing."""

    __slots__ = ("language",)

    def __init__(self) -> None:
        """Ask for no language until there is something to tell."""
        self.language: Language | None = None

    def json(self, body: object) -> bytes:
        """Return a body as JSON, each of its messages as a text."""
        return orjson.dumps(body, default=self.tell)

    def tell(self, value: object) -> str:
        """Return a message in the language of whoever asks.

        :raises TypeError: it is none.
        """
        if not isinstance(value, Message):
            raise TypeError(f"{type(value).__name__} is nothing to be told")
        if self.language is None:
            self.language = language_of_reader()
        return self.language.tell(value)

    def mark(self, response: Response) -> None:
        """Say in an answer which language it is in, if it depends on who asks."""
        if self.language is not None:
            mark_language(response, self.language)


def language_of_reader() -> Language:
    """Return the language that whoever asks likes best of those that there are."""
    return find_language(request.headers.get("Accept-Language"))


def mark_language(response: Response, language: Language) -> None:
    """Say in an answer in which language it is, and that others would read another."""
    response.headers["Content-Language"] = language.code
    response.vary.add("Accept-Language")
