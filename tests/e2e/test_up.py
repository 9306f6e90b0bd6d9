"""`seedlog up` as an operator knows it: start, Ctrl-C, start again, clear errors."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

from rules_core.compiled import plain_games
from services.cli import redis_server
from services.cli.preconditions import OWN_NAMES
from services.client import Problem, Seedlog
from tests.support.patience import wait_for
from tests.support.proof import prove
from tests.support.require import skip_without
from tests.support.stack import Stack, running_stack, start_stack

README = Path(__file__).parents[2] / "README.md"
BY_DEFAULT = "http://127.0.0.1:8000"
SEEDLOG = [sys.executable, "-m", "services.cli"]
AIS = {"south": {"kind": "ai", "level": 1}, "north": {"kind": "ai", "level": 2}}


def test_ready_json_tells_where_it_is(stack: Stack) -> None:
    path = stack.data / "ready.json"

    assert path.stat().st_mode & 0o777 == 0o600
    facts = json.loads(path.read_text())
    assert facts["pid"] == stack.process.pid
    assert urlopen(f"{facts['url']}/health/ready").status == 200
    assert list(stack.client.matches()) is not None


def test_the_printed_curl_line_works_when_pasted(stack: Stack) -> None:
    output = (stack.data / "output.txt").read_text()
    [line] = [line for line in output.splitlines() if line.startswith("curl ")]

    answer = subprocess.run(shlex.split(line), capture_output=True, check=True)

    match = json.loads(answer.stdout)
    assert match["seats"]["south"]["name"] == "Amara"
    assert match["status"] == "running"


def test_the_lines_of_curl_in_the_readme_work_when_pasted(
    stack: Stack, tmp_path: Path
) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    [script] = [block for block in blocks if "curl" in block]
    (tmp_path / ".seedlog").symlink_to(stack.data)

    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace(BY_DEFAULT, stack.url)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stderr
    assert '"position":"4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"' in ran.stdout
    assert ran.stdout.count('"type":"match.move_played"') == 2
    assert '"version":3' in ran.stdout
    assert "problems" not in ran.stdout


def test_data_survive_a_restart_which_mends_what_others_could_read(
    tmp_path: Path,
) -> None:
    """As the stacks of earlier versions have left it."""
    with running_stack(tmp_path) as stack:
        match = stack.client.open_match("kalah", AIS)
        before = stack.client.wait_for_end(match["id"])
        events = list(stack.client.events(match["id"]))
        key = stack.api_key
        assert stack.stop() == 0
        assert not (tmp_path / "ready.json").exists()
        assert stack.pids("") == []
    assert "other users could read" not in (tmp_path / "output.txt").read_text()

    for path in (tmp_path, tmp_path / "log", tmp_path / "log" / "redis.log"):
        path.chmod(path.stat().st_mode | 0o044)
    (tmp_path / "secret").chmod(0o644)
    with running_stack(tmp_path) as stack:
        kept = [tmp_path, *(p for n in OWN_NAMES for p in tree(tmp_path / n))]
        assert [str(p) for p in kept if p.lstat().st_mode & 0o077] == []
        assert stack.api_key == key
        after = stack.client.match(match["id"])
        assert {**after, "stream_url": before["stream_url"]} == before
        assert list(stack.client.events(match["id"])) == events
        prove(stack.client, match["id"])
        listed = list(stack.client.matches())
        assert [row["id"] for row in listed] == [match["id"]]
        assert stack.stop() == 0
    assert "other users could read" in (tmp_path / "output.txt").read_text()


def test_nothing_is_left_running_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    stack = start_stack(tmp_path)
    children = stack.pids("")
    assert len(children) >= 7

    stack.process.send_signal(signal.SIGKILL)
    stack.process.wait()

    wait_for("their end", lambda: not any(map(is_alive, children)))


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def run_up(data: Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "SEEDLOG_DATA": str(data), **settings}
    return subprocess.run(
        [*SEEDLOG, "up"], env=environment, capture_output=True, text=True, timeout=60
    )


def test_tables_of_endings_are_made_meanwhile_and_end_with_the_stack(
    tmp_path: Path,
) -> None:
    if plain_games():
        skip_without("compiled", "plain Python makes no tables by itself")
    stack = start_stack(tmp_path, asked=["--tables"])
    try:
        named = "services.cli\0tables"
        [maker] = wait_for("who makes them", lambda: stack.pids(named))
    finally:
        stack.stop()

    assert not Path(f"/proc/{maker}").exists()


def test_a_taken_port_is_a_clear_error(stack: Stack, tmp_path: Path) -> None:
    port = stack.url.rsplit(":", 1)[1]

    ended = run_up(tmp_path, SEEDLOG_PORT=port)

    assert ended.returncode == 1
    assert f"port {port}" in ended.stderr
    assert "set SEEDLOG_PORT" in ended.stderr


def test_a_second_stack_on_the_same_data_is_a_clear_error(stack: Stack) -> None:
    ended = run_up(stack.data, SEEDLOG_PORT=str(redis_server.free_port()))

    assert ended.returncode == 1
    assert "another stack is running" in ended.stderr
    assert (stack.data / "ready.json").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("SEEDLOG_PORT", "http"), ("SEEDLOG_AI_WORKERS", "-1")]
)
def test_a_wrong_setting_is_a_clear_error(
    tmp_path: Path, name: str, value: str
) -> None:
    ended = run_up(tmp_path, **{name: value})

    assert ended.returncode == 1
    assert f"{name} must be a whole number" in ended.stderr


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"SEEDLOG_MAX_BODY": "0"},
            "SEEDLOG_MAX_BODY must be a whole number from 1024",
        ),
        ({"SEEDLOG_ARCHIVE": "s3://b/x"}, "SEEDLOG_ARCHIVE: s3://... cannot be used"),
        ({"SEEDLOG_ARCHIVE": "memory://x"}, "SEEDLOG_ARCHIVE: memory:// forgets"),
        ({"REDIS_URL": "redis://:a@/#b@127.0.0.1/0"}, "REDIS_URL has a #"),
        ({"SEEDLOG_STREAM_PORT": "8000", "SEEDLOG_PORT": "8000"}, "are both 8000"),
    ],
    ids=lambda case: next(iter(case)) if isinstance(case, dict) else "",
)
def test_what_cannot_be_used_is_told_before_anything_is_started(
    tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    if "s3" in settings.get("SEEDLOG_ARCHIVE", "") and find_spec("s3fs"):
        pytest.skip("s3fs is installed here")
    ended = run_up(tmp_path, **settings)

    assert ended.returncode == 1
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("role", ["api", "archiver", "check"])
def test_each_process_refuses_an_archive_without_its_driver(
    tmp_path: Path, role: str
) -> None:
    """With a sentence, not with a traceback every second."""
    own = {
        "SEEDLOG_ARCHIVE": "nowhere://bucket/archive",
        "SEEDLOG_DATA": str(tmp_path),
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }

    ended = subprocess.run(
        [*SEEDLOG, role],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ended.returncode == 1
    assert "SEEDLOG_ARCHIVE: nowhere://... cannot be used here" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_no_other_user_can_read_what_is_kept(stack: Stack) -> None:
    """Names of players, hashes of keys: the append-only file holds them all."""
    kept = [stack.data, *(p for n in OWN_NAMES for p in tree(stack.data / n))]

    assert any(path.suffix == ".aof" for path in kept)
    others = {str(p): oct(p.lstat().st_mode) for p in kept if p.lstat().st_mode & 0o077}
    assert others == {}


def tree(path: Path) -> list[Path]:
    return [path, *path.rglob("*")] if path.exists() else []


def test_an_erased_name_leaves_the_disk(stack: Stack) -> None:
    """Whose process that is is nobody's business: it happens by itself."""
    name = b"Amara Nwosu of the unusual name"
    seats = {"south": {"kind": "human", "name": name.decode()}}
    opened = stack.client.open_match("kalah", seats)
    player = opened["seats"]["south"]["player"]
    assert name_is_in(stack.data / "log", name)

    stack.client.request("DELETE", f"/v1/players/{player}/name")

    wait_for("its end", lambda: not name_is_in(stack.data / "log", name))


