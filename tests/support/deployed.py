"""A Docker stack of a test's own: driven as an operator does, and as an app."""

import json
import os
import random
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from services.cli.redis_server import free_port
from tests.support.require import skip_without

DEPLOY = Path(__file__).parents[2] / "deploy"
MATCH_WITHIN_S = 60


@dataclass
class Stack:
    """A stack under a name of its own, driven as an operator and as an app."""

    environment: dict[str, str]
    url: str
    key: str = ""

    def begin(
        self, command: str, *arguments: str, **settings: str
    ) -> "subprocess.Popen[str]":
        """Begin a command of `deploy`."""
        return subprocess.Popen(
            [str(DEPLOY / command), *arguments],
            env={**self.environment, **settings},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def attempt(
        self, command: str, *arguments: str, **settings: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command of `deploy`, which may fail."""
        process = self.begin(command, *arguments, **settings)
        output, errors = process.communicate()
        code = process.returncode
        return subprocess.CompletedProcess(process.args, code, output, errors)

    def run(self, command: str, *arguments: str) -> str:
        """Run a command of `deploy`; return what it printed."""
        done = self.attempt(command, *arguments)
        assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def up(self) -> None:
        """Start it, and keep the API key that it prints."""
        printed = self.run("up")
        assert f"Seedlog is ready at {self.url}\n" in printed
        self.key = printed.split("API key: ")[1].split()[0]

    def setting(self, name: str) -> str:
        """Return a setting of the file of settings."""
        pairs = (
            line.partition("=") for line in self._settings.read_text().splitlines()
        )
        return {key: value for key, _, value in pairs}[name]

    def write_setting(self, name: str, value: str) -> None:
        """Put another value of a setting into the file of settings."""
        text, former = self._settings.read_text(), self.setting(name)
        self._settings.write_text(text.replace(f"{name}={former}", f"{name}={value}"))

    @property
    def _settings(self) -> Path:
        return Path(self.environment["SEEDLOG_ENV_FILE"])

    def containers(self, service: str) -> list[str]:
        """Return the ids of the running containers of a service."""
        project = self.environment["COMPOSE_PROJECT_NAME"]
        return docker(
            "ps",
            "--quiet",
            f"--filter=label=com.docker.compose.project={project}",
            f"--filter=label=com.docker.compose.service={service}",
        ).split()

    def ask_log(self, *command: str) -> str:
        """Send a command to the Redis of the log; return what it answers."""
        [redis] = self.containers("redis")
        ask = 'REDISCLI_AUTH=$(cat /run/secrets/redis_password) exec redis-cli "$@"'
        return docker("exec", redis, "sh", "-c", ask, "sh", *command)

    def call(
        self, path: str, body: Any = None, key: str = "", **headers: str
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        """Send a request; return status, body and headers of the answer."""
        request = urllib.request.Request(
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {key or self.key}",
                "Content-Type": "application/json",
                **{name.replace("_", "-"): text for name, text in headers.items()},
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return answer.status, json.load(answer), dict(answer.headers)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error), dict(error.headers)

    def open_match(self, south: dict[str, Any], north: dict[str, Any]) -> Any:
        """Open a match of Kalah, once the log can be reached."""
        body = {"game": "kalah", "seats": {"south": south, "north": north}}
        status, match = self._reach("/v1/matches", body)
        assert status == 201, match
        return match

    def read(self, match_id: str) -> Any:
        """Return the match as it is now, once the log can be reached."""
        status, match = self._reach(f"/v1/matches/{match_id}")
        assert status == 200, match
        return match

    def _reach(self, path: str, body: Any = None) -> tuple[int, Any]:
        deadline = time.monotonic() + MATCH_WITHIN_S
        while time.monotonic() < deadline:
            status, answer, _ = self.call(path, body)
            if status != 503:
                return status, answer
            time.sleep(0.2)
        return pytest.fail("the log did not come back")

    def play_out(self, match_id: str, token: str = "") -> Any:
        """Wait until a match is over, playing at random for the holder of a token."""
        chance = random.Random(1)
        deadline = time.monotonic() + MATCH_WITHIN_S
        while time.monotonic() < deadline:
            match = self.read(match_id)
            if match["status"] == "finished":
                return match
            if token and match["to_move"] == "south":
                status, answer, _ = self.call(
                    f"/v1/matches/{match_id}/moves",
                    {"move": chance.choice(match["legal_moves"])},
                    key=token,
                    If_Match=f'"{match["version"]}"',
                )
                assert status == 201, answer
            else:
                time.sleep(0.05)
        return pytest.fail(f"the match did not end: {match}")

    def restore_all(self, folder: Path) -> str:
        """Back up while it plays, delete everything, and bring it back.

        Return a match that went on meanwhile, which is there again as it was.
        """
        match = self.open_match({"kind": "ai", "level": 3}, {"kind": "ai", "level": 3})
        before = self.log_of(match["id"])

        self.run("backup", str(folder / "log.tar"))
        self.run("down", "--volumes")
        self.run("restore", str(folder / "log.tar"))
        self.up()

        assert self.log_of(match["id"])[: len(before)] == before
        return str(match["id"])

    def log_of(self, match_id: str) -> list[dict[str, Any]]:
        """Return the events of a match, each with the hash up to it."""
        status, answer, _ = self.call(f"/v1/matches/{match_id}/events?limit=1000")
        assert status == 200, answer
        assert answer["next_cursor"] is None
        return list(answer["data"])


@dataclass
class Load:
    """Players who play on and on; what they were refused, and what they were told."""

    stack: Stack
    refused: list[str] = field(default_factory=list)
    waits_s: list[float] = field(default_factory=list)
    acknowledged: dict[tuple[str, int], Any] = field(default_factory=dict)

    @contextmanager
    def players(self, number: int) -> Iterator[None]:
        """Let so many play meanwhile."""
        stop = threading.Event()
        threads = [
            threading.Thread(target=self._play, args=(seed, stop))
            for seed in range(number)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def lost(self) -> list[tuple[str, int]]:
        """Return what was acknowledged and is not in the log as it was."""
        logs = {
            match_id: self.stack.log_of(match_id) for match_id, _ in self.acknowledged
        }
        return [
            (match_id, version)
            for (match_id, version), data in self.acknowledged.items()
            if logs[match_id][version - 1]["data"] != data
        ]

    def _play(self, seed: int, stop: threading.Event) -> None:
        chance, match = random.Random(seed), None
        while not stop.is_set():
            began = time.monotonic()
            try:
                match = self._turn(chance, match)
            except (AssertionError, OSError) as error:
                self.refused.append(str(error))
                match = None  # what was refused may be on record
            self.waits_s.append(time.monotonic() - began)

    def _turn(self, chance: random.Random, match: Any) -> Any:
        """Open a match, or play a move on it; return it, or None where it is over."""
        if match is None:
            return self.stack.open_match({"kind": "human"}, {"kind": "human"})
        seat = match["to_move"]
        status, told, _ = self.stack.call(
            f"/v1/matches/{match['id']}/moves",
            {"move": chance.choice(match["legal_moves"]), "seat": seat},
            If_Match=f'"{match["version"]}"',
        )
        assert status == 201, f"{status} {told}"
        for event in told["events"]:
            self.acknowledged[match["id"], event["version"]] = event["data"]
        return None if told["match"]["status"] == "finished" else told["match"]


def docker(*arguments: str) -> str:
    """Run docker; return what it printed."""
    command = ["docker", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def deployed(folder: Path, **settings: str) -> Iterator[Stack]:
    """Yield a stack that runs, and remove every trace of it afterwards.

    It has a project name, a port and secrets of its own, so that a stack that is in use
    is left alone. Where no Docker engine answers, the test is skipped.
    """
    if shutil.which("docker") is None:
        skip_without("docker", "there is no docker command")
    for question in (["docker", "info"], ["docker", "compose", "version"]):
        answer = subprocess.run(question, capture_output=True, check=False)
        if answer.returncode:
            skip_without("docker", f"`{' '.join(question)}` fails")
    name, port = f"seedlog-test-{os.getpid()}", free_port()
    own = {
        "COMPOSE_PROJECT_NAME": name,
        "SEEDLOG_ENV_FILE": str(folder / "env"),
        "SEEDLOG_PORT": str(port),
        "SEEDLOG_IMAGE": name,
    }
    stack = Stack({**os.environ, **own, **settings}, f"http://127.0.0.1:{port}")
    try:
        stack.up()
        yield stack
    finally:
        stack.run("down", "--volumes")
        made = docker("images", "--quiet", name).split()
        subprocess.run(["docker", "rmi", "--force", *made], capture_output=True)
