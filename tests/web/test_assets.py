"""What the page consists of: named by what it holds, packed, and not too much."""

import gzip
import re
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from rules_core import all_games
from services.web import minifying
from services.web.assets import later_script, script

PACKED = {"Accept-Encoding": "gzip"}
MOST, OF_A_GAME = 44_000, 110
"""Bytes of a first visit, and more for each game: with nine of them some 45 kB."""
NAMES = re.compile(r'(?:href|src)="(/[^"#?]+)"')


def test_what_an_address_names_is_kept_for_a_year(client: FlaskClient) -> None:
    page = client.get("/").text
    assets = [url for url in NAMES.findall(page) if url.startswith("/assets/")]

    assert len(assets) == 3
    for url in assets:
        answer = client.get(url)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
        tag = answer.headers["ETag"]
        again = client.get(url, headers={"If-None-Match": tag})
        assert again.status_code == 304


def test_the_page_itself_is_asked_for_anew(client: FlaskClient) -> None:
    page = client.get("/")

    assert page.headers["Cache-Control"] == "no-cache"
    again = client.get("/", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "name", ["main.js", "other.000000000000.js", "..%2fpage.py", "x" * 3000]
)
def test_what_no_version_has_is_not_there(client: FlaskClient, name: str) -> None:
    assert client.get(f"/assets/{name}").status_code == 404


def test_a_page_of_another_version_gets_what_there_is_and_keeps_it_nowhere(
    client: FlaskClient,
) -> None:
    answer = client.get("/assets/main.000000000000.js")

    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")
    assert answer.get_data() == client.get(_script(client)).get_data()


def _script(client: FlaskClient) -> str:
    names = NAMES.findall(client.get("/").text)
    return next(name for name in names if re.search(r"/main\.\w+\.js", name))


def test_it_is_packed_for_who_can_unpack_it(client: FlaskClient) -> None:
    plain, packed = client.get("/"), client.get("/", headers=PACKED)

    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.vary
    assert plain.headers["ETag"] != packed.headers["ETag"]


def test_a_first_visit_takes_little(client: FlaskClient) -> None:
    """The page, its script, its styles, its words and the games."""
    page = gzip.decompress(taken(client, "/")).decode()
    named = [url for url in NAMES.findall(page) if url.startswith(("/assets", "/st"))]
    code = script("main", "later").text
    urls = {"/", "/v1/games", *named, *re.findall(r'"(/assets/board[^"]+)"', code)}

    assert len(urls) < 10
    size = sum(len(taken(client, url)) for url in urls)
    assert size < MOST + OF_A_GAME * len(all_games())


def taken(client: FlaskClient, url: str) -> bytes:
    with client.get(url, headers=PACKED) as answer:
        return answer.data


def test_without_a_minifier_it_is_longer_and_does_the_same() -> None:
    code = "// why\nfunction f(first) {\n  return first;\n}\nexport { f };\n"

    with patch.object(minifying.subprocess, "run", side_effect=OSError):
        plain = minifying.minified(code, "js")
    assert plain == "function f(first) {\nreturn first;\n}\nexport { f };\n"
    assert len(minifying.minified(code, "js")) <= len(plain)


def test_what_comes_later_has_nothing_twice() -> None:
    later = later_script("later", "main")

    assert script("main", "later").url in later.text
    assert "idempotency-key" not in later.text.lower()
