"""Rates slide, are shared, and say when to come back; quotas are given back."""

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from services.archive import restore_backup, write_backup
from services.bootstrap import connect
from services.eventlog.connection import Connections
from services.eventlog.library import connect_redis
from services.languages import Message
from services.limits import Policy, RateExceeded, Rates
from services.limits.crowds import BELIEVED_S, Crowds
from services.settings import Settings
from services.tenants import Tenants
from tests.support.archived import none_damaged, silent
from tests.support.commands import seedlog

THREE = Policy("three", 3, 60, Message("requests for a test"))
AWAY = "redis://127.0.0.1:1/0"


class Clock:
    """A clock that a test sets, in seconds; a window begins at 0."""

    def __init__(self) -> None:
        self.now_s = 6_000_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def empty_redis(redis_url: str) -> str:
    Connections(redis_url).call("FLUSHALL")
    return redis_url


def test_what_is_too_much_is_refused_and_not_counted() -> None:
    clock = Clock()
    rates = Rates(AWAY, now_s=clock)
    left = [rates.take(THREE, "a")[1] for _ in range(3)]
    assert left == [2, 1, 0]
    for _ in range(10):
        with pytest.raises(
            RateExceeded, match="3 requests for a test are allowed in 60 s"
        ):
            rates.take(THREE, "a")
    clock.now_s += 120
    assert rates.take(THREE, "a")[1] == 2
    assert rates.take(THREE, "b")[1] == 2


def test_who_comes_back_when_it_is_said_is_let_in() -> None:
    """And a second before that is not, whatever happened in which window."""
    chance = random.Random(7)
    for quota in (1, 2, 3, 10, 100):
        policy = Policy("p", quota, 60, Message("requests for a test"))
        clock = Clock()
        rates = Rates(AWAY, now_s=clock)
        waited = 0
        for _ in range(400):
            clock.now_s += chance.expovariate(quota / 20)
            try:
                rates.take(policy, "a")
            except RateExceeded as refused:
                waited += 1
                clock.now_s += refused.retry_after_s - 1.001
                if refused.retry_after_s > 1:
                    with pytest.raises(RateExceeded):
                        rates.take(policy, "a")
                clock.now_s += 1.002
                rates.take(policy, "a")
        assert waited


def test_who_never_stops_asking_gets_the_quota_and_no_more() -> None:
    """No burst where two windows meet, as with windows that do not slide."""
    clock, taken = Clock(), list[float]()
    policy = Policy("thirty", 30, 60, Message("requests for a test"))
    rates = Rates(AWAY, now_s=clock)
    for _ in range(12_000):
        clock.now_s += 0.5
        try:
            rates.take(policy, "a")
            taken.append(clock.now_s)
        except RateExceeded:
            pass
    assert 2850 <= len(taken) <= 3030  # 30 a minute, for 100 minutes
    spans = zip(taken, taken[33:], strict=False)
    assert min(later - earlier for earlier, later in spans) > 50


