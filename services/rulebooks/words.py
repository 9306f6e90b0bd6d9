"""What a game and its options are called in a language, read from its rulebook."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from rules_core import Game
from services.rulebooks.finding import find_text
from services.rulebooks.rulebook import TITLE

LEAD = re.compile(r"^> (.+)\n> (.+)$", re.MULTILINE)
OPTIONS = re.compile(r"\{#options\}\n(.*?)(?=\n## |\Z)", re.DOTALL)
OPTION = re.compile(r"^\| `([a-z_]+)` \|[^|]*\|[^|]*\| (.+?) \|$", re.MULTILINE)
RULE_IDS = re.compile(r" ?[(\uff08](?:`[A-Z]\d+`(?:, )?)+[)\uff09]")


@dataclass(frozen=True, slots=True)
class GameWords:
    """The name of a game, and what each of its options means, by the option's name.

    What it is *about*, and what *effort* it is, its rulebook says in two lines before
    all others.
    """

    name: str
    about: str
    effort: str
    options: Mapping[str, str]


@cache
def find_words(game: Game, language: str) -> GameWords:
    """Return the words of a game; its own where it has no rulebook in a language."""
    text = find_text(game.key, language) if language != "en" else ""
    title = TITLE.search(text)
    lead = LEAD.search(text) or LEAD.search(find_text(game.key, "en"))
    about, effort = lead.groups() if lead else ("", "")
    options = OPTIONS.search(text)
    meanings = OPTION.findall(options[1]) if options else []
    said = {name: _plain(meaning) for name, meaning in meanings}
    own = {spec.name: spec.description for spec in game.options}
    name = title[1] if title else game.name
    return GameWords(name, about, effort, own | said)


def _plain(meaning: str) -> str:
    return RULE_IDS.sub("", meaning).replace("`", "")
