"""One stack for the examples, which lets a page of another origin in."""

from collections.abc import Iterator

import pytest

from services.cli import redis_server
from tests.support.stack import ALL_KINDS, Stack, running_stack


@pytest.fixture(scope="session")
def page_port() -> int:
    """Return the port of the page that is named as an origin."""
    return redis_server.free_port()


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory, page_port: int) -> Iterator[Stack]:
    """Run the stack for all examples."""
    settings = {
        **ALL_KINDS,
        "SEEDLOG_WEBHOOK_PRIVATE": "1",
        "SEEDLOG_ORIGINS": f"http://127.0.0.1:{page_port}",
    }
    with running_stack(tmp_path_factory.mktemp("stack"), **settings) as stack:
        yield stack
