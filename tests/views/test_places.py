"""Places of open matches: what is on its way counts, however much there is of it."""

import time

import pytest
from redis import Redis

from services.views import MatchPlaces
from services.views.places import LOOKED_AT

TENANT = "ten_a"
MANY = 3 * LOOKED_AT


@pytest.fixture
def server(real_redis: str) -> "Redis[str]":
    server = Redis.from_url(real_redis, decode_responses=True)
    server.flushall()
    return server


@pytest.fixture
def places(server: "Redis[str]", real_redis: str) -> MatchPlaces:
    """Return places of a tenant with many matches on their way."""
    places = MatchPlaces(real_redis)
    key, now_ms = places._on_their_way(TENANT), time.time_ns() // 1_000_000
    server.zadd(key, {f"mat_{n:06d}": now_ms + n for n in range(MANY)})
    return places


def let_list_have(server: "Redis[str]", count: int) -> None:
    """Let so many of them be in the list by now; of matches that are over, say."""
    rows = {f"mat_{n:06d}": "{}" for n in range(count)}
    server.hset("{view:matches}:1:rows", mapping=rows)


def test_an_opening_looks_at_some_of_those_on_their_way(
    server: "Redis[str]", places: MatchPlaces
) -> None:
    """While the list stands still, all of ten minutes are there."""
    server.config_resetstat()

    assert places.take_place(TENANT, "mat_new", MANY + 1) is None

    looked_at = server.info("commandstats")["cmdstat_hexists"]["calls"]
    assert looked_at <= LOOKED_AT + 1


def test_all_of_them_count(places: MatchPlaces) -> None:
    assert places.take_place(TENANT, "mat_new", MANY) == MANY
    assert places.take_place(TENANT, "mat_new", MANY + 1) is None
    assert places.take_place(TENANT, "mat_new", MANY + 1) is None  # asked again
    assert places.take_place(TENANT, "mat_newer", MANY + 1) == MANY + 1


def test_nobody_is_refused_for_those_that_are_in_the_list(
    server: "Redis[str]", places: MatchPlaces
) -> None:
    """More of them are looked at then, each time so few that nobody has to wait."""
    let_list_have(server, MANY - 10)

    assert places.take_place(TENANT, "mat_new", 11) is None
    assert places.take_place(TENANT, "mat_newer", 11) == 11
    assert places.used(TENANT) == 11
