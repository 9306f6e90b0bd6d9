"""Tails tell everything once: where matches have vanished, fail, or are long."""

import pytest
from structlog.testing import capture_logs

from services.analysis import Analyses, Found
from services.eventlog import (
    LogDamaged,
    LogUnavailable,
    MemoryEventLog,
    StoredEvent,
)
from services.languages import Message
from services.stream.tails import (
    KEPT_FRAMES,
    PAGE,
    PAGE_BYTES,
    PLACES,
    AnalysisTail,
    FeedTail,
    MatchTail,
)
from services.views import FeedTrimmed
from tests.stream.inside import LINES, World, numbers, told

LONGEST_FRAME = 2_000


class Torn(MemoryEventLog):
    """A log that cannot tell what it holds."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def read(
        self, stream: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        raise self._error


class Thoughts(Analyses):
    """An analysis of which much was found."""

    def __init__(self, count: int) -> None:
        data = {"line": "A" * 1_000}
        self._found = [Found(n, "depth", n, data) for n in range(1, count + 1)]

    def events(
        self, analysis_id: str, after: int = 0, limit: int | None = None
    ) -> list[Found]:
        return self._found[after:][:limit]


def test_a_page_where_all_have_vanished_leads_to_what_comes_behind() -> None:
    """It has no frame, and is not the end: a follower would wait there for ever."""
    world = World()
    world.open_match("mat_before")
    world.feed.number()
    world.open_match("mat_gone", talk=PAGE + 50)
    world.feed.number()
    world.open_match("mat_behind", talk=KEPT_FRAMES + 10)
    world.feed.number()
    world.vanish("mat_gone")
    tail = world.feed_tail()
    tail.catch_up()

    assert numbers(tail, 0) == world.feed.of("mat_before", "mat_behind")


def test_a_page_that_is_trimmed_as_it_is_read_is_no_silent_hole() -> None:
    world = World()
    world.open_match("mat_a", talk=KEPT_FRAMES + 10)
    world.feed.number()
    tail = world.feed_tail()
    tail.catch_up()
    world.feed.trimmed_to = 5

    with pytest.raises(FeedTrimmed):
        tail.read(3, LINES)

    assert tail.read(5, LINES).number > 5


def test_a_feed_that_grows_by_much_leaves_no_gap_beside_what_has_vanished() -> None:
    """Of a gap no number tells whether something was left out there."""
    world = World()
    tail, seen = followed(world)

    for name, count in (("mat_a", KEPT_FRAMES + 8), ("mat_gone", 4), ("mat_a", 10)):
        world.talk(name, count)
        world.feed.number()
    world.vanish("mat_gone")
    tail.catch_up()

    left = [number for number in world.feed.of("mat_a") if number > seen]
    assert numbers(tail, seen) == left


def test_what_comes_before_much_that_has_vanished_is_told_at_once() -> None:
    """Not with the next event, whenever that comes."""
    world = World()
    tail, seen = followed(world)

    for name in ("mat_a", "mat_gone"):
        world.talk(name, KEPT_FRAMES + 8)
        world.feed.number()
    world.vanish("mat_gone")

    assert tail.catch_up()
    left = [number for number in world.feed.of("mat_a") if number > seen]
    assert numbers(tail, seen) == left


def followed(world: World) -> tuple[FeedTail, int]:
    """Return the tail of a feed of two matches, and where a follower of it is."""
    world.open_match("mat_gone")
    world.open_match("mat_a", talk=10)
    world.feed.number()
    tail = world.feed_tail()
    tail.catch_up()
    return tail, tail.number - 2


def test_a_match_fails_by_itself_whatever_is_wrong_with_it() -> None:
    """Also by what nobody foresaw; what came before is told."""
    world = World()
    world.open_match("mat_a")
    world.spoil("mat_a")
    tail = world.match_tail("mat_a")

    with capture_logs() as logs:
        assert tail.catch_up()

    assert tail.has_failed
    assert numbers(tail, 0) == [1, 2, 3]
    assert [line["event"] for line in logs] == ["match cannot be followed"]
    assert not tail.catch_up()


def test_a_match_fails_where_the_log_cannot_tell_what_it_holds() -> None:
    """Not where the log is away: then it is read again."""
    torn = MatchTail(Torn(LogDamaged(Message("a segment is broken"))), "mat_a")
    away = MatchTail(Torn(LogUnavailable(Message("Redis did not answer"))), "mat_a")

    with capture_logs() as logs:
        assert torn.catch_up() == 1
    with pytest.raises(LogUnavailable):
        away.catch_up()

    assert torn.has_failed
    assert [line["match"] for line in logs] == ["mat_a"]
    assert not away.has_failed


def test_nothing_is_left_out_before_what_fails() -> None:
    """However much has come since it was read."""
    world = World()
    world.open_match("mat_a", talk=10)
    tail = world.match_tail("mat_a")
    tail.catch_up()
    world.talk("mat_a", KEPT_FRAMES + 10)
    world.spoil("mat_a")

    with capture_logs():
        tail.catch_up()

    last = tail.number
    assert tail.has_failed
    assert last == 3 + 10 + KEPT_FRAMES + 10
    assert numbers(tail, 12) == list(range(13, last + 1))


@pytest.mark.parametrize("kind", ["match", "feed"])
def test_a_page_ends_by_its_bytes_and_leaves_nothing_out(kind: str) -> None:
    """It is written whole, also for who reads nothing."""
    world = World()
    world.open_match("mat_a", talk=PAGE + KEPT_FRAMES)
    world.feed.number()
    tail = world.feed_tail() if kind == "feed" else world.match_tail("mat_a")
    tail.catch_up()
    more = LONGEST_FRAME * (PLACES if kind == "feed" else 1)

    page = tail.read(0, LINES)

    assert len(told(page.data)) == page.number < PAGE
    assert PAGE_BYTES <= len(page.data) < PAGE_BYTES + more
    assert numbers(tail, 0) == list(range(1, tail.number + 1))


def test_a_page_of_an_analysis_ends_by_its_bytes_too() -> None:
    tail = AnalysisTail(Thoughts(PAGE), "ana_a")
    tail.catch_up()

    page = tail.read(0, LINES)

    assert PAGE_BYTES <= len(page.data) < PAGE_BYTES + LONGEST_FRAME
    assert numbers(tail, 0) == list(range(1, PAGE + 1))
