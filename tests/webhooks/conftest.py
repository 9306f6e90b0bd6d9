"""A world for each test, on a real Redis that is empty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.webhooks.world import World


@pytest.fixture
def world(
    real_redis: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    world = World(real_redis, tmp_path, monkeypatch)
    yield world
    world.redis.flushall()
    world.redis.close()
