"""The texts say the same in all languages, and what they say is so."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from rules_core import GAMES, REASONS, OptionSpec, find_game
from services.rulebooks import LANGUAGES, SHARED
from services.rulebooks.examples import BadExample, find_examples, tell, tell_examples
from services.rulebooks.wording import find_sentences
from tests.rulebooks.reading import (
    CODE,
    EVERY_TEXT,
    KEYS,
    ROW,
    TEXTS,
    outline,
    read_text,
    rules_in,
    words_of,
)

RULE_IDS = (Path(__file__).parents[1] / "rules" / "rule_ids.txt").read_text().split()
SECTIONS = [
    "aim",
    "board",
    "setup",
    "options",
    "play",
    "capture",
    "end",
    "notation",
    "examples",
    "decisions",
]
SCRIPTS = {
    "pa": ("GURMUKHI", "DEVANAGARI DANDA"),
    "hi": ("DEVANAGARI",),
    "ja": ("HIRAGANA", "KATAKANA", "CJK UNIFIED", "IDEOGRAPHIC"),
}
every_text = pytest.mark.parametrize(("key", "language"), EVERY_TEXT)
every_table = pytest.mark.parametrize(
    ("key", "language"),
    [(key, language) for key, language in EVERY_TEXT if key in KEYS],
)


def test_there_is_a_text_of_everything_and_nothing_else() -> None:
    found = {path.relative_to(TEXTS).as_posix() for path in TEXTS.rglob("*.md")}
    assert found == {f"{language}/{key}.md" for key, language in EVERY_TEXT}


@pytest.mark.parametrize("key", KEYS)
def test_every_game_has_the_same_sections_in_the_same_order(key: str) -> None:
    sections = [mark for mark in outline(read_text(key, "en")) if mark in SECTIONS]
    assert sections == SECTIONS


@every_text
def test_a_translation_has_the_outline_of_the_english_text(
    key: str, language: str
) -> None:
    """Sections, rules and examples, one by one in the same order."""
    assert outline(read_text(key, language)) == outline(read_text(key, "en"))


@every_text
def test_a_translation_has_the_examples_of_the_english_text(
    key: str, language: str
) -> None:
    assert find_examples(read_text(key, language)) == find_examples(
        read_text(key, "en")
    )


@every_text
def test_a_translation_names_the_same_labels_rules_and_numbers(
    key: str, language: str
) -> None:
    """Paragraph by paragraph, what stands in code: houses, moves, rules, words."""

    def named(text: str) -> list[list[str]]:
        return [sorted(set(CODE.findall(line))) for line in text.splitlines() if line]

    assert named(read_text(key, language)) == named(read_text(key, "en"))


@every_text
def test_every_rule_is_stated_once(key: str, language: str) -> None:
    """The ids live on here; those of a document begin with one letter."""
    stated = rules_in(read_text(key, language))
    [letter] = {rule[0] for rule in stated}
    assert sorted(stated) == sorted(rule for rule in RULE_IDS if rule[0] == letter)


def test_every_rule_id_belongs_to_a_document() -> None:
    stated = {
        rule for key in (*KEYS, SHARED) for rule in rules_in(read_text(key, "en"))
    }
    assert stated == set(RULE_IDS)


@every_text
def test_the_worked_examples_hold_on_the_engine(key: str, language: str) -> None:
    """Positions, moves, legal moves, passes and results."""
    examples = find_examples(read_text(key, language))
    assert examples
    for example in examples:
        assert list(tell(example, find_sentences(language)))


@pytest.mark.parametrize("key", KEYS)
def test_a_game_has_worked_examples_of_its_own(key: str) -> None:
    examples = find_examples(read_text(key, "en"))
    assert {example.game for example in examples} == {key}
    assert sum(any("->" in line for line in e.lines) for e in examples) >= 3


@pytest.mark.parametrize(
    "lines",
    [
        "position 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S\nC -> 4,4,4,4,4,4/4,4,4,4,4,4 0,0 N",
        "position 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S\nlegal A B",
        "position 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S\npasses north",
        "position 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S\nover south seeds 25:23",
        "position 0,0,0,0,0,1/0,0,0,0,0,0 25,22 S\nover north seeds 26:22",
        "position 0,0,0,0,0,0/0,0,0,0,0,1 25,22 S",
        "position 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S\nremark A B",
        "C -> 4,4,0,5,5,5/4,4,4,4,4,4 1,0 S",
    ],
)
def test_an_example_that_is_not_so_is_refused(lines: str) -> None:
    text = f"```example game=kalah\n{lines}\n```\n"
    with pytest.raises(BadExample):
        tell_examples(text, find_sentences("en"))


def test_an_example_without_a_game_is_refused() -> None:
    with pytest.raises(BadExample):
        find_examples("```example kalah\nposition x\n```\n")


@every_table
def test_the_rules_version_is_named_at_the_top(key: str, language: str) -> None:
    top = read_text(key, language).split("\n## ", 1)[0]
    assert CODE.findall(top)[0] == find_game(key).rules


@every_table
def test_the_table_of_options_agrees_with_the_game(key: str, language: str) -> None:
    """Names, what they may be, and defaults."""
    rows = ROW.findall(read_text(key, language))
    told = {
        name: (CODE.findall(may), CODE.findall(usual)) for name, may, usual, _ in rows
    }
    assert told == {
        spec.name: (allowed(spec), [json.dumps(spec.default)])
        for spec in find_game(key).options
    }


def allowed(spec: OptionSpec) -> list[str]:
    """Return what an option may be, as the tables write it."""
    if spec.kind == "bool":
        return ["true", "false"]
    if spec.kind == "choice":
        return [json.dumps(choice) for choice in spec.choices]
    ends = [str(spec.minimum), str(spec.maximum)]
    return ends if spec.default is not None else [*ends, "null"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_reasons_is_complete(language: str) -> None:
    reasons = re.findall(
        r"^\| `([a-z-]+)` \|", read_text(SHARED, language), re.MULTILINE
    )
    assert reasons == [*REASONS, "resignation", "agreement", "abandoned"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_games_in_which_positions_recur_are_named(language: str) -> None:
    """G9 lists them."""
    [text] = re.findall(r"^\*\*G9\.\*\*.*$", read_text(SHARED, language), re.MULTILINE)
    recurring = {game.key for game in GAMES if game.engine.standstill is not None}
    assert set(CODE.findall(text)) == recurring


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_knows_every_seat(language: str) -> None:
    seats = {seat for key in KEYS for seat in find_game(key).seats}
    assert set(find_sentences(language).seats) == seats


@pytest.mark.parametrize(
    ("key", "language"), [item for item in EVERY_TEXT if item[1] in SCRIPTS]
)
def test_a_text_is_in_the_script_of_its_language(key: str, language: str) -> None:
    """Nothing was silently left in English."""
    letters = [
        c
        for c in words_of(read_text(key, language))
        if unicodedata.category(c)[0] in "LM"
    ]
    ours = [c for c in letters if unicodedata.name(c).startswith(SCRIPTS[language])]
    assert len(ours) > 0.97 * len(letters)


@pytest.mark.parametrize(
    "key", [key for key, language in EVERY_TEXT if language == "tr"]
)
def test_a_turkish_text_has_turkish_letters(key: str) -> None:
    words = words_of(read_text(key, "tr"))
    assert sum(words.lower().count(c) for c in "ışğçöü") > 0.06 * len(words)


@every_text
def test_no_english_is_left_in_a_translation(key: str, language: str) -> None:
    words = set(re.findall(r"[a-z]+", words_of(read_text(key, language)).lower()))
    if language != "en":
        assert not words & {"the", "and", "of", "is", "your", "seed", "seeds", "house"}


@every_text
def test_no_line_of_a_text_holds_what_the_markdown_cannot_show(
    key: str, language: str
) -> None:
    """Raw HTML, links, pictures and column alignment are no part of the subset."""
    text = read_text(key, language)
    assert not re.search(r"<[a-z!/]|\]\(|:--|--:", re.sub(CODE, "", text))
    assert text.endswith("\n")
    assert "\n\n\n" not in text
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
