"""What events say again and again, kept as one character each.

Redis keeps the packed text; everybody else sees the canonical one. A control character
never stands in canonical JSON as it is, so the two cannot be confused. Which phrases
there are, the log is told by those who know its events; they are part of its layout.
"""

from collections.abc import Sequence
from functools import lru_cache

from services.eventlog.errors import LogDamaged
from services.languages import Message

CODES = 31
UNKNOWN = "\0"


class Packing:
    """Packs texts by a table of phrases: the first one is the character 1."""

    def __init__(self, phrases: Sequence[str]) -> None:
        """Use these phrases, 31 at most; a phrase may be added at the end, none moved.

        :raises ValueError: they are more than there are control characters.
        """
        if len(phrases) > CODES:
            raise ValueError(f"{len(phrases)} phrases; there are {CODES} characters")
        self._codes = [(phrase, chr(n)) for n, phrase in enumerate(phrases, start=1)]
        self._phrases = dict.fromkeys(range(1, CODES + 1), UNKNOWN)
        self._phrases |= dict(enumerate(phrases, start=1))
        self.pack_word = lru_cache(maxsize=1024)(self.pack)
        """Packs what comes again and again: the type of an event, its author."""
        self.unpack_word = lru_cache(maxsize=1024)(self.unpack)
        """And unpacks it."""

    def pack(self, text: str) -> str:
        """Return a text with one character for each phrase."""
        for phrase, code in self._codes:
            if phrase in text:
                text = text.replace(phrase, code)
        return text

    def unpack(self, text: str) -> str:
        """Return the text that was packed.

        :raises LogDamaged: it was packed with a phrase that is not known here.
        """
        text = text.translate(self._phrases)
        if UNKNOWN in text:
            raise LogDamaged(
                Message(
                    "an event was kept with a phrase that this program does not know; "
                    "it was recorded by a later version"
                )
            )
        return text
