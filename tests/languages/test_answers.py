"""Answers that are no refusals, in the language of whoever asks."""

import pytest

from rules_core import all_games
from services.languages import LANGUAGES
from services.rulebooks import find_rulebook
from tests.support.app import Client


@pytest.mark.parametrize("language", LANGUAGES)
def test_games_have_the_names_of_their_rulebooks(client: Client, language: str) -> None:
    answer = client.get("/v1/games", Accept_Language=language)

    assert answer.headers["Content-Language"] == language
    assert "Accept-Language" in answer.vary
    for game in answer.get_json()["data"]:
        if language != "en":
            assert game["name"] == find_rulebook(game["key"], language).title
        assert game["key"].isascii()


def test_english_names_are_those_of_the_rules(client: Client) -> None:
    shown = client.get("/v1/games").get_json()["data"]

    assert [game["name"] for game in shown] == [game.name for game in all_games()]


def test_options_are_described_as_in_the_rulebook(client: Client) -> None:
    told = {}
    for language in LANGUAGES:
        shown = client.get("/v1/games/kalah", Accept_Language=language).get_json()
        told[language] = {option["name"]: option for option in shown["options"]}

    for name in ("pits", "seeds", "empty_capture"):
        words = {language: told[language][name] for language in LANGUAGES}
        assert len({option["description"] for option in words.values()}) == 5
        assert len({option["title"] for option in words.values()}) == 5
        assert len({option["default"] for option in words.values()}) == 1
    assert told["tr"]["seeds"]["description"] == "başlangıçta her evde kaç tohum olduğu"
    assert told["ja"]["empty_capture"]["description"].endswith("入れるかどうか")


def test_the_reason_of_an_outcome_is_told_beside_its_code(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    client.post(f"{path}/resignation", {"seat": "south"})

    outcomes = {
        language: client.get(path, Accept_Language=language).get_json()["outcome"]
        for language in LANGUAGES
    }

    assert {outcome["reason"] for outcome in outcomes.values()} == {"resignation"}
    assert {language: told["reason_text"] for language, told in outcomes.items()} == {
        "en": "a player has resigned",
        "pa": "ਕਿਸੇ ਨੇ ਹਾਰ ਮੰਨ ਲਈ",
        "hi": "किसी ने हार मान ली",
        "tr": "bir oyuncu oyunu bıraktı",
        "ja": "一方が投了した",
    }


def test_what_differs_by_language_differs_in_its_tag(client: Client) -> None:
    """A cache that holds one must not be told that the other is the same."""
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    client.post(f"{path}/resignation", {"seat": "south"})
    turkish = client.get(path, Accept_Language="tr")
    tag = turkish.headers["ETag"]

    same = client.get(path, Accept_Language="tr", If_None_Match=tag)
    other = client.get(path, Accept_Language="hi", If_None_Match=tag)

    assert (same.status_code, other.status_code) == (304, 200)
    assert same.headers["ETag"] == tag != other.headers["ETag"]
    for answer in (turkish, same, other):
        assert "Accept-Language" in answer.vary


def test_what_is_the_same_in_every_language_says_nothing_of_languages(
    client: Client,
) -> None:
    """A match that goes on holds codes alone: nothing is translated on its way."""
    match = client.open_match()
    move = {"move": "C", "seat": "south", "expected_version": 3}

    path = f"/v1/matches/{match['id']}"
    played = client.post(f"{path}/moves", move, Accept_Language="ja")
    shown = client.get(path, Accept_Language="ja")

    for answer in (played, shown):
        assert "Content-Language" not in answer.headers
        assert "Accept-Language" not in answer.vary
    assert shown.headers["ETag"] == client.get(path).headers["ETag"]


def test_a_language_that_is_not_ours_is_answered_in_english(client: Client) -> None:
    for asked in ("de", "pa-PK", "pa-Arab", "x" * 5000, ",;q", "en;q=2", "tr;q=0"):
        answer = client.get("/v1/matches/mat_none", Accept_Language=asked)

        assert answer.headers["Content-Language"] == "en"
        assert answer.get_json()["title"] == "There is no such match"
