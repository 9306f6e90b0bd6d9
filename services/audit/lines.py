"""Checks the lines of the events, each by itself, and says which event each truly is.

A line carries the signature of its event, so it can be known wherever it stands; where
it cannot, its place tells which event it should be.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from services.audit.findings import Finding, at_event
from services.audit.format import (
    EventLine,
    Malformed,
    guess_version,
    read_event,
    read_event_line,
    read_time,
)
from services.audit.public_keys import PublicKey
from services.audit.statements import HeadStatement, event_statement
from services.eventlog.event import StoredEvent, chain, genesis

BACKWARDS = "its time is before that of the event before it"
BEYOND = "its time is after that of the head"
ENOUGH = 1_000
LISTED = 10
BEGINS = '{"event":'
NOT_SIGNED = "its signature does not hold"


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: of which event it is, or None and what is wrong with it."""

    number: int
    parts: EventLine | None
    version: int | None
    is_signed: bool = False
    wrong: str = ""


class LineChecker:
    """Checks the lines of one match against one key."""

    def __init__(
        self,
        match_id: str | None,
        key: PublicKey | None,
        checks: int,
        *,
        is_head_own: bool = True,
    ) -> None:
        """Take what is known, and how many signatures may be checked.

        Without a key a line is believed to be what it says. *is_head_own*: nothing
        tells that the head stood in another file than the header.
        """
        self._match_id = match_id
        self._key = key if match_id else None
        self._findings: list[Finding] = []
        self._said: Counter[str] = Counter()
        self._checks = checks
        self._until_ms: int | None = None
        self._is_head_own = is_head_own
        self.is_head_older = False
        self.has_more = False
        self.events: list[StoredEvent] = []
        self.hashes: list[str] = []

    def check(
        self,
        body: Sequence[tuple[int, str]],
        head: HeadStatement | None,
        *,
        is_whole: bool,
    ) -> list[Finding]:
        """Return what is wrong with numbered lines that should end in a head.

        Where not all lines are looked at, nothing is said of events beyond them.
        """
        lines: list[_Line] = []
        unreadable = 0
        self._until_ms = read_time(head.at) if head and self._is_head_own else None
        for place, (number, text) in enumerate(body, start=1):
            if self._checks <= 0:
                self.has_more = True
                break
            if not text.startswith(BEGINS):
                unreadable += 1
                if unreadable > ENOUGH:  # a file of nonsense: enough is said of it
                    continue
            lines.append(self._identify(place, number, text))
        is_whole = is_whole and not self.has_more
        ordered = self._in_order(self._without_doubles(lines))
        self._check_chain(self._fill_gaps(ordered, head if is_whole else None))
        last = len(body) if is_whole else len(lines)
        return [f for f in self._findings if is_whole or (f.version or 0) <= last]

    def _say(self, version: int, check: str, reason: str) -> None:
        """Keep a finding; of a file that is all wrong, enough of each kind."""
        self._said[check] += 1
        if self._said[check] <= ENOUGH:
            self._findings.append(at_event(version, check, reason))

    # -- which line is which event

    def _identify(self, place: int, number: int, text: str) -> _Line:
        try:
            parts = read_event_line(text)
        except Malformed as error:
            return _Line(number, None, None, wrong=str(error))
        said = guess_version(parts.text)
        if self._key is None:
            return _Line(number, parts, said, wrong="it says no version")
        for version in (said, place):
            if version is not None and self._is_signed(version, parts.hash, parts):
                return _Line(number, parts, version, is_signed=True)
        version = place if said == place else None
        return _Line(number, parts, version, wrong=NOT_SIGNED)

    def _is_signed(self, version: int, hash_: str, parts: EventLine) -> bool:
        """Tell whether a line carries the signature of an event with a hash."""
        if self._key is None or self._match_id is None or self._checks <= 0:
            return False
        self._checks -= 1
        statement = event_statement(self._match_id, version, hash_)
        return self._key.verify(statement, parts.signature)

    def _without_doubles(self, lines: list[_Line]) -> list[_Line]:
        """Leave one line of each event; the one that follows the event before it."""
        numbers: dict[int, list[int]] = {}
        kept: dict[int, _Line] = {}
        previous = 0
        for line in lines:
            version = line.version or 0
            numbers.setdefault(version, []).append(line.number)
            if version not in kept or previous == version - 1:
                kept[version] = line
            previous = version
        for version, places in numbers.items():
            if version and len(places) > 1:
                said = f"comes {len(places)} times, in lines {listed(places)}"
                self._say(version, "order", said)
        return [o for o in lines if o.version is None or o is kept[o.version]]

    def _in_order(self, lines: list[_Line]) -> list[_Line]:
        """Put the lines that are known in their order; say which stood elsewhere."""
        places = [place for place, line in enumerate(lines) if line.version]
        ordered = sorted((lines[p] for p in places), key=lambda o: o.version or 0)
        sorted_lines = list(lines)
        for place, line in zip(places, ordered, strict=True):
            there = lines[place]
            if there is not line and line.version:
                said = f"event {there.version} stands in its place, line {there.number}"
                self._say(line.version, "order", said)
            sorted_lines[place] = line
        return sorted_lines

    def _fill_gaps(self, lines: list[_Line], head: HeadStatement | None) -> list[_Line]:
        """Say which events are missing, or have a line that cannot be read."""
        due, unknown, known = 1, list[_Line](), list[_Line]()
        for line in lines:
            if line.version is None:
                unknown.append(line)
                continue
            self._account(due, line.version, unknown)
            due, unknown = line.version + 1, []
            known.append(line)
        end = due + len(unknown)
        self._account(due, head.events + 1 if head else end, unknown)
        beyond = [o for o in known if head and (o.version or 0) > head.events]
        if not self._is_head_own and all(line.is_signed for line in beyond):
            self.is_head_older = bool(beyond)
            return known
        for line in beyond:
            if head and line.version:
                said = f"is more than the {head.events} events that the head counts"
                self._say(line.version, "order", said)
        return known

    def _account(self, due: int, version: int, unknown: list[_Line]) -> None:
        """Account for the events from the one due to before the next that is known."""
        missing = iter(range(due, version))  # as many as somebody claims: never a list
        for line in unknown:
            event = next(missing, None)
            if event is not None:
                self._say(event, "form", line.wrong)
            else:
                said = f"line {line.number} does not belong there: {line.wrong}"
                self._say(version, "form", said)
        for event in islice(missing, ENOUGH):
            self._say(event, "order", "is missing")

    # -- what the lines say

    def _check_chain(self, lines: list[_Line]) -> None:
        """Check hashes and signatures, each with the hash that goes before it."""
        due, latest = 1, 0
        before = genesis(self._match_id) if self._match_id else None
        for line in lines:
            version, parts = line.version, line.parts
            assert version is not None and parts is not None  # noqa: PT018, S101
            if version != due:
                before = None
            hash_ = chain(before, parts.text) if before else parts.hash
            event = self._read(version, parts)
            if event is not None:
                self._check_links(line, parts, hash_)
                if event.at_ms < latest:
                    self._say(version, "time", BACKWARDS)
                latest = event.at_ms
                if self._until_ms is not None and event.at_ms > self._until_ms:
                    self._say(version, "time", BEYOND)
                if version == len(self.events) + 1:
                    self.events.append(event)
                    self.hashes.append(parts.hash)
            before = parts.hash if line.is_signed else hash_
            due = version + 1

    def _read(self, version: int, parts: EventLine) -> StoredEvent | None:
        try:
            event = read_event(parts.text)
        except Malformed as error:
            self._say(version, "form", str(error))
            return None
        if event.version != version:
            self._say(version, "form", f"it says that it is event {event.version}")
            return None
        return event

    def _check_links(self, line: _Line, parts: EventLine, hash_: str) -> None:
        """Say whether text, hash or signature of an event was changed."""
        version, fits = line.version or 0, hash_ == parts.hash
        if fits and not line.is_signed and self._key is not None:
            self._say(version, "signature", NOT_SIGNED)
        elif not fits and line.is_signed:
            self._say(version, "chain", "its text is not the one that was signed")
        elif not fits and self._is_signed(version, hash_, parts):
            self._say(version, "chain", "its hash was changed")
        elif not fits:
            self._say(version, "chain", "its hash is not that of its text")


def listed(numbers: Sequence[int]) -> str:
    """Return line numbers in words; of very many the first ones."""
    shown = [*map(str, numbers[:LISTED])]
    if len(numbers) > LISTED:
        shown.append(f"{len(numbers) - LISTED} more")
    return " and ".join(shown)
