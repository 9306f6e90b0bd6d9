"""How a follower hears of an append: by a bell, and without one, too."""

import os
import resource
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from redis import Redis

from services.eventlog import RedisEventLog
from services.eventlog.reading import AT_ONCE, LOOK_EVERY_S
from tests.support.appending import NOTE, empty, moves, new_stream

Latency = Callable[[RedisEventLog, RedisEventLog], float]


@pytest.fixture(params=["real_redis", "redis_cluster"])
def url(request: pytest.FixtureRequest) -> str:
    place = request.getfixturevalue(request.param)
    return str(getattr(place, "url", place))


@pytest.fixture
def mute(real_redis: str) -> str:
    """Return the URL of a user who may do everything but use channels."""
    with Redis.from_url(real_redis) as redis:
        redis.execute_command(
            "ACL", "SETUSER", "mute", "on", ">mute", "~*", "+@all", "resetchannels"
        )
    place = urlsplit(real_redis)
    return place._replace(netloc=f"mute:mute@{place.netloc}").geturl()


def latency_s(writer: RedisEventLog, follower: RedisEventLog) -> float:
    """Return how long after an append the follower has it, in the middle of five."""
    took = []
    for _ in range(5):
        stream, ends = new_stream(), follower.feed_ends()
        done: list[float] = []

        def append(stream: str = stream, done: list[float] = done) -> None:
            writer.append(stream, empty(stream), moves(1), NOTE)
            done.append(time.monotonic())

        threading.Timer(0.05, append).start()
        [entry] = follower.follow(ends, wait_s=5)
        assert entry.stream == stream
        took.append(time.monotonic() - done[0] if done else 0.0)
    return sorted(took)[2]


def test_an_append_is_heard_at_once(url: str) -> None:
    assert latency_s(RedisEventLog(url), RedisEventLog(url)) < LOOK_EVERY_S / 4


def test_who_may_not_listen_waits_for_the_feed_itself(
    real_redis: str, mute: str
) -> None:
    assert latency_s(RedisEventLog(real_redis), RedisEventLog(mute)) < LOOK_EVERY_S / 4


def test_it_is_heard_at_once_by_whoever_has_many_files_open(real_redis: str) -> None:
    """A server of ten thousand connections opens the one that listens late."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, allowed[1]), allowed[1]))
    with ExitStack() as held:
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, allowed)
        for _ in range(1100):
            held.enter_context(open(os.devnull))

        took_s = latency_s(RedisEventLog(real_redis), RedisEventLog(real_redis))
    assert took_s < LOOK_EVERY_S / 4


def test_what_rings_no_bell_is_read_within_a_second(real_redis: str, mute: str) -> None:
    took = latency_s(RedisEventLog(mute), RedisEventLog(real_redis))

    assert took < LOOK_EVERY_S * 2


def test_a_follower_that_was_cut_off_listens_again(real_redis: str) -> None:
    log, follower = RedisEventLog(real_redis), RedisEventLog(real_redis)
    assert follower.follow(follower.feed_ends(), wait_s=0.01) == []
    with Redis.from_url(real_redis) as redis:
        assert redis.client_kill_filter(_type="pubsub") >= 1
    time.sleep(LOOK_EVERY_S)  # until it may try again

    assert latency_s(log, follower) < LOOK_EVERY_S / 4


def test_one_who_waits_keeps_no_other_thread_from_hearing(real_redis: str) -> None:
    log = RedisEventLog(real_redis)
    ends, heard = log.feed_ends(), threading.Barrier(3)

    def follow() -> None:
        assert log.follow(ends, wait_s=5)
        heard.wait(timeout=5)

    for _ in range(2):
        threading.Thread(target=follow).start()
    time.sleep(0.1)
    stream = new_stream()
    log.append(stream, empty(stream), moves(1), NOTE)

    heard.wait(timeout=5)


def test_a_follower_gathers_what_comes_fast_and_loses_nothing(url: str) -> None:
    """It reads so often while much comes, and hears the first of what comes later."""
    log, follower = RedisEventLog(url), RedisEventLog(url)
    cursors, reads, told = follower.feed_ends(), 0, list[tuple[str, int]]()
    stream, head = new_stream(), None
    appended = 0

    def append() -> None:
        nonlocal head, appended
        known = empty(stream) if head is None else head
        head = log.append(stream, known, moves(1, after=appended), NOTE).head
        appended += 1

    def read() -> None:
        nonlocal reads
        entries = follower.follow(cursors, wait_s=5, gather_s=0.05)
        cursors.update((entry.partition, entry.cursor) for entry in entries)
        told.extend((entry.stream, entry.last) for entry in entries)
        reads += 1

    def append_for(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            append()
            time.sleep(0.002)

    for _ in range(2):  # much, then nothing for a while, then much again
        reads = 0
        writing = threading.Thread(target=append_for, args=(1.0,))
        writing.start()
        while writing.is_alive() or len(told) < appended:
            read()
        writing.join()
        assert AT_ONCE < reads < AT_ONCE + 1.5 / 0.05
        time.sleep(0.1)
        late = threading.Timer(0.5, append)
        late.start()
        read()
        late.join()  # it has counted what was read already
        assert len(told) == appended

    assert told == [(stream, last) for last in range(1, appended + 1)]


def test_members_of_a_group_gather_too(url: str) -> None:
    log = RedisEventLog(url)
    group = log.join(f"group-{new_stream()}")
    group.release(group.take("a", limit=10_000))
    streams = [new_stream() for _ in range(200)]

    def append() -> None:
        for stream in streams:
            log.append(stream, empty(stream), moves(1), NOTE)

    threading.Thread(target=append).start()
    told: list[str] = []
    while len(told) < len(streams):
        entries = group.take("a", wait_s=5, gather_s=0.02)
        assert entries
        told += [entry.stream for entry in entries]

    assert sorted(told) == sorted(streams)
