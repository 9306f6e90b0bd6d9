"""What the tests read out of the texts of the rulebooks."""

import re
from pathlib import Path

import services.rulebooks
from rules_core import GAMES
from services.rulebooks import LANGUAGES, SHARED
from services.rulebooks.examples import FENCE

TEXTS = Path(services.rulebooks.__file__).parent / "texts"
KEYS = [game.key for game in GAMES]
DOCUMENTS = [*KEYS, SHARED]
EVERY_TEXT = [(key, language) for language in LANGUAGES for key in DOCUMENTS]

HEADING = re.compile(r"^#{1,2} .+ \{#([a-z-]+)\}$", re.MULTILINE)
RULE = re.compile(r"^(?:- )?\*\*([A-Z]\d+)\.\*\* ", re.MULTILINE)
MARK = re.compile(f"{HEADING.pattern}|{RULE.pattern}|^```(example) ", re.MULTILINE)
ROW = re.compile(r"^\| `([a-z_-]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")


def read_text(key: str, language: str) -> str:
    """Return a text as it is written, its examples untold."""
    return (TEXTS / language / f"{key}.md").read_text(encoding="utf-8")


def outline(text: str) -> list[str]:
    """Return the sections, the rules and the examples of a text, as they come."""
    return [next(filter(None, mark.groups())) for mark in MARK.finditer(text)]


def rules_in(text: str) -> list[str]:
    """Return the ids of the rules that are stated."""
    return RULE.findall(text)


def words_of(text: str) -> str:
    """Return what is written for people alone: no code, no boards, no anchors."""
    text = CODE.sub(" ", FENCE.sub(" ", text))
    return re.sub(r"\{#[a-z-]+\}|\b[A-Z]\d+\b", " ", text)
