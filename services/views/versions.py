"""How far matches have come: what the feed of a tenant is told of each."""

from collections.abc import Iterable
from dataclasses import dataclass

from services.eventlog import FeedEntry, State, Streams
from services.views.folding import reading

GONE = -1


@dataclass(frozen=True, slots=True)
class Reached:
    """The version that a match has reached; 0 if it is over and not told any more.

    `GONE` if there is no such match any more: what was told of it is trimmed like all.
    """

    match_id: str
    tenant: str
    version: int


class VersionFolder:
    """Takes from the feed how far matches have come; reads no event."""

    def __init__(self, streams: Streams) -> None:
        """Ask a log for whole streams."""
        self._log = streams

    def fold(self, entries: Iterable[FeedEntry]) -> list[Reached]:
        """Return the versions of entries, those of an earlier time first."""
        ordered = sorted(entries, key=lambda entry: int(entry.cursor.split("-")[0]))
        return [
            Reached(e.stream, e.tenant, GONE if e.has_vanished else e.last)
            for e in ordered
        ]

    def whole(self, stream: str) -> Reached | None:
        """Return the version of a stream as it is now.

        :raises PoisonEvent: it cannot be read.
        """
        state = self._load(stream)
        if state is None:
            return None
        return Reached(stream, state.tenant, state.head.version)

    def whole_archived(self, stream: str) -> Reached | None:
        """Return only that there is such a stream: it is old, and not told again."""
        state = self._load(stream)
        return None if state is None else Reached(stream, state.tenant, 0)

    def _load(self, stream: str) -> State | None:
        with reading(stream):
            return self._log.load(stream)
