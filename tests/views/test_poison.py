"""An event that cannot be read or folded stops its view, says so, and ends nothing."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.eventlog import (
    LogDamaged,
    LogUnavailable,
    RedisEventLog,
    State,
    StoredEvent,
    partition_of,
)
from services.eventlog.keys import keys_of
from services.languages import Message
from services.match import OpenMatch, Player, Resign
from services.views import (
    MatchList,
    PoisonEvent,
    Projector,
    Ratings,
    TenantFeed,
    View,
    run_projectors,
)
from tests.support.harming import Entry, put_another_kind, rewrite
from tests.support.patience import WITHIN_S
from tests.views.world import World, drain

SEATS = {
    seat: Player(kind="human", player=f"usr_{seat}") for seat in ("south", "north")
}
NAMES = [f"mat_{number}" for number in range(5)]
BAD = "mat_2"

Fields = list[str]
Spoil = Callable[[World], None]


@pytest.fixture(params=(MatchList, Ratings), ids=lambda kind: kind.name)
def view(world: World, request: pytest.FixtureRequest) -> View:
    kind: type[View] = request.param
    return kind(world.url)


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STOPPED_S", "AGAIN_S", "WAIT_S"):
        monkeypatch.setattr(f"services.views.projector.{name}", 0.0)


def play(world: World, *names: str) -> None:
    for name in names:
        opening = OpenMatch(game="kalah", tenant="ten_a", seats=SEATS)
        world.matches.handle(name, opening, by="key:k")
        world.matches.handle(name, Resign(seat="south"), by="seat")


def until(is_so: Callable[[], object]) -> Callable[[], bool]:
    """Return what tells a projector to stop as soon as something is so."""
    deadline = time.monotonic() + WITHIN_S

    def should_stop() -> bool:
        assert time.monotonic() < deadline
        return bool(is_so())

    return should_stop


def changed(change: Callable[[Fields], Fields]) -> Spoil:
    """Return what lets the last event of a match be another one than was recorded."""

    def spoilt(entries: list[Entry]) -> list[Entry]:
        *before, (entry, fields) = entries
        return [*before, (entry, change(fields))]

    return lambda world: rewrite(world.redis, BAD, spoilt)


def with_text(change: Callable[[str], str]) -> Spoil:
    return changed(lambda fields: [*fields[:7], change(fields[7])])


SPOILT: dict[str, Spoil] = {
    "a phrase of a later version": with_text(lambda text: "\x1f" + text),
    "no JSON": with_text(lambda text: text[:-1]),
    "no object": with_text(lambda _: "[]"),
    "a field too few": changed(lambda fields: fields[:6]),
    "a time that is none": changed(lambda fields: [*fields[:3], "x", *fields[4:]]),
    "a time without end": changed(lambda f: [*f[:3], "9" * 40, *f[4:]]),
    "a key of another kind": lambda world: put_another_kind(
        world.redis, keys_of(BAD).events
    ),
}


@pytest.fixture(params=SPOILT)
def spoil(request: pytest.FixtureRequest) -> Spoil:
    return SPOILT[request.param]


def test_a_match_that_cannot_be_read_is_told_by_its_name(
    world: World, view: View, spoil: Spoil
) -> None:
    """Though it was read together with others."""
    projector = Projector(world.log, view)
    projector.begin()
    play(world, *NAMES)
    spoil(world)

    with pytest.raises(PoisonEvent, match=rf"^{BAD}: \S"):
        drain(projector)


def test_so_it_is_when_the_view_is_built(
    world: World, view: View, spoil: Spoil
) -> None:
    play(world, *NAMES)
    spoil(world)

    with pytest.raises(PoisonEvent, match=rf"^{BAD}: \S"):
        Projector(world.log, view).begin()


def test_other_views_go_on_beside_it(world: World, view: View) -> None:
    play(world, *NAMES)
    SPOILT["no JSON"](world)
    feed = TenantFeed(world.url)

    run_projectors(
        world.log,
        (view, feed),
        until(lambda: bool(view.stopped()) and feed.count() == len(NAMES)),
    )

    assert BAD in view.stopped()
    assert feed.stopped() == ""


def test_a_log_that_is_away_is_no_poison(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    projector = Projector(world.log, view)
    projector.begin()
    play(world, *NAMES)

    def fail(*_: object) -> None:
        raise LogUnavailable(Message("Redis cannot be reached"))

    for name in ("read", "read_each"):
        monkeypatch.setattr(RedisEventLog, name, fail)
    with pytest.raises(LogUnavailable):
        drain(projector)


def test_that_it_cannot_be_noted_ends_nothing(
    world: World, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis is away just then; it is noted the next time."""
    play(world, *NAMES)
    SPOILT["no JSON"](world)
    note_stop, lost = View.note_stop, list[str]()

    def note(self: View, reason: str) -> None:
        if not lost:
            lost.append(reason)
            raise LogUnavailable(Message("Redis did not answer"))
        note_stop(self, reason)

    monkeypatch.setattr(View, "note_stop", note)
    Projector(world.log, view).run(until(view.stopped))

    assert BAD in lost[0]
    assert BAD in view.stopped()


class Cold:
    """An archive of one stream, which cannot be read for some reason."""

    def __init__(self, error: Exception) -> None:
        self.error: Exception | None = error
        self.asked = 0

    def load(self, _: str) -> State | None:
        self._read()
        return None

    def read(self, *_: object) -> list[StoredEvent]:
        self._read()
        return []

    def streams(self, partition: int) -> Iterator[str]:
        yield from ["mat_cold"] if partition == partition_of("mat_cold") else []

    def _read(self) -> None:
        self.asked += 1
        if self.error:
            raise self.error


@pytest.fixture(params=(MatchList, Ratings, TenantFeed), ids=lambda kind: kind.name)
def any_view(world: World, request: pytest.FixtureRequest) -> Any:
    return request.param(world.url)


def test_a_view_that_is_built_of_a_damaged_archive_says_so(
    world: World, any_view: View
) -> None:
    play(world, *NAMES)
    cold = Cold(LogDamaged(Message("a block cannot be read")))
    log = RedisEventLog(world.url, cold=cold)

    Projector(log, any_view).run(until(any_view.stopped))

    assert any_view.stopped() == "mat_cold: a block cannot be read"


def test_a_view_that_cannot_be_built_for_long_says_so_and_goes_on_trying(
    world: World, any_view: View
) -> None:
    """The store of the archive may be away, or a segment of it missing: who knows."""
    play(world, *NAMES)
    cold = Cold(LogUnavailable(Message("the archive cannot be read now")))
    log = RedisEventLog(world.url, cold=cold)
    projector = Projector(log, any_view)

    projector.run(until(any_view.stopped))

    assert cold.asked == 3
    assert "the archive cannot be read now" in any_view.stopped()
    cold.error = None
    projector.run(until(lambda: not any_view.stopped()))
    assert any_view.count() == len(NAMES)
