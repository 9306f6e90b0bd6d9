"""What each event tells: the hash up to it, and the match before and after it."""

import threading
from collections import OrderedDict
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass

import structlog

from rules_core import Position
from services.eventlog import EventLog, StoredEvent, chain, genesis
from services.match.events import MovePlayed, from_log
from services.match.match import Match, evolve

CACHED_FOLDS = 1024

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ReplayedEvent:
    """An event and the hash up to it; the match after it, and a move with its board.

    Where the rules were not asked, or could not answer, there is no match.
    """

    event: StoredEvent
    hash: str
    match: Match | None = None
    before: Position | None = None
    move: str = ""


class Fold:
    """A match and its hash chain, event by event."""

    def __init__(self, match_id: str) -> None:
        """Begin before the first event."""
        self.match = Match(match_id)
        self.hash = genesis(match_id)

    def add(self, event: StoredEvent) -> ReplayedEvent:
        """Take in the next event.

        :raises UnknownEvent, DigestMismatch, RulesError: log and rules disagree.
        """
        fact = from_log(event)
        before = self.match.position
        self.match = evolve(self.match, fact, event.at_ms)
        self.hash = chain(self.hash, event.text)
        move = fact.move if isinstance(fact, MovePlayed) else ""
        return ReplayedEvent(event, self.hash, self.match, before, move)

    def link(self, event: StoredEvent) -> ReplayedEvent:
        """Take in the next event without asking the rules."""
        self.hash = chain(self.hash, event.text)
        return ReplayedEvent(event, self.hash)


class Folds:
    """Replays events of many matches, and remembers how far it has come with each.

    So an event that follows those told before costs one step, not a replay.
    """

    def __init__(self, event_log: EventLog, limit: int = CACHED_FOLDS) -> None:
        """Read matches from a log; remember so many of them."""
        self._log = event_log
        self._limit = limit
        self._known: OrderedDict[str, Fold] = OrderedDict()
        self._lock = threading.Lock()

    def replay(
        self, match_id: str, versions: Collection[int]
    ) -> dict[int, ReplayedEvent]:
        """Return some events of a match as they were; it is read and replayed once.

        From the first event on that cannot be replayed, the hash alone is told.
        """
        fold = self._begin(match_id, min(versions))
        first, last = fold.match.version, max(versions)
        told, is_followed = {}, True
        for event in self._log.read(match_id, first, last - first):
            if is_followed:
                try:
                    replayed = fold.add(event)
                except Exception:  # whatever it is: others must hear of their matches
                    at = {"match": match_id, "version": event.version}
                    log.exception("event cannot be replayed", **at)
                    is_followed = False
            if not is_followed:
                replayed = fold.link(event)
            if event.version in versions:
                told[event.version] = replayed
        if is_followed:
            self._remember(fold)
        return told

    def steps_to(self, match_id: str, version: int) -> int:
        """Return how many events have to be replayed to tell one."""
        return version - self._begin(match_id, version).match.version

    def _begin(self, match_id: str, version: int) -> Fold:
        """Return a fold that has not come to a version yet."""
        with self._lock:
            known = self._known.get(match_id)
            if known is None or known.match.version >= version:
                return Fold(match_id)
            return copy(known)

    def _remember(self, fold: Fold) -> None:
        match = fold.match
        with self._lock:
            known = self._known.get(match.id)
            if known is None or known.match.version < match.version:
                self._known[match.id] = fold
            self._known.move_to_end(match.id)
            if len(self._known) > self._limit:
                self._known.popitem(last=False)
