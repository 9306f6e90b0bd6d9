"""A master and a replica, real ones: what was acknowledged is there after a fail-over.

The client does what clients do: it sends again what got a 503, with the same key, and
looks whether its move was played.
"""

import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from services.api import create_app
from services.bootstrap import Services, connect
from services.cli import redis_server
from services.eventlog import (
    IdempotencyKey,
    LogFull,
    LogUnavailable,
    RedisEventLog,
    TooFewReplicas,
)
from services.eventlog.connection import Connections
from services.eventlog.keys import keys_of
from services.eventlog.replicas import MARK
from services.settings import Settings
from services.views import TenantFeed
from services.views.projector import Projector
from services.views.versions import Reached
from tests.support.app import Client
from tests.support.appending import NOTE, empty, moves, new_stream
from tests.support.patience import wait_for
from tests.support.require import skip_without
from tests.support.servers import start_redis
from tests.support.tables import PRIVATE

TRIES = 3
DEAD_MS = 20
HUMAN = {"kind": "human"}


class Pair:
    """A master and its replica, each on a folder and a port of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._urls: dict[str, str] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.start("master")
        # A replica is served at once, not after others may have come, too.
        self.ask("master", "CONFIG", "SET", "repl-diskless-sync-delay", 0)
        self.ask("master", "CONFIG", "SET", "hz", 100)  # it looks at timeouts as often
        self.start("replica")
        self.replicate()

    def url(self, name: str) -> str:
        return self._urls[name]

    def ask(self, name: str, *command: str | int) -> Any:
        return Connections(self.url(name)).call(*command)

    def start(self, name: str) -> None:
        """Start a server on what it has on disk, its own master, on another port."""
        self._urls[name], self._processes[name] = start_redis(
            self._folder / name, redis_server.DURABLE
        )

    def kill(self, name: str) -> None:
        self._processes[name].kill()
        self._processes[name].wait()

    def signal(self, name: str, number: int) -> None:
        self._processes[name].send_signal(number)

    def replicate(self) -> None:
        port = self.url("master").rpartition(":")[2].removesuffix("/0")
        self.ask("replica", "REPLICAOF", "127.0.0.1", port)
        log = RedisEventLog(self.url("master"), replicas=1)
        wait_for("the replica", lambda: _is_held(log) and self._is_on_disk("replica"))

    def _is_on_disk(self, name: str) -> bool:
        """After a full synchronization, the append-only file is written anew."""
        facts = self.ask(name, "INFO", "persistence")
        return "rewrite_in_progress:0" in facts and "rewrite_scheduled:0" in facts

    def fail_over(self) -> None:
        """Let the replica, or what it has on disk, take over from the master."""
        self.kill("master")
        if self._processes["replica"].poll() is None:
            self.ask("replica", "REPLICAOF", "NO", "ONE")
        else:
            self.start("replica")

    def end(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()


def _is_held(log: RedisEventLog) -> bool:
    try:
        log.await_replicas()
    except LogUnavailable:
        return False
    return log.replication().is_enough


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    pair = Pair(tmp_path)
    yield pair
    pair.end()


def start_services(url: str, folder: Path, replicas: int = 1) -> Services:
    """Return what one process is made of."""
    return connect(
        Settings(
            redis_url=url,
            secret="s",
            signing_key=PRIVATE,
            data=folder,
            replicas=replicas,
        )
    )


class Retrying:
    """A client of two API processes; remembers what it was told of matches."""

    def __init__(self, pair: Pair, folder: Path, database: str = "/0") -> None:
        url = pair.url("master").removesuffix("/0") + database
        self.services = [start_services(url, folder) for _ in range(2)]
        key, _ = self.services[0].tenants.create_key("ten_a")
        self.clients = [
            Client(create_app(services).test_client(), key)
            for services in self.services
        ]
        self.told: dict[str, int] = {}
        self.keys = 0

    def send(
        self, method: str, path: str, json: Any = None, **headers: str
    ) -> list[TestResponse]:
        """Send a request until it is acknowledged, a few times at most."""
        if method == "POST":
            self.keys += 1
            headers["Idempotency_Key"] = f"key-{self.keys}"
        answers = []
        for number in range(TRIES):
            client = self.clients[number % 2]
            answers.append(client.call(method, path, json, **headers))
            if answers[-1].status_code < 400:
                self._note(answers[-1])
                break
        return answers

    def wait_for_replicas(self, timeout_ms: int) -> None:
        """Give up sooner than in life: this client knows when they are dead."""
        for services in self.services:
            assert isinstance(services.event_log, RedisEventLog)
            services.event_log._replicas._timeout_ms = timeout_ms

    def _note(self, answer: TestResponse) -> None:
        body = answer.get_json(silent=True) or {}
        match = body.get("match", body)
        if "version" in match:
            known = self.told.get(match["id"], 0)
            self.told[match["id"]] = max(known, match["version"])
        for event in body.get("data", []):
            if "match" in event and "version" in event:
                known = self.told.get(event["match"], 0)
                self.told[event["match"]] = max(known, event["version"])

    def open(self, **fields: Any) -> dict[str, Any]:
        seats = fields.pop("seats", {"south": HUMAN, "north": HUMAN})
        body = {"game": "kalah", "seats": seats, **fields}
        answer = self.send("POST", "/v1/matches", body)[-1]
        assert answer.status_code == 201, answer.text
        match: dict[str, Any] = answer.get_json()
        return match


# Every act, on a match of its own that allows it.
ACTS: dict[str, Any] = {
    "moves": {"move": "C", "seat": "south", "expected_version": 3},
    "resignation": {"seat": "south"},
    "draw-offers": {"seat": "south"},
    "takebacks": {"seat": "south", "to_version": 3},
    "players/south/token": {},
    "cancellation": {},
}


def test_nothing_that_was_acknowledged_is_lost_with_the_master(
    pair: Pair, tmp_path: Path
) -> None:
    client = Retrying(pair, tmp_path)
    untouched, opened = client.open(), {act: client.open() for act in ACTS}
    played = f"/v1/matches/{opened['takebacks']['id']}/moves"
    first = {"move": "A", "seat": "south", "expected_version": 3}
    assert client.send("POST", played, first)[-1].status_code == 201
    half_empty = client.open(seats={"south": HUMAN})
    foreign = client.clients[0].get(f"/v1/matches/{untouched['id']}").get_json()
    projector = Projector(client.services[1].event_log, client.services[1].tenant_feed)
    projector.begin()
    projector.run_once()
    elsewhere = Retrying(pair, tmp_path, "/1")
    export = elsewhere.clients[0].get(f"/v1/matches/{elsewhere.open()['id']}/export")
    pair.kill("replica")
    client.wait_for_replicas(DEAD_MS)

    refused = []
    for act, body in ACTS.items():
        path = f"/v1/matches/{opened[act]['id']}"
        refused += client.send("POST", f"{path}/{act}", body)
        # Was it done? Whoever asks is not told what may be lost.
        refused += client.send("GET", path)
        refused += client.send("GET", f"{path}/events")
        refused += client.send("GET", f"{path}/moves")
        refused += client.send("GET", f"{path}/export")
    seats = {"south": HUMAN, "north": HUMAN}
    refused += client.send("POST", "/v1/matches", {"game": "oware", "seats": seats})
    for one in client.clients:
        named = {"Idempotency_Key": "an-import"}
        refused.append(one.upload("/v1/imports", export.data, **named))
    path = f"/v1/matches/{half_empty['id']}"
    refused += client.send("POST", f"{path}/players", HUMAN)
    path = f"/v1/matches/{untouched['id']}"
    refused += client.send("POST", f"{path}/forks", {"version": 3})

    assert {answer.status_code for answer in refused} == {503}
    # What the replica held goes on being read, by a process that never saw it, too.
    fresh = Retrying(pair, tmp_path)
    fresh.wait_for_replicas(DEAD_MS)
    assert client.send("GET", path)[-1].get_json() == foreign
    assert fresh.send("GET", path)[-1].status_code == 200
    health = fresh.send("GET", "/health/ready")[-1].get_json()
    health.pop("absent")  # there is an app alone
    assert health == {"status": "ok", "too_few_replicas": {"wanted": 1, "found": 0}}

    pair.fail_over()
    after = start_services(pair.url("replica"), tmp_path, replicas=0)
    for match_id, version in client.told.items():
        assert after.matches.load(match_id).version >= version


def test_a_request_that_was_refused_is_acknowledged_once_a_replica_is_back(
    pair: Pair, tmp_path: Path
) -> None:
    client = Retrying(pair, tmp_path)
    match = client.open()
    path = f"/v1/matches/{match['id']}"
    pair.kill("replica")
    client.wait_for_replicas(DEAD_MS)
    move, key = ACTS["moves"], {"Idempotency_Key": "a-move"}
    opening = {"game": "oware", "seats": {"south": HUMAN, "north": HUMAN}}
    new = {"Idempotency_Key": "a-match"}
    for one in client.clients:
        assert one.post(f"{path}/moves", move, **key).status_code == 503
        assert one.post("/v1/matches", opening, **new).status_code == 503

    pair.start("replica")
    pair.replicate()
    client.wait_for_replicas(1_000)
    moved = client.clients[1].post(f"{path}/moves", move, **key)
    opened = client.clients[1].post("/v1/matches", opening, **new)
    shown = client.clients[0].get(path)

    assert {moved.status_code, opened.status_code} <= {200, 201}
    assert shown.get_json()["version"] == match["version"] + 1
    pair.fail_over()
    after = start_services(pair.url("replica"), tmp_path, replicas=0)
    assert after.matches.load(match["id"]).ply == 1
    assert after.matches.load(opened.get_json()["id"]).version == 3


def test_a_replica_that_only_stays_connected_holds_nothing(pair: Pair) -> None:
    """Asked on a connection that has written nothing, WAIT counts it all the same."""
    stream, key = new_stream(), IdempotencyKey("a-key", "a-digest")
    logs = [RedisEventLog(pair.url("master"), replicas=1) for _ in range(5)]
    for log in logs:
        log._replicas._timeout_ms = DEAD_MS
    appends, appends_again, loads, reads, finds = logs
    asked: list[Callable[[], object]] = [
        lambda: appends.append(stream, empty(stream), moves(1), NOTE, key),
        lambda: appends_again.append(stream, empty(stream), moves(1), NOTE, key),
        lambda: appends_again.append(stream, empty(stream), moves(1), NOTE),
        lambda: loads.load(stream),
        lambda: reads.read(stream),
        lambda: finds.find_key(stream, key),
    ]
    pair.signal("replica", signal.SIGSTOP)
    for ask in asked:
        with pytest.raises(LogUnavailable, match="0 of 1 replicas"):
            ask()

    pair.signal("replica", signal.SIGCONT)
    wait_for("the replica", lambda: _is_held(appends))
    assert [event.version for event in reads.read(stream)] == [1]


def mark_of(pair: Pair, stream: str) -> Any:
    return pair.ask("master", "HGET", keys_of(stream).state, MARK)


def test_a_mark_goes_with_the_next_write_or_look(pair: Pair) -> None:
    """So what is held can be read without replicas, by a process that wrote nothing."""
    log, reader = (RedisEventLog(pair.url("master"), replicas=1) for _ in range(2))
    first, second = new_stream(), new_stream()
    log.append(first, empty(first), moves(2), NOTE)
    assert mark_of(pair, first) == "2"

    log.append(second, empty(second), moves(1), NOTE)
    assert (mark_of(pair, first), mark_of(pair, second)) == (None, "1")
    log.check()
    assert mark_of(pair, second) is None

    pair.kill("replica")
    assert reader.read(first) == moves(2)
    state = reader.load(second)
    assert state is not None
    assert state.head.version == 1


def test_a_full_log_is_read(pair: Pair) -> None:
    """To ask replicas how far they are takes no room, here and in a tenant's feed."""
    log, reader = (RedisEventLog(pair.url("master"), replicas=1) for _ in range(2))
    stream = new_stream()
    log.append(stream, empty(stream), moves(2), NOTE)
    TenantFeed(pair.url("master")).write([Reached(stream, "ten_a", 2)], {})
    pair.ask("master", "CONFIG", "SET", "maxmemory", 1)
    with pytest.raises(LogFull):
        reader.append(new_stream(), empty(stream), moves(1), NOTE)

    assert reader.read(stream) == moves(2)
    assert TenantFeed(pair.url("master"), replicas=1).newest("ten_a") == 2


