"""The rules as pages of the site, in the language that an address can name."""

import re

import pytest
from flask.testing import FlaskClient

from rules_core import GAMES
from services.languages import LANGUAGES, NAMES
from services.rulebooks import SHARED, find_rulebook

PAGE = {"Accept": "text/html", "Accept-Language": "tr"}
KEYS = [*(game.key for game in GAMES), SHARED]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_address_names_the_language(client: FlaskClient, language: str) -> None:
    """It counts more than what the browser likes, and links lead to the same."""
    answer = client.get(f"/v1/games/kalah/rules?lang={language}", headers=PAGE)
    title = find_rulebook("kalah", language).title

    assert answer.headers["Content-Language"] == language
    assert f'<html lang="{language}">' in answer.text
    assert f"<title>{title} | Seedlog</title>" in answer.text
    others = re.findall(r'href="/v1/games/([\w-]+)/rules\?lang=(\w+)"', answer.text)
    assert {key for key, code in others if code == language} >= set(KEYS)
    assert {code for key, code in others if key == "kalah"} == set(LANGUAGES)
    assert all(name in answer.text for name in NAMES.values())


def test_markdown_has_an_address_for_each_language_too(client: FlaskClient) -> None:
    told = client.get("/v1/games/kalah/rules?lang=ja", headers={"Accept": "*/*"})

    assert told.text.startswith("# カラハ")


def test_a_language_that_is_not_there_is_refused(client: FlaskClient) -> None:
    refused = client.get("/v1/games/kalah/rules?lang=de")

    assert refused.status_code == 400
    assert refused.get_json()["parameter"] == "lang"
    assert "hi" in refused.get_json()["detail"]


@pytest.mark.parametrize("key", KEYS)
def test_examples_are_boards_that_can_be_drawn(client: FlaskClient, key: str) -> None:
    """Without a script, what is written between the tags is shown."""
    page = client.get(f"/v1/games/{key}/rules", headers=PAGE).text
    boards = re.findall(
        r'<seedlog-board game="([\w-]+)" position="([^"]+)"(?: steps="[^"]+")?><pre>',
        page,
    )

    assert len(boards) == page.count('<code class="board">')
    assert {game for game, _ in boards} <= {key}


@pytest.mark.parametrize("key", KEYS)
def test_every_rule_that_is_named_is_linked(client: FlaskClient, key: str) -> None:
    page = client.get(f"/v1/games/{key}/rules?lang=en", headers=PAGE).text
    shared = client.get("/v1/games/shared/rules?lang=en", headers=PAGE).text

    named = re.findall(r'<a href="([^"]*)#(\w+)"><code>(\w+)</code></a>', page)
    for where, anchor, name in named:
        there = shared if where else page
        assert f'id="{anchor}"' in there, name
    assert len(named) > 1


def test_the_policy_lets_nothing_in_from_elsewhere(client: FlaskClient) -> None:
    answer = client.get("/v1/games/kalah/rules", headers=PAGE)

    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r'(?:src|href)="(?:https?:)?//', answer.text)
    assert " style=" not in answer.text
