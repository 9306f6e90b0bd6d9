"""Two installations, each with a log and keys of its own; and a browser."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from services.bootstrap import Services, connect
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.support.app import Client, client_of
from tests.support.page_driver import running_browser
from tests.support.tables import OTHER_PRIVATE, PRIVATE

SECRET = "test secret"


@pytest.fixture
def home(redis_url: str, tmp_path: Path) -> Services:
    """Return the installation that matches come from."""
    Connections(redis_url).call("FLUSHALL")
    settings = Settings(redis_url=redis_url, secret=SECRET, data=tmp_path / "home")
    return connect(_with_key(settings, PRIVATE))


@pytest.fixture
def away(redis_url: str, tmp_path: Path) -> Services:
    """Return the installation that matches are brought to."""
    url = f"{redis_url[:-1]}1"
    Connections(url).call("FLUSHDB")
    settings = Settings(redis_url=url, secret="other secret", data=tmp_path / "away")
    settings.data.mkdir()
    return connect(_with_key(settings, OTHER_PRIVATE))


def _with_key(settings: Settings, private: str) -> Settings:
    return replace(settings, signing_key=private, max_import=200_000)


@pytest.fixture
def client(home: Services) -> Client:
    return client_of(home)


@pytest.fixture
def abroad(away: Services) -> Client:
    return client_of(away, "ten_b")


@pytest.fixture(scope="module")
def window(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Return a page of a file: only there a browser checks signatures."""
    file = tmp_path_factory.mktemp("page") / "empty.html"
    file.write_text("<!doctype html><title>Empty</title>", "utf-8")
    with running_browser(chromium) as browser:
        page = browser.new_page()
        page.goto(file.as_uri())
        yield page
