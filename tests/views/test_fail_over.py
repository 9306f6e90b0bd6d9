"""A fail-over takes from a view what was written last, and from the log nothing.

A master that was replaced answers for some seconds whoever is connected to it. What
a projector writes there is lost, while it reads the log at the next one already.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis import Redis

from services.eventlog import partition_of
from services.match import OpenMatch, Player, Resign
from services.views import (
    LeaseLost,
    MatchList,
    Overtaken,
    Projector,
    Ratings,
    TenantFeed,
    View,
)
from tests.support.patience import wait_for
from tests.views.world import World, drain

SEATS = {
    seat: Player(kind="human", player=f"usr_{seat}") for seat in ("south", "north")
}
ONE, OTHER, *REST = [
    name
    for name in (f"mat_{number}" for number in range(1000))
    if partition_of(name) == partition_of("mat_0")
][:4]


@contextmanager
def replaced(view: View) -> Iterator[None]:
    """Lose all that is written to a view in this block."""
    server, names = Redis.from_url(view._url), f"{{view:{view.name}}}:1*"
    held = {key: server.dump(key) for key in server.keys(names)}
    yield
    with server.pipeline() as pipe:
        pipe.delete("nothing", *server.keys(names))
        for key, value in held.items():
            pipe.restore(key, 0, value)
        pipe.execute()


def play(world: World, *names: str) -> None:
    """Let matches take place, from the opening to the end."""
    for name in names:
        opening = OpenMatch(game="kalah", tenant="ten_a", seats=SEATS)
        world.matches.handle(name, opening, by="key:k")
        world.matches.handle(name, Resign(seat="south"), by="seat")


def begun(world: World, view: View) -> Projector:
    projector = Projector(world.log, view)
    projector.begin()
    return projector


def told(view: View) -> Any:
    """Return what a view tells, but for the numbers of a feed."""
    if isinstance(view, TenantFeed):
        places = view.page("ten_a", 0, 1000)
        return sorted((place.match_id, place.version) for place in places)
    assert isinstance(view, (MatchList, Ratings))
    return view.dump()


def expected(world: World, view: View) -> Any:
    """Return what one tells that is built of the same log, from nothing."""
    proof = type(view)(world.url, "proof")
    proof.discard("proof")
    begun(world, proof)
    return told(proof)


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let projectors look about more often."""
    for name in ("WAIT_S", "AGAIN_S"):
        monkeypatch.setattr(f"services.views.projector.{name}", 0.02)


@contextmanager
def running(world: World, view: View) -> Iterator[None]:
    projector, stopping = Projector(world.log, view), threading.Event()
    thread = threading.Thread(target=projector.run, args=(stopping.is_set,))
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def test_what_a_fail_over_took_from_a_view_is_folded_again(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though nothing else happens, and the log was never away."""
    monkeypatch.setattr("services.views.projector.COMPARE_EVERY_S", 0.0)
    with running(world, view):
        play(world, ONE)
        wait_for("the match", lambda: told(view))
        with replaced(view):
            play(world, OTHER)
            whole = expected(world, view)
            wait_for("the other one", lambda: told(view) == whole)

        wait_for("all of it", lambda: told(view) == whole)


def test_what_follows_does_not_hide_that_something_was_lost(
    world: World, view: View
) -> None:
    """The cursor behind it would be that of a view in which nothing is missing."""
    projector = begun(world, view)
    play(world, ONE)
    drain(projector)
    with replaced(view):
        play(world, OTHER)
        drain(projector)

    play(world, *REST)
    with pytest.raises(Overtaken, match="is not where it was left"):
        projector.run_once()

    projector.begin()
    drain(projector)
    assert told(view) == expected(world, view)


def test_the_feed_is_not_trimmed_of_what_the_view_has_lost(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.views.projector.COMPARE_EVERY_S", 1000.0)
    with running(world, view):
        play(world, ONE)
        wait_for("the match", lambda: told(view))
        with replaced(view):
            play(world, OTHER)
            wait_for("the end", lambda: view.cursors() == whole_of(world))
        monkeypatch.setattr("services.views.projector.SPARED_S", 0.0)
        monkeypatch.setattr("services.views.projector.TRIM_EVERY_S", 0.0)
        wait_for("all of it", lambda: view.cursors() == whole_of(world))

    assert told(view) == expected(world, view)


def whole_of(world: World) -> dict[int, str]:
    """Return the cursors of a view that has folded everything."""
    return dict.fromkeys(range(64), "0-0") | world.log.feed_ends()


def test_who_asks_before_a_trim_is_not_answered_by_a_former_master(
    world: World,
) -> None:
    """A new connection goes to whom the Sentinels name by now."""
    before = world.view._redis.client_id()

    world.view.look_again()

    assert world.view._redis.client_id() != before


def lose_first_write(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(view)
    write = kind.write

    def lose(self: View, *arguments: Any) -> None:
        monkeypatch.setattr(kind, "write", write)
        with replaced(self):
            write(self, *arguments)

    monkeypatch.setattr("services.views.projector.BUILT_AT_ONCE", 1)
    monkeypatch.setattr(kind, "write", lose)


def test_a_view_that_is_built_through_a_fail_over_is_built_again(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One page of it was lost, and the others would not tell."""
    play(world, ONE, OTHER, *REST)
    lose_first_write(view, monkeypatch)

    with pytest.raises(Overtaken):
        begun(world, view)

    assert view.cursors() == {}
    begun(world, view)
    assert told(view) == expected(world, view)


def test_a_build_that_comes_too_late_holds_up_nobody(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one has built the view since it was looked at."""
    play(world, ONE)
    begin_build, others = View.begin_build, list[Projector]()

    def be_late(self: View) -> None:
        monkeypatch.setattr(View, "begin_build", begin_build)
        others.append(begun(world, view))
        begin_build(self)

    monkeypatch.setattr(View, "begin_build", be_late)
    with pytest.raises(Overtaken):
        begun(world, view)

    play(world, OTHER)
    drain(others[0])
    assert told(view) == expected(world, view)


def test_a_rebuild_through_a_fail_over_changes_nothing(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(world, ONE, OTHER, *REST)
    begun(world, view)
    before, generation = told(view), view.generation()
    lose_first_write(view, monkeypatch)

    with pytest.raises(LeaseLost, match="run it again"):
        Projector(world.log, view).rebuild()

    assert (told(view), view.generation()) == (before, generation)
    Projector(world.log, view).rebuild()
    assert told(view) == before


def test_a_write_whose_answer_was_lost_is_not_taken_for_that_of_another(
    world: World, view: View
) -> None:
    """It is sent once more, and finds the view where it was to take it."""
    projector = begun(world, view)
    seen = view.cursors()
    play(world, ONE)
    entries = world.log.follow(seen)
    changes = view.folder(world.log).fold(entries)
    cursors = {entry.partition: entry.cursor for entry in entries}

    view.write(changes, cursors, seen)
    once = told(view)
    view.write(changes, cursors, seen)

    assert told(view) == once
    with pytest.raises(Overtaken):
        view.write([], {partition_of(ONE): "9-9"}, seen)
    projector.begin()
    assert told(view) == once


def test_of_two_projectors_the_one_that_comes_late_begins_again(
    world: World, view: View
) -> None:
    first, second = begun(world, view), begun(world, view)
    play(world, ONE)
    drain(first)
    play(world, OTHER)

    with pytest.raises(Overtaken):
        drain(second)
    second.begin()
    drain(second)
    drain(first)  # it comes to the same end

    assert told(view) == expected(world, view)
