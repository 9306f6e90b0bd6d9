"""A generation that is over is removed in pages: nobody waits while that is done."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from services.eventlog import LogUnavailable, library
from services.languages import Message
from services.match import OpenMatch, Player, Resign
from services.views import (
    MatchList,
    Overtaken,
    Projector,
    TenantFeed,
    View,
)
from tests.support.commands import seedlog
from tests.views.world import World, drain

MATCHES = 40


def play(world: World, first: int, count: int) -> None:
    """Let matches take place, each of another tenant, between players of its own."""
    for number in range(first, first + count):
        seats = {
            seat: Player(kind="human", player=f"usr_{seat}{number}")
            for seat in ("south", "north")
        }
        opening = OpenMatch(game="kalah", tenant=f"ten_{number}", seats=seats)
        world.matches.handle(f"mat_{number}", opening, by="key:k")
        world.matches.handle(f"mat_{number}", Resign(seat="south"), by="seat")


def begun(world: World, view: View) -> Projector:
    projector = Projector(world.log, view)
    projector.begin()
    return projector


def left(world: World, view: View, generation: str = "1") -> list[str]:
    return sorted(world.redis.call("KEYS", f"{{view:{view.name}}}:{generation}:*"))


@contextmanager
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, ...]]]:
    """Note what the library sends in this block."""
    execute, told = library._Client.execute_command, list[tuple[Any, ...]]()

    def note(self: library._Client, *command: Any, **options: Any) -> Any:
        told.append(command)
        return execute(self, *command, **options)

    with monkeypatch.context() as patch:
        patch.setattr(library._Client, "execute_command", note)
        yield told


def test_no_command_removes_more_than_a_page(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sentinels take a master for dead that does not answer for some seconds."""
    monkeypatch.setattr("services.views.generations.ERASED_AT_ONCE", 10)
    play(world, 0, MATCHES)
    begun(world, view)
    keys = left(world, view)
    assert len(keys) > MATCHES

    with heard(monkeypatch) as told:
        removed = view.discard("1")

    assert (removed, left(world, view)) == (len(keys), [])
    assert not [command for command in told if command[0].startswith("EVAL")]
    if view.name != TenantFeed.name:  # so few tenants are read at once, packed
        pages = [len(command) for command in told if command[0] == "UNLINK"]
        assert max(pages) < 30 < len(keys)
        assert len(pages) > 5


@pytest.mark.parametrize("sent", range(5))
def test_what_was_interrupted_is_found_again(
    world: World, view: View, sent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any command: what names the keys is removed last."""
    play(world, 0, 2)
    begun(world, view)
    execute, told = library._Client.execute_command, list[object]()

    def die(self: library._Client, *command: Any, **options: Any) -> Any:
        if len(told) == sent:
            raise KeyboardInterrupt
        told.append(command)
        return execute(self, *command, **options)

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(library._Client, "execute_command", die)
        view.discard("1")

    view.discard("1")

    assert len(told) == sent
    assert left(world, view) == []


def test_who_comes_late_adds_nothing_to_what_was_removed(
    world: World, view: View
) -> None:
    """Nobody would find its keys again."""
    play(world, 0, 2)
    late = begun(world, view)
    Projector(world.log, view).rebuild()
    play(world, 2, 2)

    with pytest.raises(Overtaken):
        late.run_once()

    assert left(world, view) == []
    late.begin()
    drain(late)
    assert view.count() == 4


def test_a_rebuild_that_cannot_clear_away_has_switched_over_all_the_same(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not say that the view stays as it was; a projector clears away later."""
    play(world, 0, 2)
    begun(world, world.view)
    discard = MatchList.discard

    def fail(*_: object) -> int:
        raise LogUnavailable(Message("Redis did not answer"))

    monkeypatch.setattr(MatchList, "discard", fail)
    where = {"REDIS_URL": world.url, "SEEDLOG_DATA": str(tmp_path)}
    done = seedlog("rebuild", "matches", **where)

    assert (done.exit_code, done.stdout) == (0, "matches: 2 matches\n")
    assert world.view.generation() == "1.1"
    monkeypatch.setattr(MatchList, "discard", discard)
    begun(world, world.view)
    assert left(world, world.view) == []
    assert world.view.count() == 2


def test_a_feed_that_has_taken_over_may_fail_to_ring(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who follows hears of it with the next event."""
    feed = TenantFeed(world.url)
    play(world, 0, 2)
    begun(world, feed)

    def fail(*_: object, **__: object) -> None:
        raise LogUnavailable(Message("Redis did not answer"))

    monkeypatch.setattr(library._Client, "xadd", fail)

    assert Projector(world.log, feed).rebuild() == 2
    assert feed.generation() == "1.1"
