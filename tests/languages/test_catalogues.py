"""Everything that the code says to people can be told in every language."""

import ast
import re
import string
from collections.abc import Iterator
from functools import cache

import pytest
from babel.messages.catalog import Message as Entry

from services.languages import LANGUAGES
from services.match.reasons import REASONS
from services.rulebooks import SHARED
from services.rulebooks.finding import find_text
from tests.languages.update import update
from tests.support.catalogues import FOLDERS, OTHERS, ROOT, extract, path_of, read

MESSAGES = ("services.languages", "rules_core.messages")
SAYING = {"Message": 1, "Counted": 2}
SCRIPTS = {"pa": "[\u0a00-\u0a7f]", "hi": "[\u0900-\u097f]", "ja": "[\u3040-\u9fff]"}
SAME_EVERYWHERE = {", ", "; ", "{place}: {reason}", "{place}: {detail}"}
SAME_EVERYWHERE |= {"{wanted}: {alphabet}"}
SAME_EVERYWHERE |= {"{who}: {move}", "{name}: {value}", "{happened}. {turn}"}
SAME_EVERYWHERE |= {
    "{yours} to {theirs}",
    "{version} of {latest}",
    "{game} · {against}",
}


@cache
def texts() -> list[Entry]:
    """Return what is to be translated; whoever only collects tests needs it not."""
    return [entry for entry in extract() if entry.id]


def forms(texts: object) -> list[str]:
    """Return a text, or each of the forms of a text with plurals."""
    return [texts] if isinstance(texts, str) else [str(text) for text in texts or ()]  # type: ignore[attr-defined]


def places(template: str) -> set[str]:
    """Return the facts of a template, as it shows them: `seat!r`."""
    found = set()
    for _, name, spec, conversion in string.Formatter().parse(template):
        if name is not None:
            found.add(f"{name}!{conversion}:{spec}" if conversion else f"{name}:{spec}")
    return found


def test_there_is_a_catalogue_of_every_language_and_no_other() -> None:
    kept = {path.stem for path in path_of("en").parent.glob("*.po")}

    assert kept == set(OTHERS)
    assert LANGUAGES[0] == "en"


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_lacks_a_translation(language: str) -> None:
    """`make translations` adds what is new; then it is to be filled."""
    kept = read(language)

    for text in texts():
        entry = kept.get(text.id)
        assert entry is not None, f"{language} does not know {text.id!r}"
        assert not entry.fuzzy, f"{language} only guesses {text.id!r}"
        assert all(forms(entry.string)), f"{language} has no words for {text.id!r}"
        wanted = kept.num_plurals if isinstance(text.id, tuple) else 1
        assert len(forms(entry.string)) == wanted, f"{language}: {text.id!r}"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_tells_the_same_facts(language: str) -> None:
    for entry in read(language):
        wanted = {place for text in forms(entry.id) for place in places(text)}
        for text in forms(entry.string) if entry.id else ():
            assert places(text) == wanted, f"{language}: {entry.id!r}"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_is_written_in_its_script(language: str) -> None:
    """What is left as it was in English was forgotten."""
    for entry in read(language):
        if not entry.id or set(forms(entry.id)) & SAME_EVERYWHERE:
            continue
        for text in forms(entry.string):
            assert text not in forms(entry.id), f"{language}: {text!r}"
            assert re.search(SCRIPTS.get(language, "."), text), f"{language}: {text!r}"


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_is_as_it_is_written_by_the_make_target(language: str) -> None:
    """So nothing is in it that the code does not say any more."""
    text, missing = update(language, extract())

    assert missing == 0
    assert path_of(language).read_text("utf-8") == text


def of(entry: Entry, path: str) -> bool:
    return any(name == path for name, _ in entry.locations)


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_told_in_the_words_of_the_rulebook(language: str) -> None:
    shared = find_text(SHARED, language)
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", shared, re.MULTILINE))
    kept = read(language) if language != "en" else None

    for reason, words in rows.items():
        said = REASONS[reason].template
        entry = kept.get(said) if kept else None
        assert (entry.string if entry else said) == words


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Yield where messages are made, out of every file that knows them by import."""
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        known = {
            alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module in MESSAGES
            for alias in node.names
        }
        for node in nodes:
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in known & SAYING.keys():
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node, name


def test_a_message_stands_where_it_can_be_found() -> None:
    """One that is put together has no translation, nor has one in an f-string."""
    for where, call, name in calls():
        for given in call.args[: SAYING[name]]:
            assert isinstance(given, ast.Constant), f"{where}: give the text itself"
            known = any(given.value in forms(text.id) for text in texts())
            assert known, f"{where}: {given.value!r} is not found by Babel"


def test_a_message_is_given_the_facts_that_it_tells() -> None:
    for where, call, name in calls():
        facts = {given.arg for given in call.keywords}
        if None in facts:
            continue
        for text in call.args[: SAYING[name]]:
            assert isinstance(text, ast.Constant)
            told = {re.split("[!:]", place)[0] for place in places(str(text.value))}
            assert told <= facts, f"{where}: {told - facts}"
