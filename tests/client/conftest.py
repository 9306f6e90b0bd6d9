"""One stack behind bad networks, for the clients of both languages."""

from collections.abc import Iterator

import pytest

from tests.client.world import World, running_world


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Run the stack for all tests."""
    with running_world(tmp_path_factory.mktemp("stack")) as world:
        yield world


@pytest.fixture
def world(running: World) -> Iterator[World]:
    """Yield it with good networks, and leave it with good ones."""
    yield running
    running.mend()