def test_a_number_that_replicas_held_once_is_told_without_them(pair: Pair) -> None:
    """What came since is not, nor that there is such a number."""
    feed, writer = (TenantFeed(pair.url("master"), replicas=n) for n in (1, 0))
    writer.write([Reached("mat_1", "ten_a", 2)], {})
    assert [place.number for place in feed.page("ten_a", 0, 9)] == [1, 2]
    pair.kill("replica")

    assert [place.number for place in feed.page("ten_a", 0, 9)] == [1, 2]
    assert feed.newest("ten_a") == 2
    writer.write([Reached("mat_1", "ten_a", 3)], {})
    for ask in (
        lambda: feed.page("ten_a", 0, 9),
        lambda: feed.newest("ten_a"),
        lambda: feed.check_place("ten_a", 99),
    ):
        with pytest.raises(TooFewReplicas):
            ask()


def test_a_later_mark_outlives_an_earlier_wait(pair: Pair) -> None:
    slow, fast = (RedisEventLog(pair.url("master"), replicas=1) for _ in range(2))
    stream, other = new_stream(), new_stream()
    appended = slow.append(stream, empty(stream), moves(1), NOTE)
    assert appended.head is not None
    fast.append(stream, appended.head, moves(1, after=1), NOTE)

    slow.append(other, empty(other), moves(1), NOTE)  # removes its own mark: version 1

    assert mark_of(pair, stream) == "2"


def test_where_no_replicas_are_wanted_nothing_more_is_sent(real_redis: str) -> None:
    """A single server is as cheap as may be: neither a wait, nor a mark.

    Which log this is, is asked where a stream begins.
    """
    log, stream = RedisEventLog(real_redis), new_stream()
    redis = Connections(real_redis)
    log.check()  # connects
    redis.call("CONFIG", "RESETSTAT")

    log.append(stream, empty(stream), moves(1), NOTE)
    log.load(stream)
    log.read(stream)
    log.await_replicas()
    log.replication()

    statistics = redis.call("INFO", "commandstats")
    called = dict(re.findall(r"cmdstat_(\w+):calls=(\d+)", statistics))
    sent = ("evalsha", "hmget", "xrange")
    by_script = ("hget", "xlen", "hset", "zrem", "zadd", "publish")
    twice = dict.fromkeys(("xadd", "hmget"), "2")
    assert called == dict.fromkeys(sent + by_script, "1") | twice
