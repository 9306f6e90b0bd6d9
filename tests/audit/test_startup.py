"""A key that cannot be used is noticed when a process starts, not when it is needed."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from services.audit.signing_keys import EARLIER, FOLDER, SigningKeys
from services.audit.trust import FILE as TRUSTED
from services.bootstrap import Services, UnusableKeys, check_keys, now_ms
from services.cli import redis_server
from services.cli.process_commands import gunicorn
from services.settings import Settings
from tests.support.app import client_of
from tests.support.tables import PRIVATE

SEEDLOG = [sys.executable, "-m", "services.cli"]
FIRST = f"{FOLDER}/1.json"
RIGHT_KEY = 'should be {"private": "<64 lower-case hexadecimal digits>"'
RIGHT_LIST = 'expected {"keys": [...]}, as /.well-known/seedlog-keys.json has it'


@pytest.mark.parametrize(
    ("name", "text", "right"),
    [
        (FIRST, "", RIGHT_KEY),
        (FIRST, "[]", RIGHT_KEY),
        (FIRST, '{"private": "5eed"}', RIGHT_KEY),
        (FIRST, f'{{"private": "{PRIVATE}", "valid_from": "today"}}', RIGHT_KEY),
        (
            FIRST,
            '{"private": "5EED", "valid_from": "2026-11-21T10:00:00.000Z"}',
            "a signing key is 64 lower-case hexadecimal digits",
        ),
        (f"{FOLDER}/{EARLIER}", "{}", RIGHT_LIST),
        (TRUSTED, "not JSON", RIGHT_LIST),
        (TRUSTED, "[]", RIGHT_LIST),
        (TRUSTED, '{"keys": [{"id": "sig_1"}]}', "a key has the members"),
    ],
)
def test_the_file_and_what_would_be_right_are_named(
    tmp_path: Path, name: str, text: str, right: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)

    with pytest.raises(UnusableKeys) as refused:
        check_keys(Settings(data=tmp_path))

    assert str(path) in str(refused.value)
    assert right in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "5EED" not in str(refused.value)


def test_the_setting_is_named_and_not_told() -> None:
    with pytest.raises(UnusableKeys) as refused:
        check_keys(Settings(signing_key=f"{PRIVATE}, half a secret"))

    assert str(refused.value) == (
        "SEEDLOG_SIGNING_KEY, key 2: a signing key is 64 lower-case hexadecimal digits"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for name in (FIRST, TRUSTED):
        (tmp_path / name).mkdir(parents=True)
        with pytest.raises(UnusableKeys, match=f"{name} cannot be read: "):
            check_keys(Settings(data=tmp_path))
        (tmp_path / name).rmdir()


def test_usable_keys_are_left_as_they_are_and_none_is_made(tmp_path: Path) -> None:
    check_keys(Settings(data=tmp_path))
    check_keys(Settings(data=tmp_path / "not there"))
    check_keys(Settings(data=tmp_path, signing_key=PRIVATE))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        [*SEEDLOG, "up"],
        [*SEEDLOG, "api"],
        [sys.executable, "-m", "gunicorn", *gunicorn(Settings(port=0))],
    ],
    ids=["up", "api", "gunicorn"],
)
def test_processes_that_need_the_keys_refuse_to_start(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / TRUSTED).write_text("[]")
    (tmp_path / TRUSTED).chmod(0o600)  # otherwise `up` mends that first, and says so
    port = str(redis_server.free_port())
    environment = {
        **os.environ,
        "SEEDLOG_DATA": str(tmp_path),
        "SEEDLOG_PORT": port,
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "QUEUE_URL": "redis://127.0.0.1:1/0",
    }

    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60
    )

    assert ended.returncode not in (0, None)
    said = [line for line in ended.stderr.splitlines() if line.startswith("seedlog: ")]
    assert said == [f"seedlog: {tmp_path / TRUSTED}: {RIGHT_LIST}"]
    assert "Traceback" not in ended.stderr


BROKEN = [
    (TRUSTED, "[]", ["import"], RIGHT_LIST),
    (TRUSTED, None, ["import"], f"{TRUSTED} cannot be read: "),
    (FIRST, "{}", ["import", "export", "audit", "keys"], RIGHT_KEY),
    (f"{FOLDER}/{EARLIER}", "{}", ["import", "keys"], RIGHT_LIST),
]


@pytest.mark.parametrize(("name", "text", "asked", "right"), BROKEN)
def test_keys_that_break_while_the_api_runs_are_named(
    home: Services, name: str, text: str | None, asked: list[str], right: str
) -> None:
    """As at start, what would be right as well; put right, all goes on."""
    folder = home.settings.data
    home = replace(home, signing_keys=SigningKeys(folder / FOLDER, "", now_ms))
    client = client_of(home)
    match = f"/v1/matches/{client.open_match()['id']}"
    export = client.get(f"{match}/export").data
    ways: dict[str, Callable[[], TestResponse]] = {
        "import": lambda: client.upload("/v1/imports", export),
        "export": lambda: client.get(f"{match}/export"),
        "audit": lambda: client.get(f"{match}/audit"),
        "keys": lambda: client.get("/.well-known/seedlog-keys.json"),
    }
    path = folder / name
    before = path.read_text() if path.exists() else None
    path.unlink(missing_ok=True)
    if text is None:
        path.mkdir()
    else:
        path.write_text(text)

    answers = [ways[way]() for way in asked]
    if text is None:
        path.rmdir()
    elif before is None:
        path.unlink()
    else:
        path.write_text(before)

    for answer in answers:
        problem = answer.get_json()
        assert (answer.status_code, problem["type"]) == (503, "/problems/unusable-keys")
        assert problem["detail"].startswith(name)
        assert right in problem["detail"]
    assert [ways[way]().status_code for way in asked][1:] == [200] * (len(asked) - 1)
    assert ways["import"]().status_code == 409
