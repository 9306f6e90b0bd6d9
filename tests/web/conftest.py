"""The app as a browser without a key sees it."""

import pytest
from flask.testing import FlaskClient

from services.api import create_app
from services.bootstrap import connect
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.support.tables import PRIVATE


@pytest.fixture(scope="module")
def client(fake_redis: str, tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    Connections(fake_redis).call("FLUSHALL")
    settings = Settings(
        redis_url=fake_redis,
        secret="test secret",
        signing_key=PRIVATE,
        data=tmp_path_factory.mktemp("data"),
    )
    return create_app(connect(settings)).test_client()
