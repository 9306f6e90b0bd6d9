"""A rulebook: one text, as Markdown and as HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.rulebooks import html

ANCHORS = re.compile(r"^(#{1,6} .*?) \{#[a-z][a-z0-9-]*\}$", re.MULTILINE)
TITLE = re.compile(r"^# (.+?)(?: \{#[a-z0-9-]+\})?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of one game in one language, which need not be the one asked for."""

    game: str
    language: str
    title: str
    markdown: str
    html: str
    """An article with ids for its sections (`capture`) and rules (`k4`)."""

    @classmethod
    def of(cls, game: str, language: str, text: str) -> Rulebook:
        """Return the rulebook of a text whose examples have been told."""
        title = TITLE.search(text)
        return cls(
            game=game,
            language=language,
            title=title[1] if title else game,
            markdown=ANCHORS.sub(r"\1", text),
            html=html.render(text, language),
        )
