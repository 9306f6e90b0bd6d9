"""The lobby in Redis: every step at once, whoever else does the same."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from services.eventlog.connection import Connections
from services.lobby import Lobby, LobbyFull, Pairing, Seek
from services.lobby.lobby import COMES_BACK_MS, LASTS_MS
from services.lobby.seek import paired

MOST = 1_000
"""So many seeks a tenant may have here."""


class Clock:
    """A time that the test sets."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def __call__(self) -> int:
        return self.ms


def pair(one: Seek, other: Seek) -> Pairing:
    return paired(one, other, f"mat_{one.id}x{other.id}", ("south", "north"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lobby(redis_url: str, clock: Clock) -> Lobby:
    Connections(redis_url).call("FLUSHALL")
    return Lobby(redis_url, clock, pair).of("ten_a")


def seek(name: str, player: str = "", **given: Any) -> Seek:
    facts: dict[str, Any] = {
        "tenant": "ten_a",
        "player": player or f"usr_{name}",
        "game": "kalah",
        "options": {},
        "by": "key:k",
        "since_ms": 1_800_000_000_000,
    }
    return Seek(id=name, **(facts | given))


def test_two_find_each_other_once(lobby: Lobby) -> None:
    for name in ("a", "b"):
        lobby.seek(seek(name), MOST)
    assert lobby.match_up(in_turn=False) == 1
    assert lobby.match_up(in_turn=False) == 0
    assert lobby.have_found(["a", "b"]) == {"a", "b"}
    found = lobby.found("a")
    assert found == lobby.found("b")
    assert found is not None
    assert found.seats == {"south": "usr_a", "north": "usr_b"}
    assert found.seeks == {"a": "south", "b": "north"}


def test_a_seek_ends_when_nobody_asks_for_it(lobby: Lobby, clock: Clock) -> None:
    lobby.seek(seek("a"), MOST)
    clock.ms += LASTS_MS - 1
    lobby.renew(["a"])
    clock.ms += LASTS_MS - 1
    lobby.match_up(in_turn=False)
    assert lobby.read("a") is not None
    clock.ms += 1
    lobby.seek(seek("b"), MOST)
    assert lobby.match_up(in_turn=False) == 0
    lobby.renew(["b"])
    clock.ms += COMES_BACK_MS
    lobby.match_up(in_turn=False)
    assert lobby.read("a") is None
    assert lobby.read("b") is not None
    assert lobby.found("a") is None


def test_a_seek_that_nobody_sees_end_has_ended_all_the_same(
    lobby: Lobby, clock: Clock
) -> None:
    lobby.seek(seek("a"), MOST)
    clock.ms += LASTS_MS + COMES_BACK_MS - 1
    assert lobby.read("a") is not None
    clock.ms += 1
    assert lobby.read("a") is None


def test_whose_connection_is_closed_is_given_nobody(lobby: Lobby, clock: Clock) -> None:
    for name in ("a", "b"):
        lobby.seek(seek(name), MOST)
    lobby.let_go(["a"])
    assert lobby.match_up(in_turn=False) == 0
    assert lobby.read("a") is not None
    clock.ms += COMES_BACK_MS - 1
    lobby.renew(["a"])  # it has come back by another connection
    assert lobby.match_up(in_turn=False) == 1


def test_what_has_ended_is_not_renewed(lobby: Lobby, clock: Clock) -> None:
    one = seek("a")
    lobby.seek(one, MOST)
    assert lobby.withdraw(one)
    assert not lobby.withdraw(one)
    lobby.renew(["a"])
    lobby.seek(seek("b"), MOST)
    assert lobby.match_up(in_turn=False) == 0
    clock.ms += LASTS_MS + COMES_BACK_MS
    lobby.match_up(in_turn=False)
    assert lobby.have_found(["a", "b"]) == {"a", "b"}


def test_a_player_has_one_seek_the_newest(lobby: Lobby) -> None:
    lobby.seek(seek("a", "usr_x"), MOST)
    assert lobby.seek(seek("b", "usr_x"), MOST)[0] == "b"
    assert lobby.read("a") is None
    lobby.seek(seek("c"), MOST)
    assert lobby.match_up(in_turn=False) == 1
    assert lobby.found("a") is None
    assert lobby.seek(seek("d", "usr_x"), MOST) == ("b", None)
    lobby.forget_pairing(seek("d", "usr_x"))
    assert lobby.seek(seek("d", "usr_x"), MOST)[1] is not None


def test_the_same_seek_goes_on(lobby: Lobby) -> None:
    one = seek("a")
    assert lobby.seek(one, MOST) == ("a", one)
    assert lobby.seek(seek("a", since_ms=1), MOST)[1] == one
    lobby.seek(seek("b"), MOST)
    lobby.match_up(in_turn=False)
    assert lobby.seek(one, MOST) == ("a", None)


def test_nothing_is_left_behind(lobby: Lobby, redis_url: str) -> None:
    for name in ("a", "b", "c"):
        lobby.seek(seek(name), MOST)
    lobby.match_up(in_turn=False)
    lobby.withdraw(seek("c"))
    redis = Connections(redis_url)
    kept = redis.call("KEYS", "{lobby}*")
    assert all(redis.call("TTL", key) > 0 for key in kept), kept


def test_each_tenant_has_seeks_of_its_own_and_so_many(lobby: Lobby) -> None:
    other = lobby.of("ten_b")
    lobby.seek(seek("a"), 2)
    other.seek(seek("b", tenant="ten_b"), 2)
    assert other.read("a") is None
    assert lobby.match_up(in_turn=False) == other.match_up(in_turn=False) == 0
    lobby.seek(seek("c", rated=False), 2)
    with pytest.raises(LobbyFull) as refused:
        lobby.seek(seek("d"), 2)
    assert refused.value.used == lobby.count() == 2
    assert other.count() == 1
    assert lobby.seek(seek("a"), 2)[1] is not None  # that goes on
    assert lobby.seek(seek("e", "usr_a"), 2)[0] == "e"  # that takes its place


def together(*acts: Callable[[], object]) -> None:
    """Do things at once, each in a thread of its own."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> None:
        try:
            barrier.wait()
            act()
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_nobody_gets_two_seats_however_many_look_at_once(
    real_redis: str, clock: Clock
) -> None:
    """Matchmakers without turns, players who seek twice, and some who leave."""
    Connections(real_redis).call("FLUSHALL")
    lobbies = [Lobby(real_redis, clock, pair).of("ten_a") for _ in range(6)]
    seeks = [seek(f"s{n}", f"usr_{n % 40}") for n in range(80)]

    def look(own: Lobby) -> Callable[[], None]:
        def act() -> None:
            for _ in range(10):
                own.match_up(in_turn=False)

        return act

    def ask(own: Lobby, mine: list[Seek]) -> Callable[[], None]:
        def act() -> None:
            for number, each in enumerate(mine):
                own.seek(each, MOST)
                if number % 7 == 3:
                    own.withdraw(each)

        return act

    together(
        *(ask(own, seeks[n::3]) for n, own in enumerate(lobbies[:3])),
        *(look(own) for own in lobbies[3:]),
    )
    lobbies[0].match_up(in_turn=False)
    found = [p for each in seeks if (p := lobbies[0].found(each.id))]
    matches = {pairing.match_id: pairing for pairing in found}
    seated = [who for pairing in matches.values() for who in pairing.seats.values()]
    assert len(found) == 2 * len(matches)
    assert len(seated) == len(set(seated))
    assert matches
