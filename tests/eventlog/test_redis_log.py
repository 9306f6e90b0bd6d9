"""What the event log on Redis does besides keeping the ports."""

import multiprocessing
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from services.cli import redis_server
from services.eventlog import (
    Head,
    LogDamaged,
    LogGone,
    LogUnavailable,
    NewEvent,
    RedisEventLog,
    VersionConflict,
    chain,
    genesis,
    with_versions,
)
from services.eventlog.connection import Connections
from services.languages import Message
from tests.support.appending import NOTE, empty, moves, new_stream
from tests.support.cluster import Cluster


def test_a_lost_state_opens_no_gap_and_no_fork(real_redis: str) -> None:
    log, stream = RedisEventLog(real_redis), new_stream()
    log.append(stream, empty(stream), moves(3), NOTE)
    [state_key] = Connections(real_redis).call("KEYS", f"*{stream}:st")
    Connections(real_redis).call("DEL", state_key)

    with pytest.raises(LogDamaged, match="holds 3 events"):
        log.append(stream, empty(stream), moves(1), NOTE)

    Connections(real_redis).call("HSET", state_key, "v", 9, "h", "?")
    with pytest.raises(LogDamaged, match="says version 9"):
        log.append(stream, Head(9, "?"), moves(1, after=9), NOTE)
    assert len(log.read(stream)) == 3


def _race(url: str, stream: str, wins: "multiprocessing.Queue[int]", name: int) -> None:
    """Append one event at a time until the stream has 500."""
    log = RedisEventLog(url)
    head, won = empty(stream), 0
    while head.version < 500:
        [event] = with_versions(
            [NewEvent("raced", "test", {"by": name})], head.version, name
        )
        try:
            log.append(stream, head, [event], NOTE)
        except VersionConflict as conflict:
            assert conflict.actual is not None
            head = conflict.actual.head
        else:
            won += 1
            head = Head(event.version, chain(head.hash, event.text))
    wins.put(won)


def test_four_processes_racing_500_versions_give_500_events(real_redis: str) -> None:
    stream = new_stream()
    spawn = multiprocessing.get_context("spawn")
    wins: multiprocessing.Queue[int] = spawn.Queue()
    racers = [
        spawn.Process(target=_race, args=(real_redis, stream, wins, n))
        for n in range(4)
    ]
    for racer in racers:
        racer.start()
    won = [wins.get(timeout=60) for _ in racers]
    for racer in racers:
        racer.join()

    events = RedisEventLog(real_redis).read(stream)
    assert [e.version for e in events] == list(range(1, 501))
    assert sum(won) == 500
    expected = genesis(stream)
    for event in events:
        expected = chain(expected, event.text)
    state = RedisEventLog(real_redis).load(stream)
    assert state is not None
    assert state.head.hash == expected


class _CutAfterRequest:
    """A proxy that passes requests on and drops the first *drops* replies."""

    def __init__(self, target_port: int, drops: int) -> None:
        self._target, self._drops = target_port, drops
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target)) as server:
            while data := client.recv(65536):
                server.sendall(data)
                reply = server.recv(65536)
                if b"EVAL" in data and self._drops:
                    self._drops -= 1
                    return
                client.sendall(reply)


def test_a_lost_reply_neither_loses_nor_doubles_an_append(real_redis: str) -> None:
    """The reply is dropped after Redis has carried the append out."""
    real_port = int(real_redis.split(":")[2].split("/")[0])
    stream = new_stream()
    loaded = new_stream()  # so that the script is known to the server
    RedisEventLog(real_redis).append(loaded, empty(loaded), moves(1), NOTE)
    proxy = _CutAfterRequest(real_port, drops=1)
    log = RedisEventLog(f"redis://127.0.0.1:{proxy.port}/0")

    appended = log.append(stream, empty(stream), moves(2), NOTE)

    assert (appended.first, appended.last) == (1, 2)
    assert len(log.read(stream)) == 2


def test_a_server_that_is_away_is_unavailable_and_comes_back(tmp_path: Path) -> None:
    port = redis_server.free_port()
    log, stream = RedisEventLog(f"redis://127.0.0.1:{port}/0"), new_stream()
    with pytest.raises(LogUnavailable):
        log.append(stream, empty(stream), moves(1), NOTE)

    process = redis_server.start(tmp_path, port, redis_server.DURABLE)
    log.append(stream, empty(stream), moves(1), NOTE)
    process.kill()
    process.wait()
    with pytest.raises(LogUnavailable):
        log.load(stream)

    process = redis_server.start(tmp_path, port, redis_server.DURABLE)
    assert log.read(stream) == moves(1)
    process.terminate()
    process.wait()


def test_too_few_replicas_refuse_the_promise(real_redis: str) -> None:
    """The event may be there, but nobody was told so; the same call is safe again."""
    stream = new_stream()
    log = RedisEventLog(real_redis, replicas=1, timeout_s=0.4)

    with pytest.raises(LogUnavailable, match="0 of 1 replicas"):
        log.append(stream, empty(stream), moves(1), NOTE)


def test_a_log_with_another_number_of_partitions_is_refused(fake_redis: str) -> None:
    log = RedisEventLog(fake_redis)
    log.check()
    Connections(fake_redis).call("HSET", "seedlog:log", "partitions", 32)
    try:
        with pytest.raises(LogDamaged, match="32 partitions"):
            log.check()
    finally:
        Connections(fake_redis).call("HSET", "seedlog:log", "partitions", 64)


