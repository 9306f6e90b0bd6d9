"""The feed of each tenant: the events of all of its matches, numbered one by one.

It holds references; events are read from their matches. A number is never given twice:
a generation that was rebuilt begins higher than any before, because the order among
matches is this view's own and cannot be found again. Whoever follows then hears
everything once more, rather than missing something; match and version tell an event.
So numbers are told when the replicas hold them that have to hold an event: those of a
master that died with them would be given again by the one that follows.

What is old is trimmed, from the front; archived matches are not numbered again by a
rebuild. Events stay in their matches. Who comes back with a number from before what was
trimmed is told so (`FeedTrimmed`), since the feed cannot say what there was in between;
who begins, with 0, begins with what there is.

Keys, beside those of every view::

    <generation>:feed:<tenant>   stream, id <number>-0, m match, v version
    <generation>:versions        the last version of each match that was numbered
    <generation>:numbers         the last number of each tenant; outlives a deletion
    <generation>:trimmed         the last number of each tenant that was trimmed
    bell                         a stream that grows with every change
    fence                        written to, to ask replicas how far they are
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import structlog

from services.cache import Cache
from services.eventlog import LogUnavailable, Streams
from services.eventlog.library import TIMEOUT_S, read_held
from services.languages import Explained, Message
from services.names import redis_key
from services.views.generations import STEP, View
from services.views.lease import Lease
from services.views.versions import Reached, VersionFolder

SCRIPT = STEP + files("services.views").joinpath("tenant_feed.lua").read_text("utf-8")
TRIM = files("services.views").joinpath("trim_feed.lua").read_text("utf-8")
NUMBERS_OF_A_GENERATION = 10**12
TRIMMED_AT_ONCE = 500
HELD_FEEDS = 4096
"""Of so many feeds a process remembers what replicas hold."""

log = structlog.get_logger()


class FeedTrimmed(Explained):
    """Entries after that number are gone; *oldest* is the number to go on after."""

    def __init__(self, after: int, oldest: int) -> None:
        """Keep both."""
        super().__init__(
            Message(
                "entries up to {oldest} were trimmed, some of them after {after}: read "
                "the matches themselves (GET /v1/matches), and go on after {oldest}",
                oldest=oldest,
                after=after,
            )
        )
        self.after = after
        self.oldest = oldest


class NoSuchEntry(Explained):
    """The feed ends before that number; *newest* is its last one."""

    def __init__(self, after: int, newest: int) -> None:
        """Keep both."""
        super().__init__(
            Message(
                "the feed ends at {newest}, and {after} was never told here: begin "
                "again, with 0, or go on after {newest}",
                newest=newest,
                after=after,
            )
        )
        self.after = after
        self.newest = newest


@dataclass(frozen=True, slots=True)
class Place:
    """An event in the feed of its tenant, by its number."""

    number: int
    match_id: str
    version: int


class TenantFeed(View):
    """Reads and writes the view called *name*."""

    name = "tenant-feed"

    def __init__(
        self, redis_url: str, generation: str | None = None, *, replicas: int = 0
    ) -> None:
        """Keep the view beside the event log; without *generation* the present one.

        *replicas* is how many of them hold a number before it is told.
        """
        super().__init__(redis_url, generation)
        self._replicas = replicas
        self._held: Cache[str, int] = Cache(HELD_FEEDS)
        self._number = self._redis.register_script(SCRIPT)
        self._trim = self._redis.register_script(TRIM)

    # -- reading

    def page(self, tenant: str, after: int, limit: int) -> list[Place]:
        """Return the places after a number, in order.

        :raises LogUnavailable: too few replicas hold them.
        """
        since = f"{after + 1}-0"

        def read(redis: Any, prefix: str) -> Any:
            return redis.xrange(_feed(prefix, tenant), since, count=limit)

        def last_in(entries: Any) -> int:
            return _number(entries[-1][0])

        return [
            Place(_number(number), entry["m"], int(entry["v"]))
            for number, entry in self._told(tenant, read, last_in)
        ]

    def newest(self, tenant: str) -> int:
        """Return the last number of a feed, to follow it from; 0 if it has none.

        :raises LogUnavailable: too few replicas hold it.
        """
        return self._number_of("numbers", tenant)

    def check_place(self, tenant: str, after: int) -> None:
        """Do nothing if a feed can be read after a number; 0 is the first there is.

        :raises FeedTrimmed: some entries after it were trimmed.
        :raises NoSuchEntry: it is beyond the end.
        """
        if not after:
            return
        if after < (oldest := self.trimmed(tenant)):
            raise FeedTrimmed(after, oldest)
        if after > self.last_numbers([tenant])[0]:
            raise NoSuchEntry(after, self.newest(tenant))

    def trimmed(self, tenant: str) -> int:
        """Return the last number that was trimmed from a feed; 0 if none was."""
        return self._number_of("trimmed", tenant)

    def last_numbers(self, tenants: Sequence[str]) -> list[int]:
        """Return the last number of each tenant's feed; 0 before the first event.

        Replicas may lack it yet: it says whether there is something to read.
        """
        if not tenants:
            return []
        numbers = self._read(
            lambda prefix: self._redis.hmget(f"{prefix}:numbers", [*tenants])
        )
        return [int(number or 0) for number in numbers]

    def _number_of(self, name: str, tenant: str) -> int:
        def read(redis: Any, prefix: str) -> Any:
            return redis.hget(f"{prefix}:{name}", tenant)

        return int(self._told(tenant, read, int) or 0)

    def _told(
        self,
        tenant: str,
        read: Callable[[Any, str], Any],
        last_in: Callable[[Any], int],
    ) -> Any:
        """Return what is read of a feed, when replicas hold its last number.

        What they are known to hold is told without them, and so is nothing.
        """

        def ask(prefix: str) -> Any:
            found, feed = read(self._redis, prefix), _feed(prefix, tenant)
            held = self._held.get(feed) or 0
            if not self._replicas or not found or last_in(found) <= held:
                return found
            key = self._key("fence")
            found = read_held(
                self._redis, key, self._replicas, lambda redis: read(redis, prefix)
            )
            if found:
                self._held.put(feed, max(last_in(found), held))
            return found

        return self._read(ask)

    def wait(self, seen: str, wait_s: float) -> str:
        """Wait until something is new after *seen*; return what to wait after next.

        That is *seen* again if nothing comes in time, or within a second. Begin with ""
        to learn it without waiting.
        """
        bell = self._key("bell")
        if not seen:
            newest = self._redis.xrevrange(bell, count=1)
            return newest[0][0] if newest else "0-0"
        block_ms = int(min(wait_s, TIMEOUT_S / 2) * 1000)  # or the client gives up
        rung = self._redis.xread({bell: seen}, count=1, block=block_ms)
        for _, entries in rung:
            seen = entries[-1][0]
        return seen

    def count(self) -> int:
        """Return the number of matches that are told of."""
        return int(self._redis.hlen(f"{self._prefix()}:versions"))

    def trim(self, is_old: Callable[[str, int], bool]) -> int:
        """Remove what is old from the front of every feed; return how many entries.

        *is_old* tells it of an event, by match and version; it is asked for the latest
        event of a match among some, since within a match all before that are older. A
        full log can be trimmed too.
        """
        present = self.present()
        tenants = self._redis.hkeys(f"{present._prefix()}:numbers")
        return sum(present._trim_tenant(tenant, is_old) for tenant in tenants)

    def _trim_tenant(self, tenant: str, is_old: Callable[[str, int], bool]) -> int:
        removed = 0
        while places := self.page(tenant, 0, TRIMMED_AT_ONCE):
            old = _old_ones(places, is_old)
            if old:
                last = old[-1].number
                keys = (_feed(self._prefix(), tenant), f"{self._prefix()}:trimmed")
                arguments = (tenant, last, f"{last + 1}-0")
                removed += self._trim(keys, arguments)
            if len(old) < len(places):
                break
        return removed

    # -- writing: the projector alone

    def folder(self, streams: Streams) -> VersionFolder:
        """Return what folds the feed for this view; it needs no rules."""
        return VersionFolder(streams)

    def write(
        self,
        changes: Iterable[Reached],
        cursors: Mapping[int, str],
        seen: Mapping[int, str] | None = None,
    ) -> None:
        """Give events up to the versions reached their numbers, each event one."""
        prefix = self._prefix()
        reached = list(changes)
        tenants = list(dict.fromkeys(change.tenant for change in reached))
        names = ("versions", "cursors", "numbers", "trimmed")
        keys = [f"{prefix}:{name}" for name in names]
        keys += [self._key("bell"), f"{prefix}:building"]
        keys += [_feed(prefix, tenant) for tenant in tenants]
        step = self._step(cursors, seen)
        arguments: list[int | str] = [*step.arguments, self._base()]
        for change in reached:
            place = tenants.index(change.tenant) + 1
            arguments += [place, change.tenant, change.match_id, change.version]
        while self._number(keys, arguments) < 0:
            if self._is_taken(self._redis, step):
                break
        self._mark = step.next_mark

    def delete(self) -> None:
        """Remove this generation, but for the numbers: none is given again."""
        self._remove(self.generation())

    def discard(self, generation: str) -> int:
        """Remove all keys of a generation that is over; return how many there were."""
        return self._remove(generation, "trimmed", "numbers")

    def _remove(self, generation: str, *last: str) -> int:
        prefix = self._key(generation)
        first, last_keys = (
            [f"{prefix}:{name}" for name in names]
            for names in (("cursors", "building", "versions"), last)
        )
        tenants = self._redis.hscan, f"{prefix}:numbers"
        return self._erase(tenants, f"{prefix}:feed:", first, last_keys)

    def take_over(self, lease: Lease) -> None:
        """Become the present generation, and let everybody look who follows.

        :raises LeaseLost: this generation may have been removed in part.
        """
        super().take_over(lease)
        try:
            self._redis.xadd(self._key("bell"), {"n": 0}, maxlen=1, approximate=False)
        except LogUnavailable as error:  # it is the present one; the next event rings
            log.warning("the bell was not rung", view=self.name, reason=str(error))

    def _base(self) -> int:
        """Return the number before the first one of this generation."""
        made = self.generation().partition(".")[2]
        return int(made or 0) * NUMBERS_OF_A_GENERATION


def _old_ones(
    places: Sequence[Place], is_old: Callable[[str, int], bool]
) -> Sequence[Place]:
    """Return the places before the first one whose match has something young."""
    latest = {place.match_id: place.version for place in places}
    known: set[str] = set()
    for count, place in enumerate(places):
        name = place.match_id
        if name not in known and not is_old(name, latest[name]):
            return places[:count]
        known.add(name)
    return places


def _number(entry_id: str) -> int:
    return int(entry_id.partition("-")[0])


def _feed(prefix: str, tenant: str) -> str:
    return redis_key(f"{prefix}:feed", tenant)
