"""kill -9 during a rebuild: the present view stays whole, and nothing is left."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from rules_core import GAMES
from services.eventlog import PARTITIONS, RedisEventLog
from services.eventlog.connection import Connections
from services.match import MatchService, OpenMatch, Player, PlayMove, Resign
from services.views import MatchList, Place, Pool, Projector, Ratings, TenantFeed, View
from tests.support.killing import Victims

ONE, OTHER = (Player(kind="human", player=f"usr_{name}") for name in "ab")
TENANT = "ten_a"
VIEWS: dict[str, type[View]] = {
    view.name: view for view in (MatchList, Ratings, TenantFeed)
}


class World:
    """A log with matches of all games, and one view of it."""

    def __init__(self, url: str, name: str) -> None:
        self.url = url
        self.redis = Connections(url)
        self.log = RedisEventLog(url)
        self.matches = MatchService(self.log, lambda: 1_700_000_000_000)
        self.view = VIEWS[name](url)
        self.chance = random.Random(1)
        self.names: list[str] = []

    def open(self) -> None:
        name = f"mat_{len(self.names)}"
        game = GAMES[len(self.names) % len(GAMES)]
        seats = dict(zip(game.seats, (ONE, OTHER), strict=True))
        opening = OpenMatch(game=game.key, tenant=TENANT, seats=seats)
        self.matches.handle(name, opening, by="key:k")
        self.names.append(name)

    def act(self) -> None:
        """Let one thing happen, at random."""
        if self.chance.random() < 0.05:
            return self.open()
        match = self.matches.load(self.chance.choice(self.names))
        if match.position is None or not match.to_move:
            return None
        if self.chance.random() < 0.05:
            self.matches.handle(match.id, Resign(seat=match.to_move), by="seat")
            return None
        move = self.chance.choice(match.position.legal_moves)
        command = PlayMove(seat=match.to_move, move=move)
        self.matches.handle(match.id, command, by="seat")
        return None

    def play(self, matches: int, acts: int) -> None:
        for _ in range(matches):
            self.open()
        for _ in range(acts):
            self.act()

    def projector(self) -> Projector:
        projector = Projector(self.log, self.view)
        projector.begin()
        return projector

    def let_lease_pass(self) -> None:
        """Let the time be over for which a dead rebuild holds the view."""
        self.redis.call("DEL", f"{{view:{self.view.name}}}:lease")

    def generations(self) -> set[str]:
        """Return the generations of which anything is left."""
        keys = self.redis.call("KEYS", f"{{view:{self.view.name}}}:1*")
        return {key.split(":")[2] for key in keys}

    def versions(self) -> dict[str, int]:
        """Return how far every match has come, by the log itself."""
        streams = [s for p in range(PARTITIONS) for s in self.log.streams(p)]
        states = {stream: self.log.load(stream) for stream in streams}
        return {name: state.head.version for name, state in states.items() if state}

    def told(self) -> Any:
        """Return what the view tells, but for the numbers of a feed."""
        if isinstance(self.view, TenantFeed):
            places = self.view.page(TENANT, 0, 100_000)
            return sorted((place.match_id, place.version) for place in places)
        return content(self.view)

    def check(self) -> None:
        """Hold the present view against the log, and one that is built from nothing."""
        if isinstance(self.view, TenantFeed):
            self.check_feed(self.view)
            return
        proof = type(self.view)(self.url, "proof")
        proof.delete()
        Projector(self.log, proof).begin()
        told, expected = content(self.view), content(proof)
        assert told == expected
        proof.delete()
        if isinstance(self.view, Ratings):
            return
        assert {name: row["version"] for name, row in told["rows"].items()} == (
            self.versions()
        )

    def check_feed(self, feed: TenantFeed) -> None:
        """Every event has one number, and every number one event."""
        places = feed.page(TENANT, 0, 100_000)
        numbers = [place.number for place in places]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert self.told() == sorted(
            (name, version + 1)
            for name, last in self.versions().items()
            for version in range(last)
        )


def content(view: View) -> dict[str, Any]:
    """Return all that a list of matches can tell, or ratings."""
    if isinstance(view, Ratings):
        return {
            "rows": view.dump(),
            "boards": {
                game.key: view.board(Pool(TENANT, game.key, "untimed"), None, 10)
                for game in GAMES
            },
            "score": view.score(TENANT, "usr_a", "usr_b"),
        }
    assert isinstance(view, MatchList)
    counts = {game.key: view.statistics(TENANT, game.key) for game in GAMES}
    return {
        "rows": view.dump(),
        "counts": {g: {k: v for k, v in c.items() if v} for g, c in counts.items()},
        "lists": {
            (game, status, player): [
                row["id"]
                for row in view.page(
                    TENANT, game=game, status=status, player=player, limit=10_000
                ).rows
            ]
            for game in (None, *(game.key for game in GAMES))
            for status in (None, "open", "running", "finished", "aborted")
            for player in (None, "usr_a")
        },
    }


@pytest.fixture(params=sorted(VIEWS))
def world(real_redis: str, request: pytest.FixtureRequest) -> World:
    Connections(real_redis).call("FLUSHALL")
    return World(real_redis, request.param)


def rebuild(url: str, name: str) -> None:
    """Do what the victims do: write a few matches at a time, to be hit between."""
    with patch("services.views.projector.BUILT_AT_ONCE", 2):
        Projector(RedisEventLog(url), VIEWS[name](url)).rebuild()


def victims(world: World, traced: str = "") -> Victims:
    work = "tests.views.test_kills:rebuild"
    return Victims(work, world.url, world.view.name, traced=traced)


@contextmanager
def meanwhile(*loops: Callable[[Callable[[], bool]], None]) -> Iterator[None]:
    """Do things in threads of their own for as long as the block lasts."""
    stopping, failures = threading.Event(), []

    def run(loop: Callable[[Callable[[], bool]], None]) -> None:
        try:
            loop(stopping.is_set)
        except Exception as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(loop,)) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def test_kill_9_at_any_moment_while_matches_go_on(world: World) -> None:
    """Writers append and a projector follows; a client follows the feed of its app."""
    world.play(matches=25, acts=100)
    heard: dict[int, Place] = {}
    told_twice: list[Place] = []

    def write(is_over: Callable[[], bool]) -> None:
        while not is_over():
            world.act()
            time.sleep(0.002)

    def listen(is_over: Callable[[], bool]) -> None:
        """Go on after the last number that was heard, as a client does."""
        feed, last, is_last = TenantFeed(world.url), 0, False
        while not is_last:
            is_last = is_over()
            for place in feed.page(TENANT, last, 100_000):
                told_twice.extend([place] if place.number in heard else [])
                heard[place.number] = place
                last = place.number
            time.sleep(0.005)

    with meanwhile(listen):
        with (
            victims(world) as killed,
            meanwhile(write, Projector(world.log, world.view).run),
        ):
            killed.run()
            hits = 0
            for _ in range(15):
                hits += killed.kill_at_random()
                world.let_lease_pass()
        projector = world.projector()
        while projector.run_once():
            pass

    assert hits >= 4
    world.check()
    assert len(world.generations()) == 1
    assert world.log.followers() == [f"view:{world.view.name}"]
    assert told_twice == []
    if isinstance(world.view, TenantFeed):
        for name, last in world.versions().items():
            heard_of = {p.version for p in heard.values() if p.match_id == name}
            assert heard_of == set(range(1, last + 1))
    rebuild(world.url, world.view.name)
    world.check()


def test_kill_9_before_any_line_leaves_a_whole_view(world: World) -> None:
    """The last lines one by one: there the view is switched over and cleared away."""
    world.play(matches=4, acts=20)
    projector = world.projector()
    world.check()
    told, left_behind = world.told(), 0
    with victims(world, traced="services/views") as killed:
        lines = killed.count_lines()
        early = sorted(random.sample(range(1, lines - 50), 20))
        for number in [*early, *range(lines - 50, lines)]:
            assert killed.kill_at_line(number)
            assert world.told() == told
            world.let_lease_pass()
            left_behind += len(world.generations()) > 1
            if number % 10 == 0:  # otherwise the next rebuild finds what is left
                projector.begin()
                assert len(world.generations()) == 1

    assert left_behind > 20
    rebuild(world.url, world.view.name)
    world.check()
    assert len(world.generations()) == 1
    assert world.log.followers() == [f"view:{world.view.name}"]
