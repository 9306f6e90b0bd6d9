"""Rulebooks as they are served: found, chosen by language, told and rendered."""

import dataclasses
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from rules_core import GAMES, Game, catalog, find_game
from rules_core.levels import FIRST, latest_ladder, levels_of
from services.rulebooks import (
    LANGUAGES,
    SHARED,
    NoRulebook,
    Rulebook,
    choose_language,
    find_rulebook,
    find_words,
    finding,
)
from services.rulebooks.html import page, render
from tests.rulebooks.reading import EVERY_TEXT, outline, read_text

every_text = pytest.mark.parametrize(("key", "language"), EVERY_TEXT)

TAGS = {
    *("article", "h1", "h2", "p", "ul", "li", "strong", "em", "code", "pre"),
    "blockquote",
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("html", "head", "meta", "title", "link", "body", "main"),
}
EMPTY = {"meta", "link"}


class Outline(HTMLParser):
    """Checks that tags are closed in order, and keeps ids, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        if tag not in EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read_html(html: str) -> Outline:
    """Return the outline of valid HTML."""
    outline = Outline()
    outline.feed(html)
    outline.close()
    assert not outline.open
    return outline


@every_text
def test_a_rulebook_is_found_in_every_language(key: str, language: str) -> None:
    found = find_rulebook(key, language)
    assert (found.game, found.language) == (key, language)
    assert found.markdown.startswith(f"# {found.title}\n")
    assert found is find_rulebook(key, language)


@every_text
def test_examples_are_told_in_markdown_and_in_html(key: str, language: str) -> None:
    """A reader sees boards and sentences, not what the test reads."""
    found = find_rulebook(key, language)
    for text in (found.markdown, found.html):
        assert "example game" not in text
        assert "-&gt;" not in text
        assert " -> " not in text
        assert "{#" not in text
    assert found.markdown.count("```board\n") == found.html.count(
        '<code class="board">'
    )


@every_text
def test_the_html_is_valid_and_has_the_ids_of_sections_and_rules(
    key: str, language: str
) -> None:
    found = find_rulebook(key, language)
    html = read_html(found.html)
    marks = [m.lower() for m in outline(read_text(key, language)) if m != "example"]
    told = [] if key == SHARED else ["random-play"]  # tables behind the text
    if told and latest_ladder(find_game(key)) > FIRST:
        told.insert(0, "levels")
    assert html.ids == marks + told
    assert html.attributes <= {"id", "class", "lang"}
    assert found.html.startswith(f'<article class="rulebook" lang="{language}">')


@every_text
def test_no_markup_is_left_over_in_the_html(key: str, language: str) -> None:
    """As when a star stands beside a sign of punctuation and opens nothing."""
    text = read_html(find_rulebook(key, language).html).text
    assert not re.search(r"\*|`|^#|^\||\\", text, re.MULTILINE)


def test_a_page_stands_alone_under_a_strict_policy() -> None:
    article = find_rulebook("kalah", "en").html
    text = page(article, "Kalah", "en", "/static/style.css")
    html = read_html(text)
    assert text.startswith('<!doctype html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in text
    assert '<link rel="stylesheet" href="/static/style.css">' in text
    assert not html.attributes & {"style", "onclick", "src"}


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <b onclick='x()'>bold</b> word",
        "[a link](javascript:alert)",
        "![a picture](https://example.org/x.png)",
        "<https://example.org>",
        "# A heading <img src=x>",
        "**K1.** &lt;script&gt; <i>",
        '```"><script>\nx\n```',
        "| a |\n| :-: |\n| <b> |",
    ],
)
def test_what_is_not_of_the_subset_stays_text(text: str) -> None:
    """No tag, no link, no style comes out that the rulebooks do not use."""
    assert read_html(render(text, "en")).attributes <= {"id", "class", "lang"}


def test_a_title_cannot_break_out_of_a_page() -> None:
    found = Rulebook.of("x", "en", "# </title><script> {#x}\n")
    assert "<script" not in page(found.html, found.title, "en", '"><script>')


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("pa", "pa"),
        ("pa-IN", "pa"),
        ("pa-Guru", "pa"),
        ("pa-Guru-IN,en;q=0.5", "pa"),
        ("PA-in", "pa"),
        ("tr-TR,tr;q=0.9,en;q=0.8", "tr"),
        ("en;q=0.3, hi ; q=0.7, ja;q=0.5", "hi"),
        ("hi-IN;q=0.8,en-GB;q=0.9", "en"),
        ("fr,ja;q=0.1", "ja"),
        ("fr,de", "en"),
        ("fr, *;q=0.5", "en"),
        ("*, en;q=0", "pa"),
        ("ja;q=0, tr;q=0.1", "tr"),
        ("hi, ja", "hi"),
        ("ja, hi", "ja"),
        ("pa-Arab, hi;q=0.4", "hi"),
        ("pa-PK", "en"),
        ("ja;q=x, ;;, tr", "tr"),
        ("english please", "en"),
        ("../../etc/passwd", "en"),
    ],
)
def test_the_language_is_chosen_by_the_header(
    header: str | None, language: str
) -> None:
    assert choose_language(header) == language


def test_english_comes_first() -> None:
    assert LANGUAGES == ("en", "pa", "hi", "tr", "ja")


@pytest.mark.parametrize("key", ["chess", "", "../en/kalah", "kalah.md", "sentences"])
def test_a_game_without_a_rulebook_is_refused(key: str) -> None:
    with pytest.raises(NoRulebook) as refused:
        find_rulebook(key, "en")
    assert refused.value.game_key == key


def test_an_unknown_language_is_served_the_default() -> None:
    """Also one that is a path."""
    assert find_rulebook("kalah", "fr").language == "en"
    assert find_rulebook("kalah", "../hi").language == "en"


@pytest.fixture
def toguz(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Bring a game of a package, the module of which lies beside these texts."""
    game = dataclasses.replace(find_game("kalah"), key="toguz", module="toguz.game")
    monkeypatch.setattr(catalog, "find_plugins", lambda: (game,))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "toguz").mkdir()
    (tmp_path / "toguz" / "__init__.py").write_text("")
    yield tmp_path / "toguz" / "rulebooks"
    sys.modules.pop("toguz", None)
    finding._load.cache_clear()


