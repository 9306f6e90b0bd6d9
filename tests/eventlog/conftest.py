"""The logs that keep the ports: in memory, imitated, real, spread; each empty."""

import pytest
from redis import Redis

from services.eventlog import EventLog, MemoryEventLog, RedisEventLog
from tests.support.appending import new_stream

PHRASES = ["match.move_played", '{"move":"']


@pytest.fixture(params=["memory", "fake_redis", "real_redis", "redis_cluster"])
def log(request: pytest.FixtureRequest) -> EventLog:
    """Return each log in turn; what a port promises, every one has to keep."""
    if request.param == "memory":
        return MemoryEventLog()
    if request.param == "redis_cluster":
        cluster = request.getfixturevalue(request.param)
        cluster.flush()
        return RedisEventLog(cluster.url, phrases=PHRASES)
    url = request.getfixturevalue(request.param)
    with Redis.from_url(url) as redis:
        redis.flushall()
    return RedisEventLog(url, phrases=PHRASES)


@pytest.fixture
def stream() -> str:
    """Return the name of a stream that nobody has used."""
    return new_stream()
