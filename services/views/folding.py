"""Folds matches with the rules, and remembers those that go on."""

from collections.abc import Iterable

from rules_core import RulesError
from services.cache import Cache
from services.eventlog import FeedEntry, Streams
from services.match import DigestMismatch, Match, UnknownEvent, replay

CACHED_MATCHES = 4096


class PoisonEvent(Exception):
    """An event that this program cannot fold; the view stops until it can."""


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

    def fold(self, entries: Iterable[FeedEntry]) -> list[Match]:
        """Return the matches of entries as they are now.

        :raises PoisonEvent: log and rules disagree about one.
        """
        latest: dict[str, Match] = {}
        for entry in entries:
            match = latest.get(entry.stream) or self._known.get(entry.stream)
            if match is None or match.version < entry.last:
                match = self.whole(entry.stream)
            latest[entry.stream] = match
        return list(latest.values())

    def whole_archived(self, stream: str) -> Match:
        """Return a match that was archived: this view shows it like any other."""
        return self.whole(stream)

    def whole(self, stream: str) -> Match:
        """Return a match; events that are folded already are not read again."""
        match = self._known.get(stream) or Match(stream)
        try:
            match = replay(match, self._log.read(stream, match.version))
        except (UnknownEvent, DigestMismatch, RulesError) as error:
            raise PoisonEvent(f"{stream}: {error}") from error
        return self._known.put(stream, match)