def write(folder: Path, language: str, text: str) -> None:
    """Write a text as a package would bring it."""
    (folder / language).mkdir(parents=True)
    (folder / language / "toguz.md").write_text(text, encoding="utf-8")


def test_another_game_brings_its_own_texts(toguz: Path) -> None:
    """In the languages it has; the others get the first of ours that is there."""
    example = '```example game=kalah options={"pits": 1}\nposition 4/4 0,0 S\n```\n'
    write(toguz, "tr", f"# Dokuzkumalak {{#toguz}}\n\n{example}")
    write(toguz, "ja", "# トグズコルゴール\n")

    assert find_rulebook("toguz", "ja").title == "トグズコルゴール"
    turkish = find_rulebook("toguz", "hi")
    assert (turkish.language, turkish.title) == ("tr", "Dokuzkumalak")
    assert "`4/4 0,0 S`" in turkish.markdown
    assert "Güney" in turkish.markdown


@pytest.mark.usefixtures("toguz")
def test_a_package_may_bring_no_texts() -> None:
    with pytest.raises(NoRulebook):
        find_rulebook("toguz", "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_levels_are_told_with_what_they_are_worth(language: str) -> None:
    section = find_rulebook("kalah", language).markdown.split("\n## ")[-2]
    game = find_game("kalah")

    elos = re.findall(r"^\| (\d+) \| (\d+) \|", section, re.MULTILINE)

    assert elos == [
        (str(number), str(level.elo))
        for number, level in enumerate(levels_of(game, latest_ladder(game)), start=1)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_random_play_is_told_at_the_end_of_each_rulebook(language: str) -> None:
    """The table counts each game twice: by its winner, and by its reason."""
    book = find_rulebook("kalah", language)
    section = book.markdown.rpartition("\n## ")[2]

    assert 'id="random-play"' in book.html
    counts = [int(n) for n in re.findall(r"\| (\d+) \|$", section, re.MULTILINE)]
    assert sum(counts) == 2 * 60


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_rulebook_begins_with_what_its_card_says(game: Game, language: str) -> None:
    """What the game is, and how long and how hard; where it has none, in English."""
    words, english = find_words(game, language), find_words(game, "en")

    assert words.about
    assert words.effort
    assert language == "en" or words.about != english.about
    assert f"<blockquote>\n<p>{words.about}\n{words.effort}</p>" in (
        find_rulebook(game.key, language).html
    )
