"""What tests share: Redis servers, real and imitated, and honest skips."""

import gc
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from redis import Redis

from services.cli import redis_server
from tests.support.cluster import Cluster, running_cluster
from tests.support.require import skip_without
from tests.support.servers import start_redis

FOLDER = Path(__file__).parent
LONGEST = (
    "chaos/test_chaos.py",
    "api/test_every_answer.py",
    "rules/test_checked.py",
    "plugins/test_plugins.py",
    "views/test_kills.py",
    "e2e/test_up.py",
    "e2e/test_cluster_alone.py",
    "archive/test_kills.py",
    "webhooks/test_kills.py",
    "audit/test_page_forgeries.py",
    "search/test_tuning.py",
    "deploy/test_commands.py",
    "api/test_two_tenants.py",
    "stream/test_trouble.py",
    "rules/test_javascript.py",
    "web/test_types.py",
    "stream/test_feed.py",
    "webhooks/test_sending.py",
    "workers/test_overdue.py",
    "test_lowest.py",
    "audit/test_startup.py",
    "audit/test_memory.py",
)
"""Begun first, the longest first, so that nobody waits for one file at the end."""

WITH_A_STACK = ("e2e", "http", "client", "examples")
"""Rooms that share a stack each. They come next, room by room: a stack that nobody uses
still costs a twentieth of a processor, and ends with its room."""

WHOLE_CHROMIUM = ("chromium", "chromium-browser")

UNSYNCED = redis_server.DURABLE | {"appendfsync": "no"}
"""It tells of itself what a durable one tells, but waits for no disk."""

hypothesis_settings.register_profile("ci", max_examples=200, print_blob=True)
hypothesis_settings.register_profile("default", print_blob=True, deadline=None)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "default")


def emptied(url: str) -> str:
    """Return the URL of a Redis that holds nothing any more."""
    with Redis.from_url(url) as server:
        server.flushall()
    return url


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, then rooms with a stack, then all others."""
    first = [*LONGEST, *WITH_A_STACK]
    rank = {FOLDER / name: place for place, name in enumerate(first)}
    last = len(rank)
    items.sort(key=lambda i: rank.get(i.path, rank.get(i.path.parent, last)))


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what stays: all tests, and their modules.

    To look through it again and again was a third of what tests of the API took.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def durable_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a durable redis-server of our own."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    folder = tmp_path_factory.mktemp("redis")
    url, process = start_redis(folder, redis_server.DURABLE)
    yield url
    process.terminate()
    process.wait()


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Yield a cluster of our own, three masters with a replica each; leave it whole."""
    if redis_server.find_server() is None or shutil.which("redis-cli") is None:
        skip_without("redis", "no redis-server and redis-cli on PATH")
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def real_redis(durable_server: str) -> str:
    """Return the URL of a durable Redis, without what other files of tests left."""
    return emptied(durable_server)


@pytest.fixture(scope="session")
def imitated_server() -> Iterator[str]:
    """Yield the URL of fakeredis' server, which speaks the real protocol."""
    from fakeredis import TcpFakeServer

    port = redis_server.free_port()
    TcpFakeServer.allow_reuse_address = True
    server = TcpFakeServer(("127.0.0.1", port), server_type="redis")
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"redis://127.0.0.1:{port}/0"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def fake_redis(imitated_server: str) -> str:
    """Return the URL of an imitated Redis, without what other files of tests left."""
    return emptied(imitated_server)


@pytest.fixture(scope="session")
def any_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Yield the URL of a real Redis; where there is none, of the imitated one."""
    if redis_server.find_server() is None:
        yield request.getfixturevalue("imitated_server")
        return
    folder = tmp_path_factory.mktemp("a_redis")
    url, process = start_redis(folder, UNSYNCED)
    yield url
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def redis_url(any_server: str) -> str:
    """Return the URL of a Redis for tests that only care to have one.

    A real one, since it answers within a tenth of the time. It holds nothing of other
    files of tests, which ran before by chance.
    """
    return emptied(any_server)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Debian's Chromium, best of the one that is never to be seen.

    It is the same engine without the windows of a desktop, and starts in half the time.
    """
    return _first_on_path("chromium-headless-shell", *WHOLE_CHROMIUM)


@pytest.fixture(scope="session")
def whole_chromium() -> str:
    """Return the path of one that has all that a desktop has: notices, say."""
    return _first_on_path(*WHOLE_CHROMIUM)


def _first_on_path(*names: str) -> str:
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        skip_without("chromium", f"none of {', '.join(names)} is on PATH")
    return program
