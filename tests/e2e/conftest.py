"""One stack for the tests that only use it."""

from collections.abc import Iterator

import pytest

from tests.support.stack import ALL_KINDS, Stack, running_stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yield a running stack, with room for as many guests as tests need."""
    data = tmp_path_factory.mktemp("stack")
    with running_stack(data, SEEDLOG_GUESTS_PER_ADDRESS="1000", **ALL_KINDS) as stack:
        yield stack
