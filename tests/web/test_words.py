"""Every text of the page comes from the catalogues, in each language."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from services.languages import LANGUAGES
from services.match.events import EVENTS
from services.web.page import STATIC
from services.web.words import PHRASES, Phrases

SCRIPTS = {path.name: path.read_text("utf-8") for path in STATIC.rglob("*.js")}
PAGES = "\n".join(path.read_text("utf-8") for path in STATIC.glob("*.html"))
ASKED = re.compile(r'(?:(?:say|did)\(\s*|data-(?:say|name|content)=)"([\w.@-]+)"')
BEGINNINGS = re.compile(r"`([a-z_]+\.(?:[a-z_]+\.)*)\$\{")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
PROSE = re.compile(r"[A-Z][a-z]+ [a-z]+|[a-z]+ [a-z]+ [a-z]+[ .]|[^\x00-\x7f–]")
FOR_PROGRAMMERS = re.compile(r"throw new |d: `|const d = ")


class Texts(HTMLParser):
    """Gathers what a page says: its texts, and the names of what has none."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in ("script", "style", "title")
        named = ("aria-label", "title", "alt", "placeholder")
        self.said += [value for name, value in attrs if name in named and value]

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("script", "style", "title")

    def handle_data(self, data: str) -> None:
        if data.strip() and not self.silent:
            self.said.append(data.strip())


def liking(languages: str) -> dict[str, str]:
    return {"Accept-Language": languages}


def literals() -> Iterator[tuple[str, str]]:
    """Yield each string in the code of the page, and the line that it begins in."""
    for name, script in SCRIPTS.items():
        code = COMMENT.sub("", script)
        for found in LITERAL.finditer(code):
            line = code[code.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0]
            yield f"{name}: {line}", found[1] or found[2] or ""


def test_every_text_that_is_asked_for_is_there() -> None:
    """A key without words would be shown as it is."""
    sources = [COMMENT.sub("", source) for source in (*SCRIPTS.values(), PAGES)]
    asked = {key for source in sources for key in ASKED.findall(source)}

    assert len(asked) > 50
    assert asked <= set(PHRASES)


def test_every_text_that_is_there_is_asked_for() -> None:
    files = [*STATIC.parent.glob("*.py"), *STATIC.parent.glob("*.html")]
    served = [path.read_text("utf-8") for path in files]
    source = "\n".join((*SCRIPTS.values(), PAGES, *served))
    begun = tuple(set(BEGINNINGS.findall(source)))

    def is_asked(key: str) -> bool:
        quoted = re.search(rf'"{re.escape(key)}["?:\]]', source)
        other = key.removesuffix(".you")
        by_other = other != key and other in PHRASES and is_asked(other)
        return bool(quoted) or key.startswith(begun) or by_other

    unasked = [key for key in PHRASES if not is_asked(key)]
    assert unasked == []


def test_every_kind_of_event_has_words() -> None:
    """Those that have more than one sentence are told by their facts."""
    told = {"opened", "seat_taken", "seat_token_renewed", "move_played", "ended"}
    told |= {"fist_guessed"}
    kinds = {event.type.removeprefix("match.") for event in EVENTS}

    assert {kind for kind in kinds - told if f"event.{kind}" not in PHRASES} == set()


def test_what_you_did_counts_as_what_others_did() -> None:
    for key, phrase in PHRASES.items():
        other = PHRASES.get(key.removesuffix(".you"), phrase)
        assert isinstance(other, Phrases) == isinstance(phrase, Phrases), key


def test_no_text_stands_in_the_code() -> None:
    found = [
        line
        for line, literal in literals()
        if PROSE.search(re.sub(r"\$\{[^}]*\}", "", literal))
        and not FOR_PROGRAMMERS.search(line)
        and "className" not in line
        and not re.search(r"matchMedia|@ts-|class(List)?:", line)
    ]
    assert found == []


def test_no_text_stands_in_the_html() -> None:
    """What is said there comes by its key; the name of the product is one in all."""
    assert set(Texts(PAGES).said) == {"Seedlog"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_comes_with_its_texts(client: FlaskClient, language: str) -> None:
    """So it can be read before any script has run, and without."""
    by_browser = client.get("/", headers=liking(f"de, {language};q=0.5")).text
    by_address = client.get(f"/?lang={language}", headers=liking("tr")).text

    assert by_browser == by_address
    assert f'<html lang="{language}">' in by_browser
    assert not re.search(r'data-say="[^"]*"[^>]*></(?!select)', by_browser)
    said = " ".join(Texts(by_browser).said)
    wanted = {"en": "Play a game", "pa": "ਕੋਈ ਖੇਡ ਖੇਡੋ", "hi": "कोई खेल खेलिए"}
    wanted |= {"tr": "Bir oyun oynayın", "ja": "ゲームで遊ぶ"}
    assert wanted[language] in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_a_language_are_a_module(
    client: FlaskClient, language: str
) -> None:
    answer = client.get(f"/words/{language}.js")
    words = json.loads(answer.text.removeprefix("export default ").rstrip(";\n"))

    assert words.keys() == PHRASES.keys()
    assert set(words["event.captured"]) == {"one", "other"}
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    again = client.get(
        f"/words/{language}.js", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert again.status_code == 304


def test_there_are_no_words_of_other_languages(client: FlaskClient) -> None:
    for code in ("de", "en%2f..", "x" * 3000):
        assert client.get(f"/words/{code}.js").status_code == 404
    assert '<html lang="en">' in client.get('/?lang="><script>').text
