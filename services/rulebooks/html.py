"""HTML of exactly the Markdown that rulebooks use; anything else stays text."""

import re
from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

RULES = (
    *("heading", "list", "fence", "table", "blockquote"),
    *("emphasis", "backticks", "escape"),
)
ANCHOR = re.compile(r" \{#([a-z][a-z0-9-]*)\}$")
RULE_ID = re.compile(r"([A-Z]\d{1,2})\.")


def render(markdown: str, language: str) -> str:
    """Return the text as one article, to be put into a page."""
    body = _markdown.render(markdown)
    return f'<article class="rulebook" lang="{escape(language)}">\n{body}</article>\n'


def page(article: str, title: str, language: str, stylesheet: str) -> str:
    """Return the article as a page of its own, without scripts and inline styles."""
    link = f'<link rel="stylesheet" href="{escape(stylesheet)}">\n'
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n'
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n{link}</head>\n<body>\n<main>{article}</main>\n</body>\n</html>\n"
    )


def _mark(state: StateCore) -> None:
    """Give sections and rules their ids; leave no inline style on a table."""
    tokens = state.tokens
    for token in tokens:
        token.attrs.pop("style", None)
    for index, token in enumerate(tokens):
        if token.type != "inline" or not token.children:
            continue
        if tokens[index - 1].type == "heading_open":
            _name_section(tokens[index - 1], token.children[-1])
        elif rule := _find_rule(token.children):
            _opener(tokens, index).attrSet("id", rule.lower())


def _name_section(heading: Token, last: Token) -> None:
    """Move the anchor at the end of a heading into its tag."""
    if anchor := ANCHOR.search(last.content):
        heading.attrSet("id", anchor[1])
        last.content = last.content[: anchor.start()]


def _find_rule(children: Sequence[Token]) -> str | None:
    """Return the id of the rule that a paragraph states, if it begins with one."""
    opened = [
        position for position, t in enumerate(children[:2]) if t.type == "strong_open"
    ]
    if not opened or any(token.content for token in children[: opened[0]]):
        return None
    rule = RULE_ID.fullmatch(children[opened[0] + 1].content)
    return rule[1] if rule else None


def _opener(tokens: Sequence[Token], index: int) -> Token:
    """Return the tag a paragraph is shown in: its own, or that of its list item."""
    before = tokens[index - 1]
    return tokens[index - 2] if before.hidden else before


_markdown = MarkdownIt("zero", {"langPrefix": ""}).enable(list(RULES))
_markdown.core.ruler.push("rulebook", _mark)
