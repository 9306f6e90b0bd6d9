"""The timekeeper: a time that nobody notices is called, at its moment and once."""

import itertools
from collections.abc import Iterator
from threading import Thread

import pytest
from redis import Redis

from services.bootstrap import now_ms
from services.eventlog import EventLog, LogUnavailable, MemoryEventLog, RedisEventLog
from services.match import MatchService, OpenMatch, Player
from services.match.timekeeper import (
    AWAY_MS,
    BEHIND_MS,
    QUARANTINE_MS,
    Timekeeper,
)
from tests.workers.stack import Clock

HUMAN = Player(kind="human", player="ply_a")
SECOND = {"initial_s": 1, "increment_s": 0}


def open_match(matches: MatchService, name: str = "mat_1", initial_s: int = 1) -> int:
    """Open a match in which south has so many seconds; return when they run out."""
    wanted = OpenMatch(
        game="kalah",
        tenant="ten_a",
        seats={"south": HUMAN, "north": HUMAN},
        clock={**SECOND, "initial_s": initial_s},
    )
    match = matches.handle(name, wanted, by="key:k").match
    assert match.due is not None
    return match.due.at_ms


@pytest.fixture(params=["memory", "real_redis"])
def log(request: pytest.FixtureRequest) -> EventLog:
    if request.param == "memory":
        return MemoryEventLog()
    url = request.getfixturevalue(request.param)
    with Redis.from_url(url) as redis:
        redis.flushall()
    return RedisEventLog(url)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def matches(log: EventLog, clock: Clock) -> MatchService:
    return MatchService(log, clock)


def names() -> Iterator[str]:
    return (f"mat_{now_ms()}x{n}" for n in itertools.count())


def test_a_time_is_called_when_it_runs_out_and_not_before(
    log: EventLog, matches: MatchService, clock: Clock
) -> None:
    name = next(names())
    due_ms = open_match(matches, name)
    keeper = Timekeeper(log, matches, clock)

    clock.now = due_ms - 1
    assert keeper.run_once() == 0
    clock.now = due_ms + 5_000
    assert keeper.run_once() == 1
    assert keeper.run_once() == 0

    last = log.read(name)[-1]
    assert (last.type, last.at_ms, last.by) == ("match.ended", due_ms, "server")
    assert log.alarms(2**60) == {}


def test_a_stand_in_leaves_time_to_the_first(
    log: EventLog, matches: MatchService, clock: Clock
) -> None:
    due_ms = open_match(matches, next(names()))
    stand_in = Timekeeper(log, matches, clock, is_stand_in=True)

    clock.now = due_ms + BEHIND_MS - 1
    assert stand_in.run_once() == 0
    clock.now = due_ms + BEHIND_MS
    assert stand_in.run_once() == 1


def test_an_alarm_moves_with_the_match_and_only_where_there_is_one(
    log: EventLog, matches: MatchService
) -> None:
    name, other, plain = (f"{each}" for each in itertools.islice(names(), 3))
    first, second = open_match(matches, name), open_match(matches, other, initial_s=2)
    opened = OpenMatch(game="kalah", tenant="ten_a")
    matches.handle(plain, opened, by="key:k")

    assert list(log.alarms(2**60).items()) == [(name, first), (other, second)]
    assert log.alarms(first) == {name: first}
    assert list(log.alarms(2**60, 1)) == [name]
    log.put_off({name: second + 1, plain: 5})
    assert list(log.alarms(2**60)) == [other, name]


@pytest.mark.parametrize(
    ("error", "put_off_ms"),
    [
        (ZeroDivisionError(), QUARANTINE_MS),
        (LogUnavailable("its server has no replicas"), AWAY_MS),
    ],
)
def test_a_match_that_cannot_be_read_holds_up_no_other(
    log: EventLog,
    matches: MatchService,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    put_off_ms: int,
) -> None:
    broken, name = itertools.islice(names(), 2)
    due_ms = open_match(matches, broken)
    open_match(matches, name)
    call = MatchService.call_time

    def call_time(service: MatchService, match_id: str) -> bool:
        if match_id == broken:
            raise error
        return call(service, match_id)

    monkeypatch.setattr(MatchService, "call_time", call_time)
    clock.now = due_ms + 1

    assert Timekeeper(log, matches, clock).run_once() == 1

    assert log.alarms(2**60) == {broken: clock.now + put_off_ms}


@pytest.mark.parametrize("error", [LogUnavailable("gone"), ValueError("whatever")])
def test_time_goes_on_when_the_log_comes_back(
    error: Exception,
    matches: MatchService,
    log: EventLog,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = next(names())
    clock.now = open_match(matches, name) + 3_600_000
    look, looks = log.alarms, itertools.count()

    def alarms(until_ms: int, limit: int = 1000) -> dict[str, int]:
        if next(looks) < 2:
            raise error
        return look(until_ms, limit)

    monkeypatch.setattr(log, "alarms", alarms)
    keeper = Timekeeper(log, matches, clock)

    keeper.run(lambda: matches.load(name).is_over)

    assert log.read(name)[-1].at_ms == clock.now - 3_600_000


def test_any_number_of_timekeepers_call_each_time_once(log: EventLog) -> None:
    """In real time, with clocks that run out close together."""
    matches = MatchService(log, now_ms)
    given = names()
    dues = {name: open_match(matches, name) for name in itertools.islice(given, 20)}
    others = [MatchService(log, now_ms) for _ in range(3)]
    keepers = [Timekeeper(log, each, now_ms) for each in others]

    def is_through() -> bool:
        return not log.alarms(2**60)

    threads = [Thread(target=keeper.run, args=(is_through,)) for keeper in keepers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    for name, due_ms in dues.items():
        ended = [e for e in log.read(name) if e.type == "match.ended"]
        assert [event.at_ms for event in ended] == [due_ms]