def test_a_log_that_was_emptied_is_not_taken_for_one_that_begins(
    real_redis: str,
) -> None:
    """Whoever knew it opens nothing there, and says so, until it is back."""
    redis, key = Connections(real_redis), "seedlog:log"
    log, stream = RedisEventLog(real_redis), new_stream()
    log.append(stream, empty(stream), moves(1), NOTE)
    known = redis.call("HGETALL", key)
    assert len(redis.call("HGET", key, "id")) == 16

    redis.call("FLUSHALL")
    other = new_stream()
    for ask in (
        log.check,
        log.recognize,
        log.watch,
        lambda: log.load(stream),
        lambda: log.append(other, empty(other), moves(1), NOTE),
    ):
        with pytest.raises(LogGone, match="emptied, or is another one; put back"):
            ask()
    assert redis.call("DBSIZE") == 0

    RedisEventLog(real_redis).check()  # a process that starts begins a log of its own
    begun = RedisEventLog(real_redis).append(other, empty(other), moves(1), NOTE)
    assert begun.head is not None
    with pytest.raises(LogGone):
        log.check()
    with pytest.raises(LogGone):  # nor does it go on with what others began there
        log.append(other, begun.head, moves(1, after=1), NOTE)

    redis.call("HSET", key, *known)
    log.append(other, begun.head, moves(1, after=1), NOTE)


def test_a_log_that_begins_is_not_taken_for_one_that_was_emptied(
    real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread finds nothing; before it has read that, another has begun the log."""
    Connections(real_redis).call("FLUSHALL")
    log = RedisEventLog(real_redis)
    ask = log._redis.call_all

    def overtaken(commands: Any) -> Any:
        found = ask(commands)
        monkeypatch.undo()
        log.check()
        return found

    monkeypatch.setattr(log._redis, "call_all", overtaken)
    log.check()


def test_whoever_has_read_a_log_knows_it_and_one_without_identity_gets_it(
    real_redis: str,
) -> None:
    """As a copy is that was made before the log had one."""
    redis, key = Connections(real_redis), "seedlog:log"
    stream = new_stream()
    RedisEventLog(real_redis).append(stream, empty(stream), moves(1), NOTE)
    log, known = RedisEventLog(real_redis), redis.call("HGET", key, "id")
    assert log.load(stream) is not None

    redis.call("HDEL", key, "id")
    log.check()
    assert redis.call("HGET", key, "id") == known
    redis.call("FLUSHALL")
    with pytest.raises(LogGone):
        log.load(stream)


def test_a_log_from_before_gets_an_identity_unless_it_is_full(real_redis: str) -> None:
    redis, key = Connections(real_redis), "seedlog:log"
    redis.call("FLUSHALL")
    redis.call("HSET", key, "partitions", 64, "layout", 1)
    log = RedisEventLog(real_redis)
    redis.call("CONFIG", "SET", "maxmemory", "1")
    try:
        log.check()
        assert redis.call("HGET", key, "id") is None
    finally:
        redis.call("CONFIG", "SET", "maxmemory", "0")
    log.check()
    assert redis.call("HGET", key, "id")


def test_a_cluster_that_cannot_be_asked_which_it_is_takes_new_streams(
    redis_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps that on one server; the others may be well."""
    log, asked = RedisEventLog(redis_cluster.url), []

    def away() -> None:
        asked.append("once")
        raise LogUnavailable(Message("Redis did not answer"))

    monkeypatch.setattr(log._identity, "check", away)
    for stream in (new_stream(), new_stream()):
        log.append(stream, empty(stream), moves(1), NOTE)
    assert asked == ["once"]


def test_the_server_keeps_what_the_promise_rests_on(real_redis: str) -> None:
    """A killed process does not test fsync: the settings are asserted instead."""
    for name, value in redis_server.DURABLE.items():
        assert Connections(real_redis).call("CONFIG", "GET", name) == [name, value]


def test_a_server_that_is_full_is_unavailable_until_there_is_room(
    tmp_path: Path,
) -> None:
    port = redis_server.free_port()
    url = f"redis://127.0.0.1:{port}/0"
    process = redis_server.start(tmp_path, port, redis_server.DURABLE)
    log, stream = RedisEventLog(url), new_stream()
    Connections(url).call("CONFIG", "SET", "maxmemory", "100kb")

    with pytest.raises(LogUnavailable, match="maxmemory"):
        log.append(stream, empty(stream), moves(1), NOTE)

    Connections(url).call("CONFIG", "SET", "maxmemory", "0")
    log.append(stream, empty(stream), moves(1), NOTE)
    process.terminate()
    process.wait()


def test_a_connection_that_broke_while_idle_is_replaced_unseen(
    real_redis: str,
) -> None:
    log, stream = RedisEventLog(real_redis), new_stream()
    log.append(stream, empty(stream), moves(1), NOTE)
    Connections(real_redis).call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    assert log.load(stream) is not None


def test_streams_are_listed_while_others_leave(fake_redis: str) -> None:
    """The archiver takes away those that were told, and none is passed over."""
    redis = Connections(fake_redis)
    redis.call("FLUSHALL")
    names = [f"mat_{number:04d}" for number in range(1200)]
    for number, name in enumerate(names):
        redis.call("ZADD", "streams:{0}", number, name)

    told = []
    for name in RedisEventLog(fake_redis).streams(0, live=True):
        told.append(name)
        redis.call("ZREM", "streams:{0}", name)

    assert told == names
