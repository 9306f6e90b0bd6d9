"""Waits for the replies of AIs, for moves that ask for them, by following the feed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from services.api.waiting import Waiting
from services.eventlog import Feed, FeedEntry, LogUnavailable
from services.http.wire.later import Wake
from services.match import Folds, Handled, Match, MatchService, ReplayedEvent
from services.match.notes import AI, SERVER

REPLIES = "seedlog.replies"
MOST_WAITING = 1000
LOOK_S = 0.25

log = structlog.get_logger()


@dataclass(frozen=True, eq=False, slots=True)
class Waiter:
    """A move that waits for the reply to it, for so long."""

    match_id: str
    version: int
    until: float
    wake: Wake

    @property
    def topic(self) -> str:
        """Return the match."""
        return self.match_id


class Replies(Waiting[Waiter]):
    """The moves of this process that wait for a reply, so many at the most."""

    def __init__(
        self, feed: Feed, matches: MatchService, folds: Folds, most: int = MOST_WAITING
    ) -> None:
        """Follow a feed; nothing is read before somebody waits."""
        super().__init__("replies", most)
        self._feed = feed
        self._matches = matches
        self._folds = folds

    def find(self, handled: Handled) -> Sequence[ReplayedEvent] | None:
        """Return what followed a move until no AI was to move; None if one still is.

        It follows from the log alone: whoever asks later is told the same.
        """
        match = handled.match
        if match.ai_to_move is None:
            return ()
        try:
            latest = self._matches.load(match.id).version
            versions = range(match.version + 1, latest + 1)
            told = self._folds.replay(match.id, versions) if versions else {}
        except LogUnavailable as error:  # the move is on record, and is answered
            log.warning("a reply cannot be read", match=match.id, reason=str(error))
            return None
        followed: list[ReplayedEvent] = []
        for version in versions:
            replayed = told[version]
            if replayed.match is None:  # log and rules disagree: the log tells no more
                return None
            if _has_replied(followed) and not _belong_together(followed[-1], replayed):
                break
            followed.append(replayed)
        return followed if _has_replied(followed) else None

    def wait(self, match: Match, within_s: float, wake: Wake) -> bool:
        """Wake somebody with True once no AI is to move, or else with False in time.

        An AI is to move in *match*, as it is after the move. False: as many wait as
        may; nobody is woken.
        """
        match_id = match.id
        waiter = Waiter(match_id, match.version, time.monotonic() + within_s, wake)
        if not self._add(waiter):
            return False
        try:
            self._look(match_id)  # it may have replied before anybody waited
        except LogUnavailable:
            log.warning("a move waits for a reply, and the log is away", match=match_id)
        return True

    # -- the thread

    def _follow(self) -> None:
        """Follow the feed from now on, until nobody waits."""
        cursors = self._feed.feed_ends()
        for match_id in self._topics():
            self._look(match_id)
        while self._topics():
            for entry in self._feed.follow(cursors, wait_s=LOOK_S):
                cursors[entry.partition] = entry.cursor
                self._take_in(entry)
            self._end_late()

    def _take_in(self, entry: FeedEntry) -> None:
        if entry.stream in self._waiting and entry.awaits != AI:
            self._wake_before(entry.stream, entry.last)

    def _look(self, match_id: str) -> None:
        """Wake whoever waits for a match in which no AI is to move any more.

        :raises LogUnavailable: it cannot be told.
        """
        match = self._matches.load(match_id)
        if match.ai_to_move is None:
            self._wake_before(match_id, match.version)

    def _wake_before(self, match_id: str, version: int) -> None:
        """Wake whose move came before a version: the feed may be behind a later one."""
        earlier = [w for w in self._those(match_id) if w.version < version]
        self._wake(earlier, is_there=True)


def _has_replied(followed: Sequence[ReplayedEvent]) -> bool:
    """Tell whether no AI is to move after these events."""
    last = followed[-1].match if followed else None
    return last is not None and last.ai_to_move is None


def _belong_together(one: ReplayedEvent, next_one: ReplayedEvent) -> bool:
    """Tell whether an event is what the server adds to the one before: the end, say.

    What is recorded together has one time.
    """
    of_server = next_one.event.by == SERVER
    return of_server and one.event.at_ms == next_one.event.at_ms
