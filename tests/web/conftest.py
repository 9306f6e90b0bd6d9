"""The app as a browser without a key sees it."""

import pytest
from flask.testing import FlaskClient

from services.api import create_app
from tests.support.app import services_on


@pytest.fixture(scope="module")
def client(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    services = services_on(redis_url, tmp_path_factory.mktemp("data"))
    return create_app(services).test_client()
