"""The only door to a match: load it, or hand it a command."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from rules_core import RulesError
from services import logs, traces
from services.cache import Cache
from services.eventlog import (
    Appended,
    Head,
    IdempotencyKey,
    KeyReused,
    State,
    StoredEvent,
    SureStreams,
    VersionConflict,
    genesis,
    with_versions,
)
from services.match import events as facts
from services.match import snapshot
from services.match.commands import Abandon, CallTime, Command, OpenMatch, PlayMove
from services.match.decide import decide
from services.match.events import MatchEvent, UnknownEvent, to_log
from services.match.match import DigestMismatch, Match, evolve
from services.match.notes import SERVER, author_of, note_of
from services.match.refusals import (
    AlreadyOpen,
    KnownMatch,
    NoSuchMatch,
    NoSuchVersion,
    NotAllowed,
    PositionChanged,
    Quarantined,
    Refused,
)
from services.match.replay import replay
from services.metrics.figures import APPENDS, EVENTS, QUARANTINES

CACHED_MATCHES = 4096
MAX_EVENTS = 10_000
STREAM_PREFIX = "mat_"
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Handled:
    """What a command came to: the match before and after it, and its events.

    ``replayed``: an earlier request with the same idempotency key did it, and the match
    is shown as that request left it.
    """

    before: Match
    match: Match
    events: Sequence[StoredEvent]
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    """A match as this process last saw it; the append itself finds out if it is old."""

    match: Match
    head: Head


class MatchService:
    """Reads matches from an event log and records what commands cause."""

    def __init__(
        self,
        streams: SureStreams,
        now_ms: Callable[[], int],
        max_events: int = MAX_EVENTS,
    ) -> None:
        """Use a log and a clock; a match that has *max_events* events is ended."""
        self._log = streams
        self._now_ms = now_ms
        self._max_events = max_events
        self._cache: Cache[str, _Known] = Cache(
            CACHED_MATCHES, events=lambda known: known.match.version
        )

    # -- reading

    def load(self, match_id: str) -> Match:
        """Return the match as it is now.

        :raises NoSuchMatch: there is none of that id.
        :raises Quarantined: log and rules disagree about it.
        """
        return self._load(match_id).match

    def load_at(self, match_id: str, version: int) -> Match:
        """Return the match as it was at a version.

        :raises NoSuchVersion: it has not reached that version.
        """
        latest = self.load(match_id)
        if version == latest.version:
            return latest
        if not 1 <= version < latest.version:
            raise NoSuchVersion(version, latest.version)
        return self.replay(match_id, self._log.read(match_id, 0, version))

    def events(
        self, match_id: str, after: int = 0, limit: int | None = None
    ) -> list[StoredEvent]:
        """Return the events of a match after a version."""
        return self._log.read(match_id, after, limit)

    def head(self, match_id: str) -> Head:
        """Return how far the log has come with a match, and the hash up to there.

        :raises NoSuchMatch: there is none of that id.
        """
        state = self._log.load(match_id)
        if state is None:
            raise NoSuchMatch(match_id)
        return state.head

    # -- writing

    def handle(
        self,
        match_id: str,
        command: Command,
        *,
        by: str,
        allow: Callable[[Match], None] = lambda _: None,
        expected_version: int | None = None,
        key: IdempotencyKey | None = None,
    ) -> Handled:
        """Carry out a command: all of its events are recorded, or none.

        *allow* may refuse whoever asks, in view of the match that is decided upon.
        With an *expected_version*, a move is refused if the position has changed since.
        With a *key*, the same request twice is carried out once.

        :raises Refused: the match does not allow it (see `refusals`).
        :raises RulesError: the rules do not allow it.
        :raises KeyReused: the key came before with another request.
        :raises LogUnavailable: nothing is known to be recorded; try again.
        """
        known = self._cache.get(match_id) or self._fresh(match_id, command)
        while True:
            at_ms = self._time(known.match)
            if _has_run_out(known.match, at_ms):
                known, _ = self._call_time(known)
                continue
            try:
                if known.match.version:
                    allow(known.match)
                events = self._decide(known.match, command, at_ms, expected_version)
            except (Refused, RulesError) as refusal:
                earlier = self._find_earlier(match_id, key, refusal)
                if earlier is not None:
                    return self._replayed(match_id, earlier)
                if isinstance(refusal, NoSuchVersion):
                    # A master that was replaced, and has not heard of it, may not know
                    # of what the other has: it has no replicas, and tells nobody so.
                    self._log.await_replicas(match_id)
                newer = self._fresh(match_id, command)
                if newer.head.version == known.head.version:
                    raise
                known = newer  # the refusal came from an old copy: decide again
                continue
            try:
                return self._append(known, known.match, (), events, by, at_ms, key)
            except VersionConflict as conflict:
                known = self._take_in(match_id, conflict.actual)

    def check(
        self,
        match_id: str,
        command: Command,
        *,
        allow: Callable[[Match], None] = lambda _: None,
        key: IdempotencyKey | None = None,
    ) -> bool:
        """Refuse what `handle` would refuse, and record nothing.

        What stands beside the log and belongs to a command is written between the two.
        Return whether an earlier request with the same *key* has done it.

        :raises Refused, RulesError, KeyReused: as `handle` does.
        """
        if self.was_done(match_id, key):
            return True
        known = self._fresh(match_id, command)
        try:
            if known.match.version:
                allow(known.match)
            self._decide(known.match, command, self._time(known.match), None)
        except AlreadyOpen:  # by a request long ago, or at this moment
            return False
        except (Refused, RulesError) as refusal:
            if self._find_earlier(match_id, key, refusal) is None:
                raise
            return True  # the same request, at this moment
        return False

    def was_done(self, match_id: str, key: IdempotencyKey | None) -> bool:
        """Tell whether an earlier request with this key has done what it asked for.

        :raises KeyReused: the key came before with another request.
        """
        return key is not None and self._log.find_key(match_id, key) is not None

    def call_time(self, match_id: str) -> bool:
        """Record that a time has run out, if one has; tell whether this call did so.

        It is recorded at the millisecond at which it ran out, whenever that is noticed.

        :raises Refused: there is no such match, or log and rules disagree about it.
        :raises LogUnavailable: nothing is known to be recorded; try again.
        """
        known = self._cache.get(match_id)
        if known is None or not _has_run_out(known.match, self._time(known.match)):
            known = self._load(match_id)
        while _has_run_out(known.match, self._time(known.match)):
            known, is_ours = self._call_time(known)
            if is_ours:
                return True
        return False

    def _call_time(self, known: _Known) -> tuple[_Known, bool]:
        """Record that a time has run out, unless the match has gone on meanwhile.

        Return it as it is now, and whether this call has ended it.
        """
        match, due = known.match, known.match.due
        assert due is not None, "a time has run out"  # noqa: S101
        events = decide(match, CallTime(), due.at_ms)
        try:
            self._append(known, match, (), events, SERVER, due.at_ms, None)
        except VersionConflict as conflict:
            return self._take_in(match.id, conflict.actual), False
        return self._cache.get(match.id) or self._load(match.id), True

    def _time(self, match: Match) -> int:
        """Return what time it is: it never runs backwards within a match.

        Whatever the clocks of servers do.
        """
        return max(self._now_ms(), match.updated_at_ms)

    def take_over(
        self,
        match: Match,
        events: Sequence[StoredEvent],
        imported: facts.Imported,
        *,
        by: str,
        key: IdempotencyKey | None = None,
    ) -> Handled:
        """Record verified events of another log verbatim, and that they were imported.

        *match* is what the events tell. The id and the hash chain stay as they are.

        :raises KnownMatch: the match is in this log already.
        :raises KeyReused: the key came before with another request.
        """
        nothing = _Known(Match(match.id), Head(0, genesis(match.id)))
        if key and (earlier := self._log.find_key(match.id, key)):
            return self._replayed(match.id, earlier)
        self.check_unknown(match.id, imported.tenant, key)
        try:
            at_ms = self._time(match)
            return self._append(nothing, match, events, [imported], by, at_ms, key)
        except VersionConflict as conflict:
            known = conflict.actual
            is_own = known is not None and known.tenant == imported.tenant
            raise KnownMatch(match.id, is_own=is_own) from conflict

    def check_unknown(
        self, match_id: str, tenant: str, key: IdempotencyKey | None = None
    ) -> None:
        """Refuse to take over what is here already, but not by a request with this key.

        :raises KnownMatch: it is.
        """
        known = self._log.load(match_id)
        if known is None or (key and self._log.find_key(match_id, key)):
            return
        raise KnownMatch(match_id, is_own=known.tenant == tenant)

    def _decide(
        self,
        match: Match,
        command: Command,
        at_ms: int,
        expected_version: int | None,
    ) -> list[MatchEvent]:
        if isinstance(command, OpenMatch):
            if match.version:
                raise AlreadyOpen(match.id, decide(Match(match.id), command))
        elif not match.version:
            raise NoSuchMatch(match.id)
        elif isinstance(command, PlayMove) and expected_version is not None:
            _check_expected(match, expected_version)
        return decide(match, command, at_ms)

    def _append(
        self,
        known: _Known,
        before: Match,
        first: Sequence[StoredEvent],
        events: Sequence[MatchEvent],
        by: str,
        at_ms: int,
        key: IdempotencyKey | None,
    ) -> Handled:
        """Record events that happen at a time, after *first* ones, which stay."""
        said = [(event, author_of(before, event, by)) for event in events]
        match = before
        for event in events:
            match = evolve(match, event, at_ms)
        if match.version >= self._max_events and not match.is_over:
            for event in decide(match, Abandon(reason="too-long"), at_ms):
                said.append((event, SERVER))
                match = evolve(match, event, at_ms)
        stored = with_versions(
            (to_log(event, author) for event, author in said), before.version, at_ms
        )
        recorded = [*first, *stored]
        try:
            appended = self._write(match, known.head, recorded, key)
        except Exception as error:
            is_conflict = isinstance(error, VersionConflict)
            APPENDS.add("conflict" if is_conflict else "failed")
            raise
        if appended.head is None:
            APPENDS.add("replayed")
            return self._replayed(match.id, appended)
        _note_recorded(match, stored)
        self._cache.put(match.id, _Known(match, appended.head))
        return Handled(before, match, stored)

    def _write(
        self,
        match: Match,
        head: Head,
        recorded: Sequence[StoredEvent],
        key: IdempotencyKey | None,
    ) -> Appended:
        """Append to the log what a match has come to; in a span, if one is wanted."""
        note = note_of(match)
        if traces.active is None:
            return self._log.append(match.id, head, recorded, note, key)
        with traces.active.append(match.id, [event.version for event in recorded]):
            return self._log.append(match.id, head, recorded, note, key)

    def _find_earlier(
        self, match_id: str, key: IdempotencyKey | None, refusal: Exception
    ) -> Appended | None:
        """Return what the same request recorded before, however long ago it opened."""
        if key is None or isinstance(refusal, NotAllowed):
            return None
        earlier = self._log.find_key(match_id, key)
        if earlier is None and isinstance(refusal, AlreadyOpen):
            wanted = [to_log(event, "") for event in refusal.events]
            recorded = self._log.read(match_id, 0, len(wanted))
            if not recorded:  # it has vanished, and is opened again
                return None
            said = [(event.type, event.data) for event in recorded]
            if said != [(event.type, event.data) for event in wanted]:
                raise KeyReused(key.key)
            return Appended(1, len(wanted), replayed=True)
        return earlier

    def _replayed(self, match_id: str, appended: Appended) -> Handled:
        """Answer as the first request was answered."""
        before = (
            self.load_at(match_id, appended.first - 1)
            if appended.first > 1
            else Match(match_id)
        )
        events = self._log.read(
            match_id, appended.first - 1, appended.last - appended.first + 1
        )
        match = self.load_at(match_id, appended.last)
        return Handled(before, match, events, replayed=True)

    # -- the copies this process keeps

    def _fresh(self, match_id: str, command: Command) -> _Known:
        if isinstance(command, OpenMatch):
            state = self._log.load(match_id)
            if state is None:
                return _Known(Match(match_id), Head(0, genesis(match_id)))
            return self._take_in(match_id, state)
        return self._load(match_id)

    def _load(self, match_id: str) -> _Known:
        if not match_id.startswith(STREAM_PREFIX):
            raise NoSuchMatch(match_id)
        return self._take_in(match_id, self._log.load(match_id))

    def _take_in(self, match_id: str, state: State | None) -> _Known:
        """Read a state, unless this process knows the match at that version already."""
        if state is None:
            raise NoSuchMatch(match_id)
        known = self._cache.get(match_id)
        if known is not None and known.head == state.head:
            return known
        try:
            match = snapshot.from_text(
                match_id, state.head.version, state.tenant, state.snapshot
            )
        except snapshot.Unreadable as unreadable:
            if state.snapshot:  # an archived match has none
                log.info("snapshot replaced by replay", reason=str(unreadable))
            match = self.replay(match_id, self._log.read(match_id))
        return self._cache.put(match_id, _Known(match, state.head))

    def replay(self, match_id: str, events: Sequence[StoredEvent]) -> Match:
        """Return the match that events tell of, by the rules, from the first one.

        :raises Quarantined: log and rules disagree about it.
        """
        try:
            return replay(Match(match_id), events)
        except (DigestMismatch, UnknownEvent, RulesError) as error:
            log.error("match quarantined", match=match_id, reason=str(error))  # noqa: TRY400
            QUARANTINES.add()
            raise Quarantined(match_id, str(error)) from error


def _note_recorded(match: Match, stored: Sequence[StoredEvent]) -> None:
    """Count what was recorded, and tell of it where that is wanted."""
    APPENDS.add("recorded")
    for event in stored:
        EVENTS.add(event.type)
    if logs.has_access_log():
        types = ",".join(event.type for event in stored)
        log.info("recorded", match=match.id, version=match.version, events=types)


def _has_run_out(match: Match, at_ms: int) -> bool:
    due = match.due
    return due is not None and at_ms >= due.at_ms


def _check_expected(match: Match, expected_version: int) -> None:
    """Refuse a move that was thought out on another position."""
    if expected_version > match.version:
        raise NoSuchVersion(expected_version, match.version)
    if expected_version < match.position_version:
        raise PositionChanged(expected_version, match.version, match.position_version)
