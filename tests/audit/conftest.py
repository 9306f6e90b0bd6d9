"""Two installations beside one another: each with a log and keys of its own."""

from dataclasses import replace
from pathlib import Path

import pytest

from services.api import create_app
from services.bootstrap import Services, connect
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.api.conftest import Client
from tests.audit.making import OTHER_PRIVATE, PRIVATE

SECRET = "test secret"


@pytest.fixture
def home(fake_redis: str, tmp_path: Path) -> Services:
    """Return the installation that matches come from."""
    Connections(fake_redis).call("FLUSHALL")
    settings = Settings(redis_url=fake_redis, secret=SECRET, data=tmp_path / "home")
    return connect(_with_key(settings, PRIVATE))


@pytest.fixture
def away(fake_redis: str, tmp_path: Path) -> Services:
    """Return the installation that matches are brought to."""
    url = f"{fake_redis[:-1]}1"
    Connections(url).call("FLUSHDB")
    settings = Settings(redis_url=url, secret="other secret", data=tmp_path / "away")
    settings.data.mkdir()
    return connect(_with_key(settings, OTHER_PRIVATE))


def _with_key(settings: Settings, private: str) -> Settings:
    return replace(settings, signing_key=private, max_import=200_000)


def client_of(services: Services, tenant: str = "ten_a") -> Client:
    """Return a client that holds a key of a tenant."""
    secret, _ = services.tenants.create_key(tenant)
    return Client(create_app(services).test_client(), secret)


@pytest.fixture
def client(home: Services) -> Client:
    return client_of(home)


@pytest.fixture
def abroad(away: Services) -> Client:
    return client_of(away, "ten_b")
