"""What tests share: Redis servers, real and imitated, and honest skips."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from services.cli import redis_server
from tests.support.require import skip_without
from tests.support.servers import start_redis

hypothesis_settings.register_profile("ci", max_examples=200, print_blob=True)
hypothesis_settings.register_profile("default", print_blob=True, deadline=None)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "default")


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
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        skip_without("chromium", "no chromium on PATH")
    return str(Path(found))
