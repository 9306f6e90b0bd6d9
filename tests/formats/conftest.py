"""The recorded installation, put back: its Redis, its queue, its data folder."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from services.bootstrap import Services, connect
from services.settings import Settings
from tests.formats.dump import Dump, load_dump
from tests.formats.record import SAMPLES, SECRET

INSTALLATION = SAMPLES / "installation"


@dataclass(frozen=True)
class Installation:
    """What was recorded of an installation, and today's code upon it.

    ``answers`` is what its app was told and has kept.
    """

    services: Services
    redis: Dump
    queue: Dump
    answers: dict[str, Any]


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


def sample(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


def rows(name: str) -> Any:
    return json.loads(sample(name))
