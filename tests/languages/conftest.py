"""An app on a Redis, as whoever administers a tenant sees it."""

import pytest

from services.api import create_app
from tests.support.app import Client, services_on


@pytest.fixture(scope="module")
def client(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Client:
    services = services_on(redis_url, tmp_path_factory.mktemp("data"))
    secret, _ = services.tenants.create_key("ten_a", role="admin")
    return Client(create_app(services).test_client(), secret)
