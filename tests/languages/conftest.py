"""An app on an imitated Redis, as whoever administers a tenant sees it."""

import pytest

from services.api import create_app
from services.bootstrap import connect
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.support.app import Client
from tests.support.tables import PRIVATE


@pytest.fixture(scope="module")
def client(fake_redis: str, tmp_path_factory: pytest.TempPathFactory) -> Client:
    Connections(fake_redis).call("FLUSHALL")
    settings = Settings(
        redis_url=fake_redis,
        secret="test secret",
        signing_key=PRIVATE,
        data=tmp_path_factory.mktemp("data"),
    )
    services = connect(settings)
    secret, _ = services.tenants.create_key("ten_a", role="admin")
    return Client(create_app(services).test_client(), secret)
