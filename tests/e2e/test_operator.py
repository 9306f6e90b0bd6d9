"""The Docker stack in the hands of an operator: exchanged, scaled, brought back.

It runs where a Docker engine answers. What is promised of an upgrade is tried while
players play on.
"""

import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.support.deployed import Load, Stack, deployed, docker

pytestmark = pytest.mark.timeout(1800)  # the first test builds the images
PLAYERS = 3
BACK_WITHIN_S = 60
BROKEN = """FROM {image}
USER root
RUN python -I -c "import pathlib, services.api as api; \
f = pathlib.Path(api.__path__[0], 'app.py'); f.write_text('raise RuntimeError')"
USER 10001:10001
"""
STREAMLESS = """FROM {image}
USER root
RUN python -I -c "import pathlib, services.stream as stream; \
f = pathlib.Path(stream.__path__[0], 'app.py'); text = f.read_text(); \
f.write_text(text.replace('    form = read_form()', '    raise RuntimeError'))"
USER 10001:10001
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yield a stack that runs."""
    with deployed(tmp_path_factory.mktemp("deploy")) as stack:
        yield stack


def image_of(stack: Stack) -> str:
    """Return the image that the API runs."""
    [api] = {
        docker("inspect", "-f", "{{.Config.Image}}", container).strip()
        for container in stack.containers("api")
    }
    return api


def test_a_release_is_exchanged_and_taken_back_while_it_plays(stack: Stack) -> None:
    """No move is refused and none is lost; followers go on."""
    before, load = image_of(stack), Load(stack)
    name = stack.environment["SEEDLOG_IMAGE"]
    docker("tag", before, f"{name}:next")

    with load.players(PLAYERS):
        stack.run("upgrade", "--to", "next")
        assert image_of(stack) == f"{name}:next"
        stack.run("upgrade", "--back")

    assert image_of(stack) == before
    assert load.refused == []
    assert len(load.acknowledged) > 100
    assert load.lost() == []


def test_a_broken_release_leaves_the_old_one_serving(stack: Stack) -> None:
    before, load = stack.containers("api"), Load(stack)
    name = stack.environment["SEEDLOG_IMAGE"]
    subprocess.run(
        ["docker", "build", "--quiet", "--tag", f"{name}:broken", "-"],
        input=BROKEN.format(image=image_of(stack)),
        text=True,
        check=True,
    )

    with load.players(PLAYERS):
        done = stack.attempt("upgrade", "--to", "broken")

    assert done.returncode == 1
    assert "goes on as it was" in done.stderr
    assert stack.containers("api") == before
    assert load.refused == []
    assert load.lost() == []


def test_a_release_that_misbehaves_at_the_front_is_taken_back(stack: Stack) -> None:
    """It is healthy, and plays where nobody else sees it; its streams answer 500."""
    before, name = image_of(stack), stack.environment["SEEDLOG_IMAGE"]
    subprocess.run(
        ["docker", "build", "--quiet", "--tag", f"{name}:streamless", "-"],
        input=STREAMLESS.format(image=before),
        text=True,
        check=True,
    )
    load = Load(stack)

    with load.players(PLAYERS):
        done = stack.attempt("upgrade", "--to", "streamless")

    assert done.returncode == 1
    assert "answers 500 to who follows" in done.stderr
    assert "does not play at the public address" in done.stderr
    assert image_of(stack) == before
    assert "no release before this one" in stack.attempt("upgrade", "--back").stderr
    assert load.refused == []
    assert load.lost() == []


def test_every_service_can_be_had_more_than_once(stack: Stack) -> None:
    """Statistics are right, no reply is doubled, and the audit is clean."""
    stack.run("scale", "api=2", "stream=2", "projector=2", "dispatcher=3")
    ais = [
        stack.open_match({"kind": "ai", "level": 1}, {"kind": "ai", "level": 1})
        for _ in range(4)
    ]

    for match in ais:
        assert stack.play_out(match["id"])["outcome"]

    assert "0 wrong" in stack.run("smoke")
    counted = stack.call("/v1/statistics")[1]
    [api, *_] = stack.containers("api")
    docker("exec", api, "seedlog", "rebuild", "matches")
    assert stack.call("/v1/statistics")[1] == counted
    stack.run("scale", "api=1", "stream=1", "projector=1", "dispatcher=1")


