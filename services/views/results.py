"""How a match went between two players who are known in other matches too.

Nothing is asked of the rules: who won stands in the log.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from services.eventlog import FeedEntry, StoredEvent, Streams
from services.match import Seated, from_log
from services.match import events as facts
from services.match.clock import clock_class
from services.match.commands import SERVER_REASONS
from services.match.notes import NOBODY
from services.names import is_sandbox
from services.views.folding import reading

LEAST_PLIES = 2


class Pool(NamedTuple):
    """Those whose games are rated together: an app's, by game and clock class."""

    tenant: str
    game: str
    clock_class: str


class Result(NamedTuple):
    """How a match ended: *score* is 1, 0.5 or 0, of the first of two players.

    Players are identities, in the order of their seats' names: ``usr_...`` or ``ai:3``.
    """

    match_id: str
    pool: Pool
    at_ms: int
    players: tuple[str, str]
    score: float
    is_rated: bool


def result_of(match_id: str, events: Sequence[StoredEvent]) -> Result | None:
    """Return how a match went, by all of its events; None if that says nothing.

    So it is while it goes on, if it was called off, ended by the server or imported,
    if one of those who played is not known, or both are the same, if it was over when
    it was opened (a fork may be), and in a sandbox, whose matches vanish.

    :raises UnknownEvent: an event is not known here.
    """
    seats: dict[str, Seated] = {}
    opened: facts.MatchOpened | None = None
    ended: facts.MatchEnded | None = None
    at_ms, plies, is_changed = 0, 0, False
    for event in events:
        if event.type == facts.MovePlayed.type:
            plies += 1
            continue
        match fact := from_log(event):
            case facts.MatchOpened():
                opened = fact
            case facts.SeatTaken():
                seats[fact.seat] = Seated(fact.kind, fact.player, fact.level)
            case facts.TakebackAccepted():
                is_changed = True
            case facts.Imported():
                return None
            case facts.MatchEnded():
                ended, at_ms = fact, event.at_ms
    if opened is None or ended is None or ended.reason in SERVER_REASONS:
        return None
    if is_sandbox(opened.tenant) or (opened.position and not plies):
        return None
    first, second = sorted(seats)  # nobody moves, or gives up, before both are taken
    players = seats[first].identity, seats[second].identity
    if not all(players) or players[0] == players[1]:
        return None
    pool = Pool(opened.tenant, opened.game, clock_class(opened.clock))
    score = {first: 1.0, second: 0.0}.get(ended.winner or "", 0.5)
    is_rated = opened.rated and not opened.position and not is_changed
    # An AI takes a draw by the score on the board: it can be had for nothing.
    has_ai = any(seated.kind == "ai" for seated in seats.values())
    is_given = has_ai and ended.reason == "agreement"
    is_rated = is_rated and plies >= LEAST_PLIES and not is_given
    return Result(match_id, pool, at_ms, players, score, is_rated)


class ResultFolder:
    """Reads those of the matches that are over."""

    def __init__(self, streams: Streams) -> None:
        """Read matches from a log."""
        self._log = streams

    def fold(self, entries: Iterable[FeedEntry]) -> list[Result]:
        """Return the results of the matches that entries have ended."""
        over = {e.stream for e in entries if e.awaits == NOBODY}
        results = map(self.whole, sorted(over))
        return [result for result in results if result]

    def whole(self, stream: str) -> Result | None:
        """Return the result of a match, if it says anything.

        :raises PoisonEvent: one of its events is not known here, or it cannot be read.
        """
        with reading(stream):
            return result_of(stream, self._log.read(stream))

    def whole_archived(self, stream: str) -> Result | None:
        """Return the result of a match that was archived: it counts as before."""
        return self.whole(stream)
