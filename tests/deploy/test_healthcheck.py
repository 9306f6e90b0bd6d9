"""The healthcheck of the containers, which imports nothing of ours."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from urllib.parse import quote

import pytest
from redis import Redis

from services.cli import redis_server
from tests.support.require import skip_without
from tests.support.sentinels import watched_by_sentinels

PATH = Path(__file__).parents[2] / "deploy" / "healthcheck.py"
PASSWORD = "p@ss w/ 'quotes' and #"


@pytest.fixture
def healthcheck() -> ModuleType:
    spec = spec_from_file_location("healthcheck", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[str]:
    """Yield the URL of a Redis with a password of all sorts of characters."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    port = redis_server.free_port()
    process = redis_server.start(tmp_path / "redis", port, redis_server.VOLATILE)
    with Redis(port=port) as redis:
        redis.config_set("requirepass", PASSWORD)
        yield f"redis://:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/0"
    process.terminate()
    process.wait()


def test_it_hears_of_this_container_whatever_the_password_is(guarded: str) -> None:
    with Redis.from_url(guarded) as redis:
        redis.ping()

        done = subprocess.run(
            [sys.executable, str(PATH), "heard", "WHERE", "30"],
            env={**os.environ, "WHERE": guarded},
            capture_output=True,
            text=True,
        )

    assert done.returncode == 0, done.stderr


def test_of_two_that_are_named_one_is_enough(guarded: str) -> None:
    """A worker that thinks is heard by the log alone, an idle one by the queue."""
    away = f"redis://127.0.0.1:{redis_server.free_port()}/0"

    def ask(*names: str) -> int:
        return subprocess.run(
            [sys.executable, str(PATH), "heard", *names, "30"],
            env={**os.environ, "THERE": guarded, "AWAY": away},
            capture_output=True,
            check=False,
        ).returncode

    with Redis.from_url(guarded) as redis:
        redis.ping()
        assert ask("AWAY", "THERE") == ask("THERE", "AWAY") == 0
        assert ask("AWAY") != 0
        assert ask() != 0


def test_it_finds_the_servers_of_sentinels_and_clusters(
    healthcheck: ModuleType, tmp_path: Path
) -> None:
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    with watched_by_sentinels(tmp_path) as group:
        [found] = healthcheck.servers_of(group.url.replace("://", "://me:s%40@"))

        assert found == f"redis://me:s%40@127.0.0.1:{group.master}"
        with Redis.from_url(f"redis://127.0.0.1:{group.master}") as redis:
            redis.ping()
            healthcheck.check_any_heard([group.url], 30)
    spread = healthcheck.servers_of("redis+cluster://:s%40@one:1,two:2")
    assert spread == ["redis://:s%40@one:1", "redis://:s%40@two:2"]


def test_it_says_which_rules_are_plain(
    healthcheck: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    package = tmp_path / "rules_core"
    (package / "games").mkdir(parents=True)
    (package / "__init__.py").touch()
    for name in ("games/kalah.py", "games/bao.py"):
        (package / name).write_text('"""A game."""\n\nKEY, NAME = "a", "A"\n')
    (package / "games" / "sowing.py").write_text('"""No game."""\n')
    (package / "games" / "_kalah.cpython-312-x86_64-linux-gnu.so").touch()
    spec = spec_from_file_location(
        "rules_core", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    monkeypatch.setattr(healthcheck.importlib.util, "find_spec", lambda _: spec)

    healthcheck.say_plain_rules()
    assert capsys.readouterr().out == "games run in plain Python, slower: bao\n"
    (package / "games" / "_bao.cpython-312-x86_64-linux-gnu.so").touch()
    healthcheck.say_plain_rules()
    assert capsys.readouterr().out == ""
