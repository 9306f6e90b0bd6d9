"""What tests share: Redis servers, real and imitated, and honest skips."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from services.cli import redis_server
from tests.support.cluster import Cluster, running_cluster
from tests.support.require import skip_without
from tests.support.servers import start_redis

FOLDER = Path(__file__).parent
LONGEST = (
    "rules/test_checked.py",
    "e2e/test_up.py",
    "plugins/test_plugins.py",
    "api/test_every_answer.py",
    "http/test_contract_fuzz.py",
    "audit/test_page_forgeries.py",
    "e2e/test_page.py",
    "e2e/test_cluster.py",
    "chaos/test_chaos.py",
    "views/test_kills.py",
    "archive/test_kills.py",
    "examples/test_examples.py",
    "audit/test_startup.py",
    "test_lowest.py",
    "http/test_wire_fuzz.py",
    "stream/test_trouble.py",
    "audit/test_memory.py",
    "rules/test_javascript.py",
    "stream/test_feed.py",
    "workers/test_overdue.py",
    "eventlog/test_cuts.py",
    "http/test_worker.py",
    "client/test_javascript.py",
    "client/test_network.py",
    "workers/test_stops.py",
    "workers/test_analyses.py",
    "formats/test_matches.py",
    "e2e/test_clocks.py",
    "e2e/test_lobby.py",
    "e2e/test_documents.py",
    "client/test_types.py",
)
"""Begun first, the longest first, so that nobody waits for one file at the end."""

PER_CORE = 1.5
"""So many tests at once: half of the time one waits for processes and clocks."""

hypothesis_settings.register_profile("ci", max_examples=200, print_blob=True)
hypothesis_settings.register_profile("default", print_blob=True, deadline=None)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.hookimpl(optionalhook=True)  # also where xdist is not installed
def pytest_xdist_auto_num_workers() -> int:
    """Return in how many processes the tests run."""
    return int(max(os.cpu_count() or 1, 2) * PER_CORE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and leave all others in their order."""
    rank = {FOLDER / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(LONGEST)))


@pytest.fixture(scope="session")
def real_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
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


@pytest.fixture(scope="session")
def fake_redis() -> Iterator[str]:
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


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of Debian's Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        skip_without("chromium", "no chromium on PATH")
    return str(Path(program))