def test_what_was_killed_comes_back(stack: Stack) -> None:
    """Docker leaves it alone; the watch does not."""
    [api], [queue] = stack.containers("api"), stack.containers("queue")
    docker("kill", api, queue)

    stack.run("watch", "--once")

    until = time.monotonic() + BACK_WITHIN_S
    while stack.call("/v1/matches")[0] != 200:
        assert time.monotonic() < until
        time.sleep(0.2)
    assert stack.containers("queue") == [queue]


def test_no_secret_is_shown(stack: Stack) -> None:
    secrets = [
        stack.setting(name)
        for name in ("SEEDLOG_SECRET", "SEEDLOG_SIGNING_KEY", "SEEDLOG_REDIS_PASSWORD")
    ]

    for service in ("api", "stream", "ai-worker", "redis", "queue"):
        for container in stack.containers(service):
            seen = docker("inspect", container)
            assert not [secret for secret in secrets if secret in seen]


def test_memory_that_would_not_do_is_foreseen(stack: Stack) -> None:
    before = [stack.containers(name) for name in ("api", "redis")]

    for wrong in (
        {"SEEDLOG_API_WORKERS": "8"},
        {"SEEDLOG_LOG_MEMORY": "256m"},
    ):
        done = stack.attempt("up", **wrong)
        assert done.returncode == 1
        assert "What ran goes on as it was" in done.stderr

    assert [stack.containers(name) for name in ("api", "redis")] == before


def test_the_archiver_is_healthy_soon_after_redis_died(stack: Stack) -> None:
    [redis], [archiver] = stack.containers("redis"), stack.containers("archiver")
    subprocess.run(["docker", "exec", redis, "sh", "-c", "kill -9 -1"], check=False)

    until = time.monotonic() + 15
    heard = ["docker", "exec", archiver, "healthcheck", "heard", "REDIS_URL", "30"]
    while subprocess.run(heard, capture_output=True).returncode:
        assert time.monotonic() < until
        time.sleep(0.5)


def test_before_the_disk_is_full_events_are_refused_and_reads_go_on(
    stack: Stack,
) -> None:
    match = stack.open_match({"kind": "human"}, {"kind": "human"})
    stack.environment["SEEDLOG_LOG_RESERVE_MB"] = "1000000000"  # more than any disk has
    stack.run("up")
    try:
        body = {"game": "kalah", "seats": {}}
        assert stack.call("/v1/matches", body)[0] == 503
        assert stack.read(match["id"])["status"] == "running"
        health = stack.call("/health/ready")[1]
        assert "disk" in health["full"]
    finally:
        del stack.environment["SEEDLOG_LOG_RESERVE_MB"]
        stack.up()
    stack.open_match({"kind": "human"}, {"kind": "human"})


def test_passwords_are_renewed_in_the_settings(stack: Stack) -> None:
    """Of both servers of Redis; what was begun goes on."""
    match = stack.open_match({"kind": "human"}, {"kind": "human"})
    former = stack.setting("SEEDLOG_REDIS_PASSWORD")
    for name in ("SEEDLOG_REDIS_PASSWORD", "SEEDLOG_QUEUE_PASSWORD"):
        stack.write_setting(name, f"renewed-{name}")

    stack.run("up")

    assert stack.read(match["id"])["status"] == "running"
    assert "PONG" in stack.ask_log("PING")
    [redis] = stack.containers("redis")
    with_former = ["-e", f"REDISCLI_AUTH={former}", redis, "redis-cli", "PING"]
    assert "PONG" not in docker("exec", *with_former)
    stack.run("smoke")


def test_the_same_by_tls_at_one_address(stack: Stack) -> None:
    """With a certificate that is made here, for a name of this host alone."""
    stack.environment |= {
        "SEEDLOG_SITE": "localhost",
        "SEEDLOG_SITE_BIND": "127.0.0.1",
        "SEEDLOG_HTTP_PORT": "22780",
        "SEEDLOG_HTTPS_PORT": "22743",
    }
    stack.attempt("up")

    assert "the same by TLS at https://localhost:22743" in stack.run("smoke")


def test_an_emptied_log_is_not_served(stack: Stack) -> None:
    """Last of all: it takes the log away."""
    [redis] = stack.containers("redis")
    docker("exec", redis, "sh", "-c", "rm -rf /data/appendonlydir")
    docker("restart", redis)

    time.sleep(3)
    assert (
        "the event log is gone"
        in subprocess.run(
            ["docker", "logs", "--tail", "5", redis], capture_output=True, text=True
        ).stderr
    )
    assert stack.call("/v1/matches")[0] == 503
