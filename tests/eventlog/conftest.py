"""The logs that keep the ports, each an empty one: in memory, imitated, real."""

import pytest
from redis import Redis

from services.eventlog import EventLog, MemoryEventLog, RedisEventLog
from tests.eventlog.appending import new_stream


@pytest.fixture(params=["memory", "fake_redis", "real_redis"])
def log(request: pytest.FixtureRequest) -> EventLog:
    """Return each log in turn; what a port promises, every one has to keep."""
    if request.param == "memory":
        return MemoryEventLog()
    url = request.getfixturevalue(request.param)
    with Redis.from_url(url) as redis:
        redis.flushall()
    return RedisEventLog(url, phrases=["match.move_played", '{"move":"'])


@pytest.fixture
def stream() -> str:
    """Return the name of a stream that nobody has used."""
    return new_stream()
