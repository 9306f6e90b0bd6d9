"""The Docker stack, for real: built, played on, killed, stopped, started again.

It runs where a Docker engine answers, under a name of its own.
"""

import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.deployed import Stack, deployed, docker

pytestmark = pytest.mark.timeout(1200)  # the first test builds the image, and compiles


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yield a stack that runs."""
    with deployed(tmp_path_factory.mktemp("deploy")) as stack:
        yield stack


def test_the_rules_are_compiled_in_the_image(stack: Stack) -> None:
    """All of them, in every process; and there is no compiler in it."""
    [api], workers = stack.containers("api"), stack.containers("ai-worker")
    ask = "from rules_core.compiled import plain_games; print(plain_games())"

    for container in (api, *workers):
        assert docker("exec", container, "python", "-c", ask).strip() == "[]"
    status, health, _ = stack.call("/health/ready")
    assert (status, health) == (200, {"status": "ok"})
    heard = docker("exec", workers[0], "healthcheck", "heard", "QUEUE_URL", "480")
    assert "plain Python" not in heard
    compilers = docker("exec", api, "sh", "-c", "command -v cc gcc || true")
    assert compilers == ""


def test_nobody_else_can_read_the_log_and_the_archive(stack: Stack) -> None:
    """Files 0600, folders 0700; also what an earlier version has left."""
    [redis] = stack.containers("redis")
    docker("exec", redis, "chmod", "-R", "a+rX", "/data")
    docker("restart", redis)
    stack.up()

    open_to_others = ["-perm", "/077"]
    assert docker("exec", redis, "find", "/data", *open_to_others) == ""
    assert "aof" in docker("exec", redis, "ls", "/data/appendonlydir")
    [archiver] = stack.containers("archiver")
    assert docker("exec", archiver, "find", "/archive", *open_to_others) == ""


def test_a_setting_that_cannot_be_used_leaves_what_runs_alone(stack: Stack) -> None:
    """Neither what runs nor what is kept of settings changes."""
    before = {name: stack.containers(name) for name in ("api", "archiver", "stream")}
    file = Path(stack.environment["SEEDLOG_ENV_FILE"])
    kept = file.read_text()

    for wrong in (
        {"SEEDLOG_MAX_BODY": "0"},
        {"SEEDLOG_HEARTBEAT_S": "never"},
        {"SEEDLOG_ARCHIVE": "s3://bucket/archive"},
    ):
        done = stack.attempt("up", **wrong)
        assert done.returncode != 0
        [name] = wrong
        assert f"seedlog: {name}" in done.stderr

    after = {name: stack.containers(name) for name in before}
    assert after == before
    assert file.read_text() == kept


def test_many_connections_to_four_processes_are_answered(stack: Stack) -> None:
    """Within the processes and threads that their container may have."""
    own = {"SEEDLOG_API_WORKERS": "4", "SEEDLOG_API_MEMORY": "1g"}
    stack.environment |= own
    stack.up()
    try:
        with ThreadPoolExecutor(200) as pool:
            answers = list(pool.map(lambda _: stack.call("/v1/matches")[0], range(800)))
    finally:
        for name in own:
            del stack.environment[name]
        stack.up()

    assert answers == [200] * 800


def test_backups_that_overlap_or_are_killed_leave_no_setting_behind(
    stack: Stack, tmp_path: Path
) -> None:
    setting = ("CONFIG", "GET", "auto-aof-rewrite-percentage")
    before = stack.ask_log(*setting)

    for number in range(4):
        killed = stack.begin("backup", str(tmp_path / f"killed-{number}.tar"))
        stack.run("backup", str(tmp_path / f"whole-{number}.tar"))
        killed.kill()
        killed.communicate()

    assert stack.ask_log(*setting) == before
    assert len(list(tmp_path.glob("whole-*.tar"))) == 4


def test_matches_are_played_to_the_end(stack: Stack) -> None:
    """A human and an AI, and two AIs while the number of workers is raised."""
    ais = stack.open_match({"kind": "ai", "level": 1}, {"kind": "ai", "level": 2})
    mixed = stack.open_match({"kind": "human"}, {"kind": "ai", "level": 1})

    stack.run("scale", "ai-worker=3")

    assert len(stack.containers("ai-worker")) == 3
    assert stack.play_out(mixed["id"], mixed["seat_tokens"]["south"])["outcome"]
    assert stack.play_out(ais["id"])["outcome"]


def test_a_match_is_followed_to_its_end(stack: Stack) -> None:
    """From outside, at the address of everything else."""
    match = stack.open_match({"kind": "ai", "level": 1}, {"kind": "ai", "level": 1})
    request = urllib.request.Request(
        f"{match['stream_url']}?after=0",
        headers={
            "Authorization": f"Bearer {stack.key}",
            "Accept": "application/x-ndjson",
        },
    )

    with urllib.request.urlopen(request, timeout=30) as answer:
        heard = [json.loads(line) for line in answer]

    *events, end = [frame for frame in heard if frame["type"] != "heartbeat"]
    assert end["type"] == "end"
    versions = [event["version"] for event in events]
    assert versions == list(range(1, stack.read(match["id"])["version"] + 1))
    assert match["stream_url"].startswith(f"{stack.url}/v1/matches/")


def test_the_commands_of_operators_work_inside(stack: Stack) -> None:
    """Where nothing but the volume of the archive can be written."""
    match = stack.open_match({"kind": "ai", "level": 1}, {"kind": "ai", "level": 1})
    stack.play_out(match["id"])
    [api] = stack.containers("api")

    audited = docker("exec", api, "seedlog", "audit", "--all", "--state",
                     "/archive/audit.json")  # fmt: skip
    rebuilt = docker("exec", api, "seedlog", "rebuild", "matches")
    kept = docker("exec", api, "seedlog", "backup", "/archive/backup.gz")

    assert audited.endswith(" 0 wrong\n")
    assert rebuilt.startswith("matches: ")
    assert "1 public signing keys, 0 private ones" in kept


def test_nothing_is_lost_when_redis_is_killed(stack: Stack) -> None:
    """What was acknowledged before the kill is there after it, and play goes on."""
    match = stack.open_match({"kind": "ai", "level": 1}, {"kind": "ai", "level": 2})
    while len(before := stack.log_of(match["id"])) < 6:
        time.sleep(0.02)
    [redis] = stack.containers("redis")

    # from inside, and everything: a `docker kill` would switch the restarting off
    subprocess.run(["docker", "exec", redis, "sh", "-c", "kill -9 -1"], check=False)

    assert stack.play_out(match["id"])["outcome"]
    assert stack.log_of(match["id"])[: len(before)] == before
    assert docker("inspect", "-f", "{{.RestartCount}}", redis).strip() == "1"


def test_a_log_that_hangs_is_a_problem_that_passes(stack: Stack) -> None:
    """503 with Retry-After, no endless wait; and it works again without a restart."""
    [redis] = stack.containers("redis")

    docker("pause", redis)
    try:
        status, problem, headers = stack.call("/v1/matches")
    finally:
        docker("unpause", redis)

    assert (status, problem["type"]) == (503, "/problems/log-unavailable")
    assert headers["Content-Type"] == "application/problem+json"
    assert int(headers["Retry-After"]) >= 1
    deadline = time.monotonic() + 10
    while stack.call("/v1/matches")[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_log_outlives_the_containers(stack: Stack) -> None:
    """After down and up: the same events and hashes, key, tokens, number of workers."""
    over = stack.open_match({"kind": "ai", "level": 1}, {"kind": "ai", "level": 1})
    stack.play_out(over["id"])
    begun = stack.open_match({"kind": "human"}, {"kind": "ai", "level": 1})
    logs = {match["id"]: stack.log_of(match["id"]) for match in (over, begun)}
    key = stack.key

    stack.run("down")
    assert stack.containers("redis") == []
    stack.up()

    assert {match_id: stack.log_of(match_id) for match_id in logs} == logs
    assert stack.key == key
    assert len(stack.containers("ai-worker")) == 3
    assert stack.play_out(begun["id"], begun["seat_tokens"]["south"])["outcome"]


def test_a_backup_brings_back_the_log(stack: Stack, tmp_path: Path) -> None:
    """Taken while it plays; restored after everything was deleted."""
    match_id = stack.restore_all(tmp_path)

    assert stack.play_out(match_id)["outcome"]