def name_is_in(folder: Path, name: bytes) -> bool:
    is_there = False
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a file that was exchanged meanwhile
            is_there |= path.is_file() and name in path.read_bytes()
    return is_there


def test_without_any_redis_it_says_so_before_it_starts_anything(
    tmp_path: Path,
) -> None:
    """PATH is empty and nothing is bundled beside this Python."""
    if (Path(sys.executable).parent / redis_server.BUNDLED).exists():
        pytest.skip("a redis-server is bundled with this environment")
    unset = {"REDIS_URL": "", "QUEUE_URL": "", "PATH": "/nonexistent"}

    ran = subprocess.run(
        [*SEEDLOG, "up"],
        env={**os.environ, **unset, "SEEDLOG_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 1
    assert redis_server.NONE_FOUND in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "data" / "log").exists()


def test_keys_are_created_listed_and_revoked(stack: Stack) -> None:
    environment = {**os.environ, "SEEDLOG_DATA": str(stack.data)}

    def keys(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [*SEEDLOG, "keys", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    created = keys("create", "--tenant", "ten_shop", "--label", "the shop")
    secret, line = created.stdout.splitlines()
    key_id = line.split()[0]
    shop = stack.client.holding(secret)
    assert list(shop.matches()) == []
    assert f"{key_id}  ten_shop  valid  admin  " in keys("list").stdout
    assert secret not in keys("list").stdout

    assert "revoked" in keys("revoke", key_id).stdout
    wait_for("the refusal", lambda: is_refused(shop))
    assert keys("revoke", "key_none").returncode == 1


def is_refused(client: Seedlog) -> bool:
    try:
        list(client.matches())
    except Problem as error:
        return error.status == 401
    return False


def test_the_demo_plays_and_proves_a_match_of_a_game(stack: Stack) -> None:
    environment = {**os.environ, "SEEDLOG_DATA": str(stack.data)}

    ended = subprocess.run(
        [*SEEDLOG, "demo", "--game", "oware", "--level", "1"],
        env=environment,
        capture_output=True,
        text=True,
    )

    assert ended.returncode == 0, ended.stderr
    assert "every served position is the replayed one" in ended.stdout


def test_the_help_names_every_setting() -> None:
    shown = subprocess.run([*SEEDLOG, "--help"], capture_output=True, text=True)

    assert shown.returncode == 0
    for name in ("SEEDLOG_PORT", "REDIS_URL", "SEEDLOG_AI_WORKERS"):
        assert name in shown.stdout
