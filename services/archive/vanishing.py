"""Vanishing: the matches of sandboxes are removed, with all that belongs to them.

What stands beside the log goes first, then the stream, and in the same step the feed
tells all who follow it. Killed in between, what is left is found again the next time.
"""

from collections.abc import Callable, Sequence

import structlog

from services.eventlog import StoredEvent, Streams
from services.match.events import Imported, SeatTaken
from services.names import is_sandbox

Forget = Callable[[str, Sequence[str]], None]
"""Removes what is kept beside the log of a match and the players in it."""

log = structlog.get_logger()


class Vanishing:
    """Removes matches of sandboxes, and of nobody else, so long after they began."""

    def __init__(
        self, streams: Streams, now_ms: Callable[[], int], life_ms: int, forget: Forget
    ) -> None:
        """Remove from a log; *forget* removes what is beside it."""
        self._log = streams
        self._now_ms = now_ms
        self._life_ms = life_ms
        self._forget = forget

    def look_at(self, match_id: str, tenant: str, began_ms: int) -> bool:
        """Remove a match if it is a sandbox's, and old enough; tell whether it is one.

        An imported one is as old as its import.
        """
        if not is_sandbox(tenant):
            return False
        if self._now_ms() - began_ms >= self._life_ms:
            events = self._log.read(match_id)
            if self._now_ms() - _began_ms(events) >= self._life_ms:
                self._remove(match_id, tenant, events)
        return True

    def _remove(
        self, match_id: str, tenant: str, events: Sequence[StoredEvent]
    ) -> None:
        seated = [event.data for event in events if event.type == SeatTaken.type]
        players = [data["player"] for data in seated if data.get("player")]
        self._forget(match_id, players)
        if self._log.vanish(match_id, tenant):
            log.info("match of a sandbox removed", match=match_id)


def _began_ms(events: Sequence[StoredEvent]) -> int:
    began = [e.at_ms for e in events[:1]]
    return max(began + [e.at_ms for e in events if e.type == Imported.type], default=0)
