"""Folds matches with the rules, and remembers those that go on."""

from collections.abc import Iterable
from dataclasses import dataclass

from rules_core import RulesError
from services.cache import Cache
from services.eventlog import FeedEntry, Streams
from services.match import DigestMismatch, Match, UnknownEvent, replay

CACHED_MATCHES = 4096


class PoisonEvent(Exception):
    """An event that this program cannot fold; the view stops until it can."""


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

        :raises PoisonEvent: log and rules disagree about one.
        """
        latest: dict[str, Match] = {}
        gone: dict[str, Vanished] = {}
        for entry in entries:
            if entry.has_vanished:
                self._known.put(entry.stream, Match(entry.stream))
                latest.pop(entry.stream, None)
                gone[entry.stream] = Vanished(entry.stream)
                continue
            match = latest.get(entry.stream) or self._known.get(entry.stream)
            if match is None or match.version < entry.last:
                match = self.whole(entry.stream)
            if match is not None:
                latest[entry.stream] = match
        return [*gone.values(), *latest.values()]

    def whole_archived(self, stream: str) -> Match | None:
        """Return a match that was archived: this view shows it like any other."""
        return self.whole(stream)

    def whole(self, stream: str) -> Match | None:
        """Return a match; events that are folded already are not read again.

        None: it has vanished since.
        """
        match = self._known.get(stream) or Match(stream)
        try:
            match = replay(match, self._log.read(stream, match.version))
        except (UnknownEvent, DigestMismatch, RulesError) as error:
            raise PoisonEvent(f"{stream}: {error}") from error
        self._known.put(stream, match)
        return match if match.version else None
