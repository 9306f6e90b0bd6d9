"""The hub and its readers: nobody is held up, or forgotten, because of another."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from structlog.testing import capture_logs

from services.eventlog import LogDamaged, LogUnavailable, Streams
from services.languages import Message
from services.match import OfferDraw
from services.stream import hub as hubs
from services.stream.follower import Follower
from services.stream.hub import Hub
from services.stream.reader import FeedReader, Reader
from services.stream.tails import KEPT_FRAMES, MatchTail
from tests.stream.inside import LINES, World, follower, met, told_to
from tests.support.patience import WITHIN_S


class HeldUp(MatchTail):
    """A tail whose first reader is held up, as where all threads are busy."""

    def __init__(self, streams: Streams, match_id: str) -> None:
        super().__init__(streams, match_id)
        self.is_held = False
        self.may_read = threading.Event()

    def catch_up(self) -> int:
        if not self.is_held:
            self.is_held = True
            self.may_read.wait(WITHIN_S)
        return super().catch_up()


class Failing(MatchTail):
    """A tail that cannot be brought up to date."""

    def __init__(self, error: Exception) -> None:
        super().__init__(World().log, "mat_failing")
        self._error = error

    def catch_up(self) -> int:
        raise self._error


def yes(_: str) -> bool:
    return True


def test_who_joins_takes_no_news_from_who_has_just_joined() -> None:
    """What is read for the second is told to the first: no reader finds it new."""

    async def join(world: World, tail: HeldUp) -> list[list[int]]:
        with ThreadPoolExecutor(2) as threads:
            hub = Hub(threads, yes, 15, 100)
            hub.matches["mat_a"] = tail
            reader = FeedReader(
                world.log,
                lambda: hub.matches,
                lambda keys: hub.spread(hub.matches, keys),
            )
            first, second = (follower(tail, number=3) for _ in range(2))
            for one in (first, second):
                hub.join(one)
            opening = asyncio.create_task(hub.open(second, b""))
            await met(lambda: tail.is_held)
            await hub.open(first, b"")
            world.matches.handle("mat_a", OfferDraw(seat="south"), by="seat")
            tail.may_read.set()
            await opening
            reader.read_once(0)
            return [[line["version"] for line in told_to(f)] for f in (first, second)]

    world = World()
    world.open_match("mat_a")

    assert asyncio.run(join(world, HeldUp(world.log, "mat_a"))) == [[4], [4]]


def test_who_reads_what_is_old_hears_that_a_match_has_vanished() -> None:
    """There is nothing older to be read either, nor anything to wait for."""
    asked: list[Follower] = []

    async def read(world: World, tail: MatchTail) -> list[dict[str, Any]]:
        reader = follower(tail, number=0)
        reader.start(b"", asked.append)
        world.vanish("mat_a")
        tail.catch_up()
        reader.take_in(tail.read(0, LINES))
        return told_to(reader)

    world = World()
    world.open_match("mat_a", talk=KEPT_FRAMES + 10)
    tail = world.match_tail("mat_a")
    tail.catch_up()

    [last] = asyncio.run(read(world, tail))

    assert last["type"] == "gone"
    assert len(asked) == 1


def test_a_tail_that_fails_holds_up_no_other() -> None:
    """Nor does one that cannot be read now; of that one it is told afterwards."""
    world = World()
    world.open_match("mat_a")
    spread: list[list[str]] = []
    reader = Reader(dict, spread.append)
    away = Failing(LogUnavailable(Message("Redis did not answer")))
    tails = [
        ("mat_away", away),
        ("mat_odd", Failing(TypeError())),
        ("mat_a", world.match_tail("mat_a")),
    ]

    with capture_logs() as logs, pytest.raises(LogUnavailable):
        reader.catch_up(tails)

    assert spread == [["mat_a"]]
    assert [line["followed"] for line in logs] == ["mat_odd"]


def test_a_key_that_cannot_be_checked_ends_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others are checked all the same; while the log is away, a key is believed."""
    monkeypatch.setattr(hubs, "KEYS_EVERY_S", 0.01)
    damaged = LogDamaged(Message("state and events disagree"))
    away = LogUnavailable(Message("Redis did not answer"))
    found: dict[str, bool | Exception] = {
        "good": True,
        "odd": damaged,
        "away": away,
        "revoked": False,
    }

    def is_valid(token: str) -> bool:
        valid = found[token]
        if isinstance(valid, Exception):
            raise valid
        return valid

    async def check() -> set[str]:
        with ThreadPoolExecutor(1) as threads:
            hub = Hub(threads, is_valid, 15, 100)
            tail = World().match_tail("mat_a")
            followers = [follower(tail, 0, token) for token in found]
            for one in followers:
                hub.join(one)
            checking = asyncio.create_task(hub.check_keys())
            revoked = followers[-1]
            await met(lambda: revoked.is_ended)
            checking.cancel()
            return {one.token for one in followers if one.is_ended}

    with capture_logs() as logs:
        assert asyncio.run(check()) == {"odd", "revoked"}
    assert {line["event"] for line in logs} == {"a key cannot be checked"}
