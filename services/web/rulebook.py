"""A rulebook as a page of the site: linked to the others, its boards drawn."""

import json
import re
from html import escape
from urllib.parse import quote

from rules_core import all_games
from rules_core.boards.steps import Step
from services.languages import LANGUAGES, NAMES, language_of
from services.rulebooks import SHARED, Rulebook, find_words
from services.rulebooks.examples import shown_steps
from services.rulebooks.finding import find_text
from services.web.assets import script, style, words_of
from services.web.words import tell_all
from services.web.written import PARTS

POLICY = "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'"
BOARD = re.compile(
    r'(<pre><code class="board">[^<]*</code></pre>)(?=\s*<p><code>([^<]+)</code>)'
)
RULE = re.compile(r"<code>([A-Z])(\d{1,2})</code>")
ANCHOR = re.compile(r'id="([a-z]\d{1,2})"')
EMPTY_HEADER, EMPTY_CELL = "<th></th>", "<td></td>"  # it would head nothing
SHARED_LETTER = "G"


def rulebook_page(rulebook: Rulebook, language: str) -> str:
    """Return the page of a rulebook, for whoever reads the site in a language."""
    texts = tell_all(language_of(language))
    title = escape(rulebook.title)
    return f"""<!doctype html>
<html lang="{escape(rulebook.language)}">
<head>
{PARTS["head"]}<title>{title} | Seedlog</title>
<link rel="stylesheet" href="{style("rulebook", "rulebook.css").url}">
<link rel="modulepreload" href="{words_of(rulebook.language).url}" data-words>
<script type="module" src="{script("rulebook").url}"></script>
</head>
<body>
<header class="bar">
<a class="brand" href="/?lang={language}">
<img src="/static/icon.svg" alt="" width="30" height="30"><span>Seedlog</span></a>
<nav class="languages" aria-label="{escape(str(texts["page.language"]))}">
{_languages(rulebook.game, language)}
</nav>
</header>
<div class="columns">
<nav class="books" aria-label="{escape(str(texts["doors.rules"]))}">
{_books(rulebook.game, language)}
</nav>
<main>
{_decorated(rulebook, language)}</main>
</div>
</body>
</html>
"""


def _address(key: str, language: str) -> str:
    return f"/v1/games/{quote(key)}/rules?lang={language}"


def _languages(key: str, language: str) -> str:
    return "\n".join(
        f'<a href="{_address(key, code)}" lang="{code}" hreflang="{code}"'
        f"{_current(code == language)}>{NAMES[code]}</a>"
        for code in LANGUAGES
    )


def _books(key: str, language: str) -> str:
    """Return a link to the rules of each game, and to those that all share."""
    named = [(game.key, find_words(game, language).name) for game in all_games()]
    shared = str(tell_all(language_of(language))["rules.shared"])
    return "\n".join(
        f'<a href="{_address(each, language)}"{_current(each == key)}>'
        f"{escape(name)}</a>"
        for each, name in [*named, (SHARED, shared)]
    )


def _current(is_it: bool) -> str:
    return ' aria-current="page"' if is_it else ""


def _decorated(rulebook: Rulebook, language: str) -> str:
    """Return the article with drawn boards, and with links to the rules it names."""
    moves = shown_steps(find_text(rulebook.game, rulebook.language))
    article = BOARD.sub(
        lambda found: _board(rulebook.game, found[1], found[2], next(moves, ())),
        rulebook.html,
    )
    shared = "" if rulebook.game == SHARED else _address(SHARED, language)

    here = set(ANCHOR.findall(article))

    def linked(found: re.Match[str]) -> str:
        """Link a rule; where pits are called like that, it is one of those."""
        anchor = found[1].lower() + found[2]
        where = shared if found[1] == SHARED_LETTER else ""
        if not where and anchor not in here:
            return found[0]
        href = f"{where}#{anchor}"
        return f'<a href="{href}">{found[0]}</a>'

    return RULE.sub(linked, article).replace(EMPTY_HEADER, EMPTY_CELL)


def _board(game: str, text: str, position: str, steps: tuple[Step, ...]) -> str:
    """Return a board that is drawn where there are scripts, and written elsewhere.

    *steps* are those of the move that led to it: there it can be played again.
    """
    told = escape(json.dumps([step.as_json() for step in steps]))
    moved = f' steps="{told}"' if steps else ""
    return (
        f'<seedlog-board game="{escape(game)}" position="{position}"{moved}>'
        f"{text}</seedlog-board>"
    )