def test_processes_learn_what_the_others_have_counted(empty_redis: str) -> None:
    clock = Clock()
    first, second = (Rates(empty_redis, now_s=clock) for _ in range(2))
    first.take(THREE, "a")
    first.take(THREE, "a")
    first.tell()
    second.take(THREE, "a")
    second.tell()
    with pytest.raises(RateExceeded):
        second.take(THREE, "a")
    clock.now_s += 60  # the window before is known, too
    third = Rates(empty_redis, now_s=clock)
    third._tell_soon(third._counter(THREE, "a", int(clock.now_s // 60)))
    third.tell()
    assert third.standing(THREE, "a")[1] == 0


def test_little_is_not_told(empty_redis: str) -> None:
    """A twentieth of a quota stays with the processes of a host."""
    many = Policy("many", 400, 60, Message("requests for a test"))
    rates = Rates(empty_redis, processes=2, now_s=Clock())
    for _ in range(9):
        rates.take(many, "a")
    rates.tell()
    assert Connections(empty_redis).call("KEYS", "rate:*") == []
    rates.take(many, "a")
    rates.tell()
    [key] = Connections(empty_redis).call("KEYS", "rate:*")
    assert Connections(empty_redis).call("GET", key) == "10"
    assert 0 < Connections(empty_redis).call("TTL", key) <= 121


def test_without_redis_each_process_counts_for_itself() -> None:
    rates = Rates(AWAY, now_s=Clock())
    for _ in range(3):
        rates.take(THREE, "a")
        with pytest.raises(Exception, match="Redis did not answer"):
            rates.tell()
    with pytest.raises(RateExceeded):
        rates.take(THREE, "a")


def test_counts_of_many_at_once_are_exact_where_that_is_wanted(real_redis: str) -> None:
    policy = Policy(f"exact-{random.random()}", 50, 3600, Message("matches for a test"))
    everybody = [Rates(real_redis) for _ in range(4)]

    def take(number: int) -> bool:
        try:
            everybody[number % 4].take_at_once(policy, "all")
        except RateExceeded:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        let_in = sum(pool.map(take, range(200)))
    assert 45 <= let_in <= 50  # who was refused may have been counted for a moment


def test_memory_for_counters_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.limits.rates.MOST_COUNTERS", 100)
    clock = Clock()
    rates = Rates(AWAY, now_s=clock)
    for number in range(1000):
        rates.take(THREE, f"address {number}")
        assert len(rates._counters) <= 100
    assert rates.standing(THREE, "address 999")[1] == 2


def test_streams_of_a_process_that_died_are_forgotten(
    empty_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Crowds(empty_redis), Crowds(empty_redis)
    first.tell({"ten_a": 3, "ten_b": 1})
    second.tell({"ten_a": 2})
    assert (first.used("ten_a"), first.elsewhere("ten_a")) == (5, 2)
    first.tell({"ten_a": 1})
    assert [first.used(name) for name in ("ten_a", "ten_b")] == [3, 0]
    later = count(int(Clock().now_s) + 10**10)
    monkeypatch.setattr("time.time", lambda: next(later))
    assert second.used("ten_a") == 0
    assert BELIEVED_S < 60


def test_the_operator_gives_a_tenant_limits(empty_redis: str) -> None:
    Tenants(empty_redis).create_key("Acme")
    at = {"REDIS_URL": empty_redis}
    shown = seedlog("tenants", "limit", "Acme", **at)
    assert shown.output.splitlines()[0] == "open_matches  default"
    given = ("--open-matches", 7, "--requests", 0)
    assert seedlog("tenants", "limit", "Acme", *given, **at).exit_code == 0
    back = seedlog("tenants", "limit", "Acme", "--requests", "default", **at)
    assert back.output.splitlines()[0] == "open_matches  7"
    assert "requests  default" in back.output
    for wrong in (["nobody"], ["Acme", "--requests=-1"], ["Acme", "--followers=x"]):
        assert seedlog("tenants", "limit", *wrong, **at).exit_code != 0


def test_limits_of_tenants_are_in_a_backup(empty_redis: str, tmp_path: Path) -> None:
    services = connect(Settings(redis_url=empty_redis, data=tmp_path))
    services.tenants.create_key("ten_a")
    services.tenants.limits.give("ten_a", {"open_matches": 7})
    redis, file = connect_redis(empty_redis), tmp_path / "backup"
    write_backup(services.event_log, redis, file, silent, {}, none_damaged)
    redis.flushall()
    restored = (services.event_log, services.matches, redis, file)
    restore_backup(*restored, silent, silent, none_damaged)
    assert Tenants(empty_redis).limits.of("ten_a") == {"open_matches": 7}


def test_without_redis_the_limits_that_were_known_last_apply(
    empty_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Tenants(AWAY).limits.of("ten_a") == {}
    tenants = Tenants(empty_redis)
    tenants.create_key("ten_a")
    tenants.limits.give("ten_a", {"requests": 5})
    monkeypatch.setattr("services.tenants.given_limits.BELIEVED_S", 0.0)
    unbelieving = Tenants(empty_redis)
    assert unbelieving.limits.of("ten_a") == {"requests": 5}
    unbelieving._redis = Tenants(AWAY)._redis
    assert unbelieving.limits.of("ten_a") == {"requests": 5}
