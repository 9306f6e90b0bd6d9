"""What came while no projector ran is taken in piece by piece."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from services.match import OpenMatch, Player, Resign
from services.views import MatchList, Projector, Ratings, TenantFeed, View
from tests.views.world import World, drain

AT_ONCE = 3
MATCHES = 10
SEATS = {
    seat: Player(kind="human", player=f"usr_{seat}") for seat in ("south", "north")
}


@pytest.fixture
def world(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("services.views.projector.WRITTEN_AT_ONCE", AT_ONCE)
    return World(redis_url)


@pytest.fixture(
    params=(MatchList, TenantFeed, Ratings), ids=lambda kind: str(kind.name)
)
def view(world: World, request: pytest.FixtureRequest) -> View:
    kind: type[View] = request.param
    return kind(world.url)


def begun(world: World, view: View) -> Projector:
    projector = Projector(world.log, view)
    projector.begin()
    return projector


def play(world: World) -> None:
    for number in range(MATCHES):
        opening = OpenMatch(game="kalah", tenant="ten_a", seats=SEATS)
        world.matches.handle(f"mat_{number}", opening, by="key:k")
    for number in range(MATCHES):
        world.matches.handle(f"mat_{number}", Resign(seat="south"), by="seat")


def watch(
    view: View, monkeypatch: pytest.MonkeyPatch, see: Callable[[Sequence[Any]], None]
) -> None:
    """Let somebody see each write before it is done."""
    write = type(view).write

    def watched(self: View, changes: Sequence[Any], *arguments: Any) -> None:
        see(changes)
        write(self, changes, *arguments)

    monkeypatch.setattr(type(view), "write", watched)


def test_no_write_is_long(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server does nothing else meanwhile."""
    projector, sizes = begun(world, view), list[int]()
    play(world)
    watch(view, monkeypatch, lambda changes: sizes.append(len(changes)))

    drain(projector)

    assert max(sizes) <= AT_ONCE
    assert view.count() == MATCHES


@pytest.mark.parametrize("writes", [1, 2, 4])
def test_each_write_has_the_cursors_that_are_right_for_it(
    world: World, view: View, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever dies between two of them leaves the rest to the next one."""
    projector, seen = begun(world, view), list[object]()
    play(world)

    def die(changes: Sequence[Any]) -> None:
        if len(seen) == writes:
            raise KeyboardInterrupt
        seen.append(changes)

    with monkeypatch.context() as patch:
        watch(view, patch, die)
        with pytest.raises(KeyboardInterrupt):
            drain(projector)
    drain(begun(world, view))

    assert view.cursors() == dict.fromkeys(range(64), "0-0") | world.log.feed_ends()
    assert view.count() == MATCHES
    if isinstance(view, MatchList):
        assert {row["status"] for row in view.dump().values()} == {"finished"}


def test_what_came_first_is_told_first_over_all_pieces(world: World) -> None:
    feed = TenantFeed(world.url)
    projector = begun(world, feed)
    play(world)
    entries = world.log.follow({})
    at = {(e.stream, e.last): int(e.cursor.partition("-")[0]) for e in entries}

    drain(projector)

    told = [(p.match_id, p.version) for p in feed.page("ten_a", 0, 1000)]
    times = [at[place] for place in told if place in at]
    assert len(times) == 2 * MATCHES
    assert all(earlier <= later for earlier, later in pairwise(times))
