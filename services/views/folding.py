"""Folds matches with the rules, and remembers those that go on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rules_core import RulesError
from services.cache import Cache
from services.eventlog import (
    UNREADABLE,
    FeedEntry,
    LogDamaged,
    StoredEvent,
    Streams,
)
from services.match import DigestMismatch, Match, UnknownEvent, replay

CACHED_MATCHES = 4096


class PoisonEvent(Exception):
    """An event that this program cannot fold; the view stops until it can."""


@contextmanager
def reading(match_id: str) -> Iterator[None]:
    """Read and fold one match in this block.

    A log that is away is none of its faults, and is told as it is.

    :raises PoisonEvent: that cannot be done, whatever the reason; says of which match.
    """
    try:
        yield
    except (LogDamaged, UnknownEvent, DigestMismatch, RulesError) as error:
        raise PoisonEvent(f"{match_id}: {error}") from error
    except UNREADABLE as error:  # these say little without their names
        raise PoisonEvent(f"{match_id}: {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True)
class Vanished:
    """A match that was removed from the log, and is to be removed from a view."""

    match_id: str


class MatchFolder:
    """Replays events rather than reading snapshots.

    A log that no longer agrees with the rules is noticed here, loudly, before a player
    notices.
    """

    def __init__(self, streams: Streams) -> None:
        """Read matches from a log."""
        self._log = streams
        self._known: Cache[str, Match] = Cache(
            CACHED_MATCHES, events=lambda match: match.version
        )

    def fold(self, entries: Iterable[FeedEntry]) -> list[Match | Vanished]:
        """Return the matches of entries as they are now, those that are no more first.

        :raises PoisonEvent: log and rules disagree about one, or it cannot be read.
        """
        gone: dict[str, Vanished] = {}
        reached: dict[str, int] = {}
        for entry in entries:
            if entry.has_vanished:
                self._known.put(entry.stream, Match(entry.stream))
                gone[entry.stream] = Vanished(entry.stream)
            else:
                reached[entry.stream] = entry.last
        matches = {stream: self._so_far(stream) for stream in reached}
        behind = {
            stream: match.version
            for stream, match in matches.items()
            if match.version < reached[stream]
        }
        for stream, events in self._read_each(behind).items():
            matches[stream] = self._play_on(matches[stream], events)
        return [*gone.values(), *(m for m in matches.values() if m.version)]

    def whole_archived(self, stream: str) -> Match | None:
        """Return a match that was archived: this view shows it like any other."""
        return self.whole(stream)

    def whole(self, stream: str) -> Match | None:
        """Return a match; events that are folded already are not read again.

        None: it has vanished since.

        :raises PoisonEvent: log and rules disagree about it, or it cannot be read.
        """
        match = self._so_far(stream)
        match = self._play_on(match, self._read(stream, match.version))
        return match if match.version else None

    def _so_far(self, stream: str) -> Match:
        return self._known.get(stream) or Match(stream)

    def _read_each(self, after: Mapping[str, int]) -> dict[str, list[StoredEvent]]:
        """Read all at once; if that fails one by one, to say which it is."""
        try:
            return self._log.read_each(after)
        except UNREADABLE:
            return {stream: self._read(stream, last) for stream, last in after.items()}

    def _read(self, stream: str, after: int) -> list[StoredEvent]:
        with reading(stream):
            return self._log.read(stream, after)

    def _play_on(self, match: Match, events: Sequence[StoredEvent]) -> Match:
        with reading(match.id):
            return self._known.put(match.id, replay(match, events))
