"""The Docker stack on a log of several servers: replicated, and clustered.

It runs where a Docker engine answers, under a name of its own.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deployed import Load, Stack, deployed, docker
from tests.support.patience import wait_for

pytestmark = pytest.mark.timeout(1800)  # the first test builds the images
PLAYERS = 3
HUNG_S, BACK_WITHIN_S = 8.0, 6.0
SERVERS = {"replicated": 3, "clustered": 6}


@pytest.fixture(scope="module", params=SERVERS)
def stack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """Yield a stack that runs, with a log of each kind in turn."""
    folder = tmp_path_factory.mktemp("deploy")
    with deployed(folder, SEEDLOG_LOG=request.param) as stack:
        yield stack


def servers(stack: Stack) -> list[str]:
    """Return the containers that hold the log, those that run."""
    names = ("redis", *(f"redis-{number}" for number in range(2, 7)))
    return [container for name in names for container in stack.containers(name)]


def master(stack: Stack) -> str:
    """Return a container that takes events now."""
    return next(c for c in servers(stack) if about(c).startswith("master"))


def about(container: str) -> str:
    """Return what a server says of itself."""
    return docker("exec", container, "sh", "/serve-log", "about")


def test_it_comes_up_whole(stack: Stack) -> None:
    """All servers, played on, audited, with no right too many; and it is well."""
    assert len(servers(stack)) == SERVERS[stack.environment["SEEDLOG_LOG"]]
    assert "no root, no capability" in stack.run("smoke")
    found = stack.run("doctor")
    assert "every append is on disk" in found
    assert "replicas keep up" in found


def test_when_a_master_is_killed_another_takes_over_and_nothing_is_lost(
    stack: Stack,
) -> None:
    """All replicas have to hold an event, so play goes on when the watch was there."""
    load, watch = Load(stack), stack.begin("watch")
    try:
        with load.players(PLAYERS):
            wait_for("moves", lambda: len(load.acknowledged) > 100)
            docker("kill", master(stack))
            killed_at = len(load.acknowledged)
            time.sleep(10)  # in which others may still play, on a cluster
            wait_for("moves", lambda: len(load.acknowledged) > killed_at + 500)
        wait_for("all servers", lambda: stack.attempt("doctor").returncode == 0)
    finally:
        watch.kill()
        watch.communicate()

    assert load.lost() == []


def test_a_master_that_hung_holds_nobody_up_when_it_is_back(stack: Stack) -> None:
    """Sentinels alone let it be a second master for more than eight seconds."""
    load = Load(stack)
    with load.players(PLAYERS):
        wait_for("moves", lambda: len(load.acknowledged) > 100)
        hung = master(stack)
        docker("pause", hung)
        time.sleep(HUNG_S)
        docker("unpause", hung)
        back, known = time.monotonic(), len(load.acknowledged)
        wait_for("moves", lambda: len(load.acknowledged) > known + 20)
        assert time.monotonic() - back < BACK_WITHIN_S
        wait_for("another master", lambda: about(hung).startswith("replica"))

    assert load.lost() == []
    wait_for("all servers", lambda: stack.attempt("doctor").returncode == 0)


def test_a_backup_brings_it_back(stack: Stack, tmp_path: Path) -> None:
    """Taken while it plays; restored after everything was deleted."""
    match_id = stack.restore_all(tmp_path)

    assert stack.play_out(match_id)["outcome"]
    assert " 0 wrong" in stack.run("smoke")


def test_the_password_is_renewed_in_the_settings(stack: Stack) -> None:
    """Servers and Sentinels ask for it, and tell it each other; nothing is lost."""
    match = stack.open_match({"kind": "human"}, {"kind": "human"})
    stack.write_setting("SEEDLOG_REDIS_PASSWORD", "renewed")

    stack.run("up")

    assert stack.read(match["id"])["status"] == "running"
    assert " 0 wrong" in stack.run("smoke")
    wait_for("all servers", lambda: stack.attempt("doctor").returncode == 0)


def test_a_log_of_another_kind_is_not_begun_beside_it(stack: Stack) -> None:
    before = servers(stack)

    done = stack.attempt("up", SEEDLOG_LOG="single")

    assert done.returncode == 1
    assert "Nothing was changed" in done.stderr
    assert servers(stack) == before


def test_a_release_is_exchanged_while_it_plays(stack: Stack) -> None:
    name, load = stack.environment["SEEDLOG_IMAGE"], Load(stack)
    docker("tag", f"{name}:local", f"{name}:next")

    with load.players(PLAYERS):
        stack.run("upgrade", "--to", "next")

    # On a host that is overloaded a replica may be late, and a move has to be repeated.
    assert all("too-few-replicas" in refusal for refusal in load.refused)
    assert load.lost() == []
