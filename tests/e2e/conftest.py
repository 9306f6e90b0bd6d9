"""One stack for the tests that only use it."""

from collections.abc import Iterator

import pytest

from services.cli.redis_server import free_port
from tests.support.stack import ALL_KINDS, Stack, running_stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yield a running stack that tells all, with room for as many guests as tests need.

    Its webhooks may go to whoever listens here.
    """
    data = tmp_path_factory.mktemp("stack")
    telling = {
        "SEEDLOG_METRICS_PORT": str(free_port()),
        "SEEDLOG_ACCESS_LOG": "1",
        "SEEDLOG_WEBHOOK_PRIVATE": "1",
    }
    roomy = {"SEEDLOG_GUESTS_PER_ADDRESS": "1000"}
    with running_stack(data, **roomy, **telling, **ALL_KINDS) as stack:
        yield stack
