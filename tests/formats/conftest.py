"""The recorded installation, put back: its Redis, its queue, its data folder."""

import json
import shutil
from pathlib import Path

import pytest
from redis import Redis

from services.bootstrap import connect
from services.settings import Settings
from tests.formats.dump import load_dump
from tests.formats.installation import INSTALLATION, Installation
from tests.formats.record import SECRET
from tests.support.samples import sample


@pytest.fixture
def installation(fake_redis: str, tmp_path: Path) -> Installation:
    """Return the installation of the samples, as an upgrade finds it."""
    data = tmp_path / "data"
    shutil.copytree(INSTALLATION / "data", data)
    queue_url = f"{fake_redis[:-1]}1"
    Redis.from_url(fake_redis).flushall()
    settings = Settings(
        redis_url=fake_redis, queue_url=queue_url, secret=SECRET, data=data
    )
    return Installation(
        connect(settings),
        load_dump(Redis.from_url(fake_redis), sample("installation/redis.json")),
        load_dump(Redis.from_url(queue_url), sample("installation/queue.json")),
        json.loads(sample("installation/answers.json")),
    )
