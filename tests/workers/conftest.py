"""One stack for each test, on a real Redis that is empty."""

from collections.abc import Iterator

import pytest

from tests.workers.stack import Stack


@pytest.fixture
def stack(real_redis: str) -> Iterator[Stack]:
    stack = Stack(real_redis)
    yield stack
    stack.redis.flushall()
    stack.redis.close()
