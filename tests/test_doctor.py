"""`seedlog doctor` says what is wrong with an installation, and what to do."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from services.cli import redis_server
from services.cli.preconditions import CannotStart, check_servers
from services.eventlog.keys import META
from services.eventlog.library import connect_redis
from services.eventlog.room import REPLICA, Room
from services.presence import Presence
from services.settings import ACTING
from tests.support.cluster import Cluster
from tests.support.commands import seedlog
from tests.support.require import skip_without
from tests.support.servers import start_redis

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield a durable server that the tests may misuse."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    url, process = start_redis(tmp_path_factory.mktemp("r"), redis_server.DURABLE)
    yield url
    process.terminate()
    process.wait()


def examined(
    folder: Path, url: str, *, server: str = NOBODY, **further: str
) -> dict[str, list[str]]:
    """Return what the doctor says, by condition."""
    settings = {"SEEDLOG_DATA": str(folder), "REDIS_URL": url, "QUEUE_URL": url}
    asked = ("doctor", "--url", server, "--stream-url", server)
    ran = seedlog(*asked, **settings | further)
    said: dict[str, list[str]] = {"ok": [], "look": [], "wrong": [], "->": []}
    for line in ran.output.splitlines():
        condition, _, what = line.strip().partition(" ")
        said[condition].append(what.strip())
    assert ran.exit_code == bool(said["wrong"])
    assert len(said["->"]) == len(said["look"] + said["wrong"]), "each has its remedy"
    return said


def test_what_does_not_run_is_wrong(tmp_path: Path, own_redis: str) -> None:
    said = examined(tmp_path, own_redis)

    assert f"API: nothing answers at {NOBODY}" in said["wrong"]
    assert f"none lives: {', '.join(ACTING)}" in said["wrong"]
    assert "no API key can be used" in said["look"]
    assert "no worker listens to this job queue" in said["wrong"]
    assert not (tmp_path / "secret").exists(), "who looks makes nothing"
    assert "every append is on disk before it is acknowledged" in said["ok"]
    for process in ACTING:
        Presence(own_redis).tell(process, "one")
    assert (
        f"{len(ACTING)} processes live, at least one of each kind"
        in (examined(tmp_path, own_redis)["ok"])
    )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("appendfsync", "everysec", "acknowledged moves can be lost: appendfsync is"),
        ("maxmemory-policy", "allkeys-lru", "acknowledged moves can be lost: maxmem"),
        ("maxmemory-policy", "allkeys-lru", "the job queue forgets jobs: allkeys-lru"),
        ("maxmemory", "1mb", "the log holds "),
    ],
)
def test_what_would_lose_or_refuse_moves_is_wrong(
    tmp_path: Path, own_redis: str, name: str, value: str, expected: str
) -> None:
    redis = connect_redis(own_redis)
    before = redis.config_get(name)[name]
    redis.config_set(name, value)
    try:
        said = examined(tmp_path, own_redis)
    finally:
        redis.config_set(name, before)

    assert any(what.startswith(expected) for what in said["wrong"]), said


def test_what_would_lose_moves_is_said_at_the_start_too(
    tmp_path: Path, own_redis: str
) -> None:
    """In a Redis that was not started here; the same is said as by the doctor."""
    log = own_redis.removesuffix("/0") + "/5"
    redis = connect_redis(log)
    redis.hset(META, mapping={"partitions": "1", "layout": "another"})
    redis.config_set("appendfsync", "everysec")
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "services.cli", "up"],
            env={
                **os.environ,
                "SEEDLOG_DATA": str(tmp_path),
                "SEEDLOG_PORT": str(redis_server.free_port()),
                "SEEDLOG_STREAM_PORT": str(redis_server.free_port()),
                "REDIS_URL": log,
                "QUEUE_URL": log,
            },
            capture_output=True,
            text=True,
            timeout=30,
        )
    finally:
        redis.config_set("appendfsync", "always")
        redis.flushdb()

    place = own_redis.removeprefix("redis://").removesuffix("/0")
    said = f"acknowledged moves can be lost: at {place} appendfsync is 'everysec'"
    assert said in ended.stderr
    assert "another" in ended.stderr, "which ends it, so that the test need not"


def test_the_doctor_goes_on_without_the_queue(tmp_path: Path, own_redis: str) -> None:
    connect_redis(own_redis).flushdb()

    said = examined(tmp_path, own_redis, QUEUE_URL="")

    assert "the job queue was not looked at: QUEUE_URL is not set here" in said["look"]
    assert any(what.startswith("none lives") for what in said["wrong"])


def test_replicas_are_asked_of_the_processes_that_run(
    tmp_path: Path, own_redis: str
) -> None:
    """The settings of the shell in which the doctor is called are not theirs."""
    presence = Presence(own_redis)
    presence.tell("api", "one:1")
    presence.tell("api", "of a former release")

    said = examined(tmp_path, own_redis)
    assert "SEEDLOG_REPLICAS is 0 here, and where processes run 1 (api)" in said["look"]
    assert "0 of 1 replicas keep up" in said["wrong"]

    presence.tell("archiver", "two:2")
    said = examined(tmp_path, own_redis)
    expected = "processes differ in SEEDLOG_REPLICAS: 1 (api), 2 (archiver)"
    assert expected in said["wrong"]
    for process in ("api", "archiver"):
        connect_redis(own_redis).delete(f"living:{process}")


class Serving(BaseHTTPRequestHandler):
    """Answers with what its class says, and has nothing else of an API."""

    answers: ClassVar[dict[str, tuple[int, str]]] = {}

    def do_GET(self) -> None:
        status, text = self.answers.get(self.path, (404, ""))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def serving(**answers: tuple[int, str]) -> Iterator[str]:
    """Yield the URL of a server that answers so at `/health/<name>`."""
    told = {f"/health/{name}": answer for name, answer in answers.items()}
    handler = type("Told", (Serving,), {"answers": told})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("text", "why", "remedy"),
    [
        (
            '{"type": "/problems/log-gone", "detail": "it is another"}',
            "it is another",
            "put back what its Redis held; where another log is meant, start it again",
        ),
        ("?", "it answers 503", "see what is below"),
    ],
)
def test_why_a_server_cannot_serve_is_told(
    tmp_path: Path, own_redis: str, text: str, why: str, remedy: str
) -> None:
    with serving(live=(200, ""), ready=(503, text)) as url:
        said = examined(tmp_path, own_redis, server=url)

    assert f"API: lives at {url}, and cannot serve: {why}" in said["wrong"]
    assert remedy in said["->"]


def test_a_server_that_is_ready_has_to_be_the_right_one(
    tmp_path: Path, own_redis: str
) -> None:
    """The API is, too, when it is asked as the streams."""
    with serving(ready=(200, "")) as url:
        said = examined(tmp_path, own_redis, server=url)

    for name in ("API", "streams"):
        assert f"{name}: another server answers at {url}" in said["wrong"]


def test_of_a_cluster_each_server_is_told_of(
    tmp_path: Path, redis_cluster: Cluster
) -> None:
    said = examined(tmp_path, redis_cluster.url, QUEUE_URL="")

    kept = "every append is on disk before it is acknowledged"
    for port in redis_cluster.masters():
        assert f"127.0.0.1:{port}: {kept}" in said["ok"]


def test_a_replica_is_no_place_for_a_log(tmp_path: Path, own_redis: str) -> None:
    redis = connect_redis(own_redis)
    redis.replicaof("127.0.0.1", 9)
    try:
        said = examined(tmp_path, own_redis)
        assert Room(own_redis).lack() == REPLICA
    finally:
        redis.replicaof("NO", "ONE")

    assert said["wrong"].count(REPLICA) == 2  # of the log, and of the queue
    assert Room(own_redis).lack() == ""


def test_a_queue_is_looked_at_where_the_log_is_away(
    tmp_path: Path, own_redis: str
) -> None:
    said = examined(tmp_path, "redis://127.0.0.1:9/0", QUEUE_URL=own_redis)

    assert "no worker listens to this job queue" in said["wrong"]


def test_a_stack_does_not_start_on_a_replica(tmp_path: Path, own_redis: str) -> None:
    redis = connect_redis(own_redis)
    redis.replicaof("127.0.0.1", 9)
    try:
        with pytest.raises(CannotStart, match=f"REDIS_URL: {REPLICA}"):
            check_servers(own_redis)
    finally:
        redis.replicaof("NO", "ONE")


def test_what_is_no_sentinel_is_said(tmp_path: Path, own_redis: str) -> None:
    place = own_redis.removeprefix("redis://").removesuffix("/0")

    said = examined(tmp_path, f"redis+sentinel://{place}/seedlog")

    assert any(
        what.startswith("the event log does not answer as it should")
        and f"{place}: unknown command 'SENTINEL'" in what
        for what in said["wrong"]
    )


def test_sentinels_that_are_away_are_said_in_one_sentence(tmp_path: Path) -> None:
    said = examined(tmp_path, "redis+sentinel://127.0.0.1:9,127.0.0.2:9/mine")

    [what] = [what for what in said["wrong"] if what.startswith("the event log")]
    assert what.startswith(
        "the event log does not answer as it should: Redis did not answer: "
        "no Sentinel tells of a master of 'mine': 127.0.0.1:9: "
    )
    assert "; 127.0.0.2:9: " in what


def test_a_log_that_is_away_is_said_once(tmp_path: Path) -> None:
    said = examined(tmp_path, "redis://127.0.0.1:9/0")

    away = [what for what in said["wrong"] if "Redis" in what]
    assert len(away) == 1
    assert away[0].startswith("the event log does not answer as it should: ")


@pytest.mark.parametrize(
    ("greeting", "remedy"),
    [
        (b"", "look whether it is stopped"),
        (b"-NOAUTH Authentication required.\r\n", "set REDIS_URL with its password"),
        (b"HTTP/1.0 400 Bad Request\r\n", "no Redis answers there"),
        (None, "start its Redis, or set REDIS_URL to where and what it is"),
    ],
    ids=[
        "it hangs",
        "it asks for a password",
        "it is another server",
        "there is none",
    ],
)
def test_what_helps_depends_on_why_a_redis_does_not_answer(
    tmp_path: Path, greeting: bytes | None, remedy: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port, held = server.getsockname()[1], []

        def answer() -> None:
            with suppress(OSError):  # it is closed
                while True:
                    held.append(server.accept()[0])
                    held[-1].sendall(greeting or b"")

        threading.Thread(target=answer, daemon=True).start()
        if greeting is None:
            server.shutdown(socket.SHUT_RDWR)
            server.close()
        url = f"redis://127.0.0.1:{port}/0"
        ran = seedlog("doctor", SEEDLOG_DATA=str(tmp_path), REDIS_URL=url)
        for connection in held:
            connection.close()

    _, _, after = ran.output.partition(
        "wrong the event log does not answer as it should: "
    )
    assert after.splitlines()[1].strip().startswith(f"-> {remedy}"), ran.output


def test_a_user_who_may_not_all_is_told_of(tmp_path: Path, own_redis: str) -> None:
    """Of the log and of the queue; it ends with no traceback."""
    redis = connect_redis(own_redis)
    redis.execute_command("ACL", "SETUSER", "weak", "on", ">x", "+@all", "~foo:*")
    weak = own_redis.replace("redis://", "redis://weak:x@")
    try:
        log, queue = (
            seedlog(
                "doctor", SEEDLOG_DATA=str(tmp_path), REDIS_URL=one, QUEUE_URL=other
            )
            for one, other in ((weak, own_redis), (own_redis, weak))
        )
    finally:
        redis.execute_command("ACL", "DELUSER", "weak")

    assert "-> give the user of REDIS_URL all commands and all keys" in log.output
    assert "-> give the user of QUEUE_URL all commands and all keys" in queue.output


def test_settings_that_cannot_be_used_are_found(tmp_path: Path, own_redis: str) -> None:
    ran = seedlog(
        "doctor",
        SEEDLOG_DATA=str(tmp_path),
        REDIS_URL=own_redis,
        SEEDLOG_ARCHIVE="memory://x",
    )

    assert "wrong SEEDLOG_ARCHIVE: memory://" in ran.output
