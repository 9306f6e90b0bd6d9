"""A key that cannot be used is noticed when a process starts, not when it is needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.audit.signing_keys import EARLIER, FOLDER
from services.audit.trust import FILE as TRUSTED
from services.bootstrap import UnusableKeys, check_keys
from services.cli import redis_server
from services.cli.main import gunicorn
from services.settings import Settings
from tests.audit.making import PRIVATE

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
