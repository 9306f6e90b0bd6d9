"""Stream processes to follow matches at."""

from collections.abc import Iterator

import pytest

from services.eventlog.connection import Connections
from tests.stream.streams import Running, Streams


@pytest.fixture
def running() -> Iterator[Running]:
    """Return what starts a stream process on a Redis."""
    started: list[Streams] = []

    def run(redis_url: str, **settings: str) -> Streams:
        started.append(Streams(redis_url, **settings))
        return started[-1]

    yield run
    for streams in started:
        streams.close()


@pytest.fixture(scope="module")
def streams(redis_url: str) -> Iterator[Streams]:
    """One process on a Redis, for the tests that only use it."""
    Connections(redis_url).call("FLUSHALL")
    streams = Streams(redis_url)
    yield streams
    streams.close()
