"""Parts of a stream process in this one: a log, tails of it, and what they tell."""

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

from services.eventlog import MemoryEventLog, NewEvent, Note, with_versions
from services.match import Folds, Match, MatchService, OfferDraw, OpenMatch
from services.match.commands import Answer
from services.stream.follower import Follower
from services.stream.frames import FORMS
from services.stream.tails import FeedTail, MatchTail, Tail
from services.views import Place, TenantFeed
from tests.stream.streams import HUMAN, NDJSON
from tests.support.patience import WITHIN_S

TENANT = "ten_a"
LINES = FORMS[NDJSON]


class World:
    """A log with matches of one tenant that talk, and the feed of them."""

    def __init__(self) -> None:
        clock = itertools.count(1_000)
        self.log = MemoryEventLog()
        self.matches = MatchService(self.log, lambda: next(clock))
        self.feed = Feed(self.log)

    def open_match(self, name: str, talk: int = 0) -> Match:
        """Open a match, which has three events then, and more if it talks."""
        opening = OpenMatch(
            game="kalah", tenant=TENANT, seats={"south": HUMAN, "north": HUMAN}
        )
        self.matches.handle(name, opening, by="key:k")
        self.talk(name, talk)
        return self.matches.load(name)

    def talk(self, name: str, count: int) -> None:
        """Add so many events to a match."""
        for _ in range(count // 2):
            self.matches.handle(name, OfferDraw(seat="south"), by="seat")
            answer = Answer(seat="north", kind="draw", accept=False)
            self.matches.handle(name, answer, by="seat")

    def spoil(self, name: str) -> None:
        """Record what nobody foresaw: no rule says no to it, it is none of a seat."""
        state = self.log.load(name)
        assert state is not None
        data = {"seat": ["south"], "kind": "human", "player": "ply_a"}
        taken = NewEvent("match.seat_taken", "seat", data)
        events = with_versions([taken], state.head.version, 2_000_000)
        note = Note(state.snapshot, state.tenant)
        self.log.append(name, state.head, events, note)

    def vanish(self, name: str) -> None:
        assert self.log.vanish(name, TENANT)

    def match_tail(self, name: str) -> MatchTail:
        return MatchTail(self.log, name)

    def feed_tail(self) -> FeedTail:
        return FeedTail(self.feed, Folds(self.log), TENANT)


class Feed(TenantFeed):
    """The feed of the tenant, which a test numbers itself."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log
        self._cursors: dict[int, str] = {}
        self._places: list[Place] = []
        self.trimmed_to = 0

    def number(self) -> None:
        """Give all that is new its numbers, as a projector does."""
        for entry in self._log.follow(self._cursors):
            self._cursors[entry.partition] = entry.cursor
            for version in range(entry.first, entry.last + 1):
                place = Place(len(self._places) + 1, entry.stream, version)
                self._places.append(place)

    def page(self, tenant: str, after: int, limit: int) -> list[Place]:
        return self._places[after : after + limit]

    def trimmed(self, tenant: str) -> int:
        return self.trimmed_to

    def last_numbers(self, tenants: Any) -> list[int]:
        return [len(self._places)]

    def of(self, *names: str) -> list[int]:
        """Return the numbers that matches have."""
        return [place.number for place in self._places if place.match_id in names]


class Written(asyncio.Transport):
    """A transport that keeps what is written to it."""

    data = b""

    def get_extra_info(self, name: str, default: Any = None) -> "Written":
        return self

    def fileno(self) -> int:
        return -1

    def write(self, data: Any) -> None:
        self.data += data

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        """Have nothing to close."""

    def abort(self) -> None:
        """Have nothing to close."""


def follower(tail: Tail, number: int, token: str = "") -> Follower:
    """Return who follows after a number; what they were told is in their transport."""
    return Follower(Written(), tail, LINES, number, token)


def told_to(one: Follower) -> list[dict[str, Any]]:
    """Return what a follower was told."""
    assert isinstance(one.transport, Written)
    return told(one.transport.data)


def told(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def numbers(tail: Tail, after: int) -> list[int]:
    """Return the numbers of what is told after one, until nothing more comes."""
    name, found = "seq" if tail.kind == "feed" else "version", []
    while after < tail.number:
        chunk = tail.recent(after, LINES) or tail.read(after, LINES)
        found += [line[name] for line in told(chunk.data)]
        assert chunk.number > after, f"nothing leads on after {after}"
        after = chunk.number
    return found


async def met(condition: Callable[[], object]) -> None:
    """Wait in a loop until something is so."""

    async def wait() -> None:
        while not condition():
            await asyncio.sleep(0.002)

    await asyncio.wait_for(wait(), WITHIN_S)
