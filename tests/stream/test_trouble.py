"""What goes wrong: slow readers, shutdowns, kills, and a log that is away."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

import pytest

from services.cli import redis_server
from services.eventlog import LogUnavailable
from services.eventlog.library import TIMEOUT_S
from services.match import Match, OfferDraw
from services.match.events import DrawOffered
from tests.stream.streams import NDJSON, Running, Streams, ids, talk
from tests.support.patience import wait_for
from tests.support.require import skip_without


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator["OwnRedis"]:
    """Yield a durable Redis that a test may kill."""
    if redis_server.find_server() is None:
        skip_without("redis", "no redis-server on PATH and none bundled")
    redis = OwnRedis(tmp_path)
    yield redis
    redis.kill()


class OwnRedis:
    """A durable Redis that comes back at the same place."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, redis_server.free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        self.process: subprocess.Popen[bytes] = redis_server.start(
            self.folder, self.port, redis_server.DURABLE
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def play_through(streams: Streams, match: Match) -> Match:
    """Play on as soon as the log answers."""

    def play() -> Match | None:
        with suppress(LogUnavailable):
            return streams.play(streams.services.matches.load(match.id), 1)
        return None

    return wait_for("the log", play)


def test_a_slow_reader_is_dropped_and_loses_nothing(
    redis_url: str, running: Running
) -> None:
    """The last frame says so; a reader beside it hears everything meanwhile."""
    streams = running(redis_url)
    match = streams.open_match()
    slow = streams.follow(match, buffer=4096)
    quick = streams.follow(match).frames()
    seen = next(quick).id

    for _ in range(8):  # more than lies under way in buffers, and 32 frames
        match = talk(streams, match, 60)
        assert ids(quick, 60)[-1] == match.version

    *heard, last = slow.frames()
    assert last.event == "dropped"
    assert "Last-Event-ID" in last.data["detail"]
    before = ids(heard)
    assert before == list(range(3, before[-1] + 1))
    assert last.data["last"] == before[-1] < match.version
    again = streams.follow(match, Last_Event_ID=str(before[-1])).frames()
    rest = ids(again, match.version - before[-1])
    assert [*before, *rest] == list(range(seen or 0, match.version + 1))


def test_a_reader_of_a_long_history_may_take_the_time_they_need(
    streams: Streams,
) -> None:
    """Only who follows live can be too slow: history is not kept for anybody."""
    match = talk(streams, streams.open_match(), 600)

    reader = streams.follow(match, "?after=0", buffer=4096)
    time.sleep(0.5)

    heard = ids(reader.frames(), match.version)
    assert heard == list(range(1, match.version + 1))


def test_streams_end_at_once_when_the_process_is_told_to_stop(
    redis_url: str, running: Running
) -> None:
    streams = running(redis_url)
    match = streams.open_match()
    heard = [streams.follow(match).frames() for _ in range(50)]
    stalled = streams.follow(match, buffer=4096)
    for _ in range(5):
        match = talk(streams, match, 100)
        for frames in heard:  # who does not read would be dropped
            assert ids(frames, 100)
    lines = streams.follow(match, Accept=NDJSON)
    idle = streams.get("/health/live", token="")

    took = streams.stop()

    assert streams.process.returncode == 0
    assert took < 1.0
    for frames in heard:
        assert list(frames)[-1].event == "shutdown"
    assert list(lines.lines())[-1]["type"] == "shutdown"
    for reader in (stalled, idle):
        reader.close()


def test_a_reader_goes_on_after_the_process_was_killed(
    redis_url: str, running: Running
) -> None:
    streams = running(redis_url)
    match = streams.play(streams.open_match(), 2)
    with closing(streams.follow(match, "?after=0")) as reader:
        heard = ids(reader.frames(), 5)

    streams.stop(signal.SIGKILL)
    match = streams.play(match, 3)
    streams.start()

    again = streams.follow(match, Last_Event_ID=str(heard[-1])).frames()
    heard += ids(again, 3)
    match = streams.play(match)
    heard += ids(again)
    assert heard == list(range(1, match.version + 1))


def test_streams_outlive_the_log_and_catch_up(
    own_redis: OwnRedis, running: Running
) -> None:
    """Heartbeats go on meanwhile, and nothing is doubled or left out afterwards."""
    streams = running(own_redis.url, SEEDLOG_HEARTBEAT_S="1")
    match = streams.open_match()
    frames = streams.follow(match).frames()
    heard = [next(frames)]

    for _ in range(2):
        match = streams.play(match, 2)
        own_redis.kill()
        heard += islice(frames, 4)
        assert [frame.event for frame in heard].count("heartbeat") >= 2
        refused = streams.get(f"/v1/matches/{match.id}/events")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
        own_redis.start()
        match = play_through(streams, match)
    match = streams.play(match)

    heard += frames
    assert ids(heard) == list(range(3, match.version + 1))


def test_heartbeats_go_on_while_the_log_hangs(
    own_redis: OwnRedis, running: Running
) -> None:
    """A log that does not answer holds up nobody who is waiting for news."""
    streams = running(own_redis.url, SEEDLOG_HEARTBEAT_S="1")
    match = streams.open_match()
    frames = streams.follow(match).frames()
    assert next(frames).event == "snapshot"

    own_redis.process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    beats = [frame.event for frame in islice(frames, 5)]
    took = time.monotonic() - began
    own_redis.process.send_signal(signal.SIGCONT)

    assert beats == ["heartbeat"] * 5
    assert took < 5 * (1 + TIMEOUT_S)  # as long as if each had waited for the log
    match = play_through(streams, match)
    assert ids(frames, 1) == [4]


def test_nothing_is_told_twice_or_left_out_while_the_log_restarts(
    own_redis: OwnRedis, running: Running
) -> None:
    streams = running(own_redis.url)
    match = streams.open_match()
    frames = streams.follow(match, "?after=0").frames()

    for number in range(6):
        match = play_through(streams, match)
        if number % 2:
            own_redis.kill()
            own_redis.start()
    match = streams.play(match)

    assert ids(frames) == list(range(1, match.version + 1))


def test_a_suspended_process_reads_again_what_it_missed(
    real_redis: str, running: Running
) -> None:
    """The feed may have been trimmed meanwhile; the log of the match never is."""
    streams = running(real_redis)
    match = streams.open_match()
    frames = streams.follow(match, "?after=0").frames()
    assert ids(frames, 3) == [1, 2, 3]
    log = streams.services.event_log

    streams.send_signal(signal.SIGSTOP)
    match = streams.play(match, 3)
    log.keep_from("view:test", log.feed_ends())
    streams.play(streams.open_match(), 1)
    log.keep_from("view:test", log.feed_ends())
    log.trim()
    time.sleep(7)
    streams.send_signal(signal.SIGCONT)

    assert ids(frames, 3) == [4, 5, 6]


def test_a_match_that_contradicts_the_rules_is_told_up_to_there(
    streams: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream ends and says why; other streams of the process go on."""
    match, other = streams.open_match(), streams.open_match()
    frames = streams.follow(match).frames()
    others = streams.follow(other).frames()
    assert next(frames).event == next(others).event == "snapshot"

    monkeypatch.setattr(DrawOffered, "type", "match.unheard_of")
    streams.services.matches.handle(match.id, OfferDraw(seat="south"), by="seat")
    monkeypatch.undo()

    last = next(frames)
    assert (last.event, last.data["last"]) == ("failed", 3)
    streams.play(other, 1)
    assert next(others).id == 4
    assert DrawOffered.type == "match.draw_offered"
