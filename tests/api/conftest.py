"""An app on a Redis, with a key, and the short words the tests speak in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.api import create_app
from services.bootstrap import Services
from tests.support.app import Client, client_of, services_on


@pytest.fixture(autouse=True)
def _patient_lobby(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let seeks last longer than a busy machine takes from one request to the next."""
    monkeypatch.setattr("services.lobby.lobby.LASTS_MS", 60_000)


@pytest.fixture
def services(redis_url: str, tmp_path: Path) -> Services:
    return services_on(redis_url, tmp_path, guests_per_address=3)


@pytest.fixture
def client(services: Services) -> Client:
    app = create_app(services)
    secret, _ = services.tenants.create_key("ten_a")
    return Client(app.test_client(), secret)


@pytest.fixture
def stranger(client: Client, services: Services) -> Client:
    """Another tenant's app."""
    return client.holding(services.tenants.create_key("ten_b")[0])


@pytest.fixture
def begin(real_redis: str, tmp_path: Path) -> Callable[..., Client]:
    """Return how to begin with an empty log, on a real Redis, and an app with a key."""

    def begin(**given: int) -> Client:
        limits: Any = {"guests_per_address": 3, **given}
        return client_of(services_on(real_redis, tmp_path, **limits))

    return begin
