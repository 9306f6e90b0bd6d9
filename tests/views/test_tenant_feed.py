"""The feed of a tenant numbers every event once, whatever happens to the projector."""

import threading
import time
from collections.abc import Iterator

import pytest

from services.eventlog import (
    RedisEventLog,
    State,
    StoredEvent,
    TooFewReplicas,
    partition_of,
)
from services.eventlog.connection import Connections
from services.eventlog.library import connect_redis
from services.match import Match, MatchService, OfferDraw, OpenMatch, Player
from services.match.commands import Answer
from services.match.events import DrawOffered
from services.views import (
    FeedTrimmed,
    MatchList,
    NoSuchEntry,
    Place,
    Projector,
    TenantFeed,
    run_projectors,
)
from services.views.lease import Lease
from services.views.versions import Reached
from tests.support.harming import rewrite, with_field
from tests.support.patience import wait_for

HUMAN = Player(kind="human", player="ply_a")


class World:
    """A log on a Redis with a service, and the feeds of its tenants."""

    def __init__(self, url: str) -> None:
        self.redis = Connections(url)
        self.redis.call("FLUSHALL")
        self.url = url
        self.log = RedisEventLog(url)
        self.matches = MatchService(self.log, lambda: 1_700_000_000_000)
        self.feed = TenantFeed(url)

    def projector(self) -> Projector:
        projector = Projector(self.log, self.feed)
        projector.begin()
        return projector

    def open_match(self, name: str, tenant: str = "ten_a") -> Match:
        seats = {"south": HUMAN, "north": HUMAN}
        opening = OpenMatch(game="kalah", tenant=tenant, seats=seats)
        return self.matches.handle(name, opening, by="key:k").match

    def talk(self, name: str, count: int) -> None:
        """Add so many events to a match."""
        for _ in range(count // 2):
            self.matches.handle(name, OfferDraw(seat="south"), by="seat")
            answer = Answer(seat="north", kind="draw", accept=False)
            self.matches.handle(name, answer, by="seat")

    def places(self, tenant: str = "ten_a") -> list[Place]:
        return self.feed.page(tenant, 0, 10_000)

    def told(self, tenant: str = "ten_a") -> list[tuple[str, int]]:
        return [(place.match_id, place.version) for place in self.places(tenant)]


@pytest.fixture
def world(redis_url: str) -> World:
    return World(redis_url)


def drain(projector: Projector) -> None:
    while projector.run_once():
        pass


def versions(told: list[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for match_id, version in told:
        found.setdefault(match_id, []).append(version)
    return found


def test_every_event_has_one_number_without_gaps(world: World) -> None:
    projector = world.projector()
    for name in ("mat_1", "mat_2", "mat_3"):
        world.open_match(name)
        drain(projector)
    world.talk("mat_2", 6)
    world.talk("mat_1", 4)
    drain(projector)

    numbers = [place.number for place in world.places()]
    assert numbers == list(range(1, 20))
    assert versions(world.told()) == {
        "mat_1": list(range(1, 8)),
        "mat_2": list(range(1, 10)),
        "mat_3": [1, 2, 3],
    }
    assert world.feed.last_numbers(["ten_a", "ten_none"]) == [19, 0]
    assert [p.number for p in world.feed.page("ten_a", 5, 3)] == [6, 7, 8]


@pytest.mark.parametrize(
    ("server", "replicas"), [("redis_cluster", 1), ("real_redis", 0)]
)
def test_a_number_is_told_when_the_replicas_hold_it(
    server: str, replicas: int, request: pytest.FixtureRequest
) -> None:
    """Else the one that takes over could give it to another event."""
    found = request.getfixturevalue(server)
    url = found if server == "real_redis" else found.url
    for redis in connect_redis(url).servers():
        redis.flushall()
    TenantFeed(url).write([Reached("mat_1", "ten_a", 2)], {})

    held = TenantFeed(url, replicas=replicas)
    assert held.newest("ten_a") == 2
    assert held.page("ten_a", 0, 9) == [Place(1, "mat_1", 1), Place(2, "mat_1", 2)]

    unheld = TenantFeed(url, replicas=replicas + 1)
    with pytest.raises(TooFewReplicas):
        unheld.page("ten_a", 1, 9)
    with pytest.raises(TooFewReplicas):
        unheld.newest("ten_a")
    assert unheld.page("ten_a", 2, 9) == []
    assert unheld.newest("ten_none") == 0


def test_matches_are_told_in_the_order_of_time(world: World) -> None:
    """As far as the clock of the log tells it, to the millisecond."""
    projector = world.projector()
    names = [f"mat_{number}" for number in range(20)]
    for name in names:
        world.open_match(name)
        time.sleep(0.002)
    drain(projector)

    assert [name for name, version in world.told() if version == 3] == names


def test_tenants_have_numbers_of_their_own(world: World) -> None:
    projector = world.projector()
    world.open_match("mat_1", "ten_a")
    world.open_match("mat_2", "ten_b")
    drain(projector)

    for tenant, name in (("ten_a", "mat_1"), ("ten_b", "mat_2")):
        assert world.told(tenant) == [(name, version) for version in (1, 2, 3)]
        assert [place.number for place in world.places(tenant)] == [1, 2, 3]


def test_entries_that_come_twice_are_numbered_once(world: World) -> None:
    """Also when two projectors run beside each other."""
    first, second = world.projector(), world.projector()
    world.open_match("mat_1")
    world.talk("mat_1", 4)
    drain(first)
    before = world.places()

    drain(second)
    world.feed.write([], dict.fromkeys(range(64), "0-0"))
    drain(world.projector())

    assert world.places() == before


def test_a_rebuilt_feed_tells_everything_again_under_higher_numbers(
    world: World,
) -> None:
    """Whoever comes back with an old number misses nothing."""
    projector = world.projector()
    for name in ("mat_1", "mat_2"):
        world.open_match(name)
        world.talk(name, 4)
    drain(projector)
    [last] = world.feed.last_numbers(["ten_a"])
    before = versions(world.told())

    assert Projector(world.log, world.feed).rebuild() == 2
    world.talk("mat_2", 2)
    stop = iter([False, False, False, True])
    projector.run(lambda: next(stop))

    after = world.places()
    assert min(place.number for place in after) > last
    before["mat_2"] += [8, 9]
    assert versions(world.told()) == before
    assert world.redis.call("KEYS", "{view:tenant-feed}:1:*") == []


def test_who_follows_is_called_when_a_rebuilt_feed_takes_over(world: World) -> None:
    """The last event may be told in the new generation alone, by its rebuild."""
    projector = world.projector()
    world.open_match("mat_1")
    drain(projector)
    builder = Projector(world.log, world.feed)
    seen: list[str] = []
    take_over = TenantFeed.take_over

    def wait_first(self: TenantFeed, lease: Lease) -> None:
        seen.append(world.feed.wait("", 0))
        take_over(self, lease)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TenantFeed, "take_over", wait_first)
        builder.rebuild()

    assert world.feed.wait(seen[0], 0.05) != seen[0]


def test_a_deleted_feed_is_built_again_and_no_number_given_twice(world: World) -> None:
    projector = world.projector()
    world.open_match("mat_1")
    drain(projector)

    world.feed.delete()
    drain(world.projector())

    assert [place.number for place in world.places()] == [4, 5, 6]
    assert world.told() == [("mat_1", version) for version in (1, 2, 3)]


def test_what_is_old_is_trimmed_from_the_front(world: World) -> None:
    """Who was before that is told so; who was there, or begins, goes on."""
    projector = world.projector()
    for name in ("mat_1", "mat_2", "mat_3"):
        world.open_match(name)
        drain(projector)

    assert world.feed.trim(lambda match_id, _: match_id in ("mat_1", "mat_3")) == 3

    assert versions(world.told()) == {"mat_2": [1, 2, 3], "mat_3": [1, 2, 3]}
    assert world.feed.trimmed("ten_a") == 3
    for number in (0, 3, 4, 6):
        world.feed.check_place("ten_a", number)
    with pytest.raises(FeedTrimmed) as trimmed:
        world.feed.check_place("ten_a", 2)
    assert trimmed.value.oldest == 3


def test_a_number_beyond_the_end_is_no_place(world: World) -> None:
    """It was told by another installation, or before a fail-over: there is a hole."""
    projector = world.projector()
    world.open_match("mat_1")
    drain(projector)

    for number in (0, 1, 3):
        world.feed.check_place("ten_a", number)
    for tenant, number, newest in (("ten_a", 4, 3), ("ten_b", 1, 0)):
        with pytest.raises(NoSuchEntry, match=f"ends at {newest}"):
            world.feed.check_place(tenant, number)


def test_all_but_the_numbers_may_be_trimmed(world: World) -> None:
    """Page by page, and no number is given again."""
    projector = world.projector()
    world.open_match("mat_1")
    world.talk("mat_1", 1200)
    drain(projector)

    assert world.feed.trim(lambda *_: True) == 1203
    assert world.places() == []
    world.open_match("mat_2")
    drain(projector)

    assert [place.number for place in world.places()] == [1204, 1205, 1206]


def test_a_trimmed_feed_takes_less_room(world: World) -> None:
    """In the nodes of the stream, not only in what is told."""
    projector = world.projector()
    world.open_match("mat_1")
    world.talk("mat_1", 400)
    drain(projector)
    feed = "{view:tenant-feed}:1:feed:ten_a"
    assert world.redis.call("XLEN", feed) == 403

    world.feed.trim(lambda *_: True)

    assert world.redis.call("XLEN", feed) == 0


class Cold:
    """An archive that holds nothing any more but the heads of some streams."""

    def __init__(self, log: RedisEventLog, *names: str) -> None:
        self.states = {name: log.load(name) for name in names}

    def load(self, stream: str) -> State | None:
        return self.states.get(stream)

    def read(self, *_: object) -> list[StoredEvent]:
        return []

    def streams(self, partition: int) -> Iterator[str]:
        return (name for name in self.states if partition_of(name) == partition)


def test_a_rebuild_does_not_bring_back_what_was_archived(world: World) -> None:
    """And who was told less than that before is told that it is missing."""
    projector = world.projector()
    for name in ("mat_1", "mat_2"):
        world.open_match(name)
    world.open_match("mat_3", "ten_b")
    drain(projector)
    cold = Cold(world.log, "mat_1")
    for key in world.redis.call("KEYS", "m:*mat_1:*"):
        world.redis.call("DEL", key)
    for partition in range(64):
        world.redis.call("ZREM", f"streams:{{{partition}}}", "mat_1")
    log = RedisEventLog(world.url, cold=cold)

    Projector(log, world.feed).rebuild()

    assert versions(world.told()) == {"mat_2": [1, 2, 3]}
    first = world.places()[0].number
    assert world.feed.trimmed("ten_a") == first - 1
    with pytest.raises(FeedTrimmed):
        world.feed.check_place("ten_a", 5)
    [last] = world.feed.last_numbers(["ten_b"])
    world.feed.check_place("ten_b", last)  # nothing of theirs is missing


def test_the_bell_rings_when_something_is_new(world: World) -> None:
    projector = world.projector()
    seen = world.feed.wait("", 0)
    assert world.feed.wait(seen, 0.05) == seen

    world.open_match("mat_1")
    drain(projector)

    rung = world.feed.wait(seen, 1)
    assert rung != seen
    assert world.feed.wait(rung, 0.05) == rung


def test_a_poison_event_stops_its_view_and_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so; and once the event can be read, the view goes on by itself."""
    monkeypatch.setattr("services.views.projector.STOPPED_S", 0.3)
    match_list, stopping = MatchList(world.url), threading.Event()
    views = (match_list, world.feed)
    arguments = (world.log, views, stopping.is_set)
    thread = threading.Thread(target=run_projectors, args=arguments)
    thread.start()
    try:
        world.open_match("mat_1")
        wait_for("the view", lambda: match_list.count() == 1)
        with monkeypatch.context() as patch:
            patch.setattr(DrawOffered, "type", "match.unheard_of")
            world.matches.handle("mat_1", OfferDraw(seat="south"), by="seat")
        world.open_match("mat_2")

        wait_for("the view", lambda: ("mat_2", 3) in world.told())
        wait_for("the view", lambda: "mat_1" in match_list.stopped())
        assert world.feed.stopped() == ""
        assert match_list.count() <= 2
        readable(world, "mat_1", 4)
        wait_for("the view", lambda: match_list.stopped() == "")
        wait_for("the view", lambda: match_list.count() == 2)
    finally:
        stopping.set()
        thread.join()
    assert "view stopped" in "".join(capsys.readouterr())


def readable(world: World, match_id: str, version: int) -> None:
    """Let the log hold what was meant, as another program would read it."""
    [event] = world.log.read(match_id, version - 1)
    assert (event.version, event.type) == (version, "match.unheard_of")
    rewrite(world.redis, match_id, with_field(-1, 1, "match.draw_offered"))
