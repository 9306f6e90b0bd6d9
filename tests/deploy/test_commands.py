"""The commands of `deploy`, with a stand-in for docker: no engine is needed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.require import skip_without

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SCRIPTS = [
    path
    for folder in (DEPLOY, ROOT / ".ci")
    for path in sorted(folder.iterdir())
    if path.is_file() and re.match(r"#!.*sh\b|# shellcheck shell=", path.read_text())
]

DOCKER = """#!/bin/sh
echo "$*" >>"$0.calls"
case "$*" in
version*) echo 26.1 ;;
*"keys list") while read -r line; do echo "$line"; done <"$0.keys" ;;
*"keys create"*) printf 'sk_new\\nkey_new  ten_local  valid\\n' ;;
*"ps --all"*) cat "$0.ps" ;;
*"port api"*) echo 127.0.0.1:8000 ;;
*" up "*) [ ! -e "$0.ps" ] ;;
esac
"""


class Operator:
    """Somebody who calls the commands, with an .env and a docker of their own."""

    def __init__(self, folder: Path) -> None:
        self.docker = folder / "bin" / "docker"
        self.env_file = folder / "env"
        self.docker.parent.mkdir()
        self.docker.write_text(DOCKER)
        self.docker.chmod(0o755)
        self.listed("")

    def listed(self, keys: str) -> None:
        self.docker.with_name("docker.keys").write_text(keys)

    def run(self, command: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        path = f"{self.docker.parent}:{os.environ['PATH']}"
        return subprocess.run(
            [str(DEPLOY / command), *arguments],
            env={"PATH": path, "SEEDLOG_ENV_FILE": str(self.env_file)},
            capture_output=True,
            text=True,
            timeout=60,
        )

    def calls(self) -> str:
        return self.docker.with_name("docker.calls").read_text()


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


def test_an_api_key_is_made_once_however_many_there_are(operator: Operator) -> None:
    """Who stops reading at the first line has the writer killed, and sees a failure."""
    assert operator.run("up").returncode == 0
    assert operator.calls().count("keys create") == 1
    others = [f"key_{n:012x}  ten_local  valid  app {n}" for n in range(1500)]
    operator.listed("\n".join(["key_new  ten_local  valid  made", *others, ""]))

    for _ in range(3):
        done = operator.run("up")
        assert done.returncode == 0, done.stderr
        assert "API key: sk_new" in done.stdout

    assert operator.calls().count("keys create") == 1


@pytest.mark.parametrize("state", ["revoked", "revoked  it was valid once"])
def test_a_key_that_was_revoked_is_replaced(operator: Operator, state: str) -> None:
    operator.run("up")
    operator.listed(f"key_new  ten_local  {state}\n")

    assert operator.run("up").returncode == 0

    assert operator.calls().count("keys create") == 2


def test_a_start_that_fails_is_told_of(operator: Operator) -> None:
    """Also where no container is in trouble by itself."""
    operator.docker.with_name("docker.ps").write_text("api running healthy\n")

    done = operator.run("up")

    assert done.returncode == 1
    assert "not everything started" in done.stderr


@pytest.mark.parametrize("password", ["a@/#b", "a b", "100%", "it's"])
def test_a_password_that_no_url_can_hold_is_refused_at_once(
    operator: Operator, password: str
) -> None:
    operator.env_file.write_text(f"SEEDLOG_REDIS_PASSWORD={password}\n")

    done = operator.run("up")

    assert done.returncode == 1
    assert "SEEDLOG_REDIS_PASSWORD stands in a URL" in done.stderr
    assert password not in done.stderr
    assert " up " not in operator.calls()


def test_a_secret_that_could_be_guessed_is_refused_at_once(operator: Operator) -> None:
    operator.env_file.write_text(f"SEEDLOG_SECRET={'x' * 31}\n")

    done = operator.run("up")

    assert done.returncode == 1
    assert "SEEDLOG_SECRET must have at least 32 characters, not 31" in done.stderr
    assert " up " not in operator.calls()


def test_the_file_of_secrets_is_taken_from_others(operator: Operator) -> None:
    operator.env_file.write_text("SEEDLOG_REDIS_PASSWORD=abc\n")
    operator.env_file.chmod(0o644)

    operator.run("up")

    assert operator.env_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_what_is_piped_is_read_to_its_end(path: Path) -> None:
    """`a | grep -q b` kills *a*, and under pipefail that is a failure, by chance."""
    code = re.sub(r"(?m)^\s*#.*", "", path.read_text()).replace("\\\n", "")
    early = r"\|\s*(grep\s+(-\w*[qm]|--quiet)|head\b|sed\b[^|]*\bq\b|awk\b[^|]*exit)"

    assert re.findall(early, code) == []


def test_shellcheck_finds_nothing() -> None:
    """It is part of `make lint`; here it says that no script was forgotten there."""
    beside = Path(sys.executable).with_name("shellcheck")
    program = str(beside) if beside.exists() else shutil.which("shellcheck")
    if program is None:
        skip_without("shellcheck", "it is neither on PATH nor beside Python")
    listed = subprocess.run(
        ["make", "--no-print-directory", "--silent", "shell-scripts"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in SCRIPTS)
    done = subprocess.run(
        [program, "-x", *listed], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == ""
