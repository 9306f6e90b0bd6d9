"""The verdict over an export, or over the events of a log: form, order, chain, rules.

A file that is, to the byte, what the key signed needs no search: one signature and one
pass over the chain say so. Otherwise `locating` finds the place.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from services.audit.effort import THOROUGH, Effort
from services.audit.findings import HEAD, HEADER, Finding, Verdict, at_event, in_order
from services.audit.format import (
    Header,
    HeadLine,
    Malformed,
    read_event,
    read_event_line,
    read_head_line,
    read_header,
)
from services.audit.lines import BACKWARDS
from services.audit.public_keys import PublicKey
from services.audit.replay import RULES, Replay
from services.audit.search import Located, locate
from services.eventlog.event import Head, StoredEvent, chain, genesis
from services.match import Match
from services.match.plain_moves import MOVE_DATA, NO_MOVE, PlainMove

AT = slice(len('{"at":"'), len('{"at":"2026-11-21T10:00:00.000Z'))
"""Where the time stands in every canonical text."""

MOVE_LINE = re.compile(
    r'\{"event":(\{"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)",'
    rf'"by":"([A-Za-z0-9:_-]+)","data":{MOVE_DATA},'
    r'"type":"match\.move_played","version":([1-9][0-9]{0,8})\}),'
    r'"hash":"([^"]+)","signature":"[0-9a-f]{128}"\}',
    re.ASCII,
)

Keys = Mapping[str, PublicKey]
_Lines = tuple["_Events", Sequence[PlainMove], Sequence[str], str]


@dataclass(frozen=True, slots=True)
class Verified:
    """A verdict, and what was read on the way to it, as far as it is well."""

    verdict: Verdict
    header: Header | None
    events: Sequence[StoredEvent]
    match: Match | None


class _Events(Sequence[StoredEvent]):
    """The events of lines; each is made of its text only when somebody looks at it."""

    def __init__(self, texts: Sequence[str], known: dict[int, StoredEvent]) -> None:
        self._texts = texts
        self._known = known

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> StoredEvent: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[StoredEvent]: ...

    def __getitem__(self, index: int | slice) -> StoredEvent | Sequence[StoredEvent]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self._texts)))]
        event = self._known.get(index)
        if event is None:
            event = self._known[index] = read_event(self._texts[index])
        return event


@dataclass(frozen=True, slots=True)
class _File:
    """An export whose form, order, times and chain are right, all of it."""

    header: Header
    events: _Events
    plain: Sequence[PlainMove]
    hashes: Sequence[str]
    latest: str
    head: HeadLine
    digest: str


def verify(data: bytes, keys: Keys | None = None) -> Verdict:
    """Return what is wrong with an export, if anything.

    With *keys* the head must be signed by one of them; without, the key in the file is
    believed.
    """
    return verify_fully(data, keys).verdict


def verify_fully(
    data: bytes, keys: Keys | None = None, effort: Effort = THOROUGH
) -> Verified:
    """Verify an export as `verify` does, and return what was read as well.

    *effort* bounds the search in a file that is not as it was signed.
    """
    file = _read(data)
    if file is not None and _is_as_signed(file, keys):
        return _verify_rules(file, keys)
    located = locate(data, keys, effort)
    findings = in_order([*located.findings, *_rules_until(located, effort)])
    head = located.head.statement if located.head else None
    verdict = Verdict(
        match=located.match,
        events=len(located.lines),
        head=head.hash if head else None,
        key=head.key if head else None,
        is_key_pinned=keys is not None,
        findings=findings,
        has_more=located.has_more,
    )
    return Verified(verdict, located.header, located.events, None)


def audit_match(match_id: str, events: Sequence[StoredEvent], head: Head) -> Verdict:
    """Return what is wrong with the events of a log that should end in a head."""
    findings: list[Finding] = []
    hashes, previous, latest = [], genesis(match_id), 0
    for place, event in enumerate(events, start=1):
        previous = chain(previous, event.text)
        hashes.append(previous)
        if wrong := _form_of(event):
            findings.append(at_event(place, "form", wrong))
            continue
        if event.version != place:
            said = f"event {event.version} stands in its place"
            findings.append(at_event(place, "order", said))
        if event.at_ms < latest:
            findings.append(at_event(place, "time", BACKWARDS))
        latest = event.at_ms
    if not findings:
        refused = Replay(match_id, events).run(hashes)
        findings += [refused] if refused else []
    if len(events) != head.version:
        said = f"counts {head.version} events, but there are {len(events)}"
        findings.append(Finding(place=HEAD, check="order", reason=said))
    elif previous != head.hash:
        said = "the hash kept beside the events is not the one they have"
        findings.append(Finding(place=HEAD, check="chain", reason=said))
    return Verdict(
        match=match_id, events=len(events), head=previous, findings=in_order(findings)
    )


def _form_of(event: StoredEvent) -> str | None:
    """Return what is wrong with the text of an event of the log."""
    try:
        is_same = read_event(event.text) == event
    except Malformed as error:
        return str(error)
    return None if is_same else "it is not in the canonical form"


def _read(data: bytes) -> _File | None:
    """Read a file whose form, order, times and chain are right, or return None."""
    end = data.rfind(b"\n", 0, -1) + 1
    if not data.endswith(b"\n") or not end:
        return None
    view = memoryview(data)
    try:
        head = read_head_line(str(view[end:-1], "utf-8"))
        lines = _lines_of(str(view[:end], "utf-8"))
        header = read_header(next(lines))
        digest = hashlib.sha256(view[:end]).hexdigest()
        read = _read_lines(header.match, lines)
        return read and _File(header, *read, head, digest)
    except (Malformed, ValueError):
        return None


def _lines_of(text: str) -> Iterator[str]:
    """Yield lines as they are asked for: of nonsense, the first is one too many."""
    begin = 0
    while (end := text.find("\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1


def _read_lines(match_id: str, lines: Iterable[str]) -> _Lines | None:
    """Return events, plain moves, hashes and last time of lines that follow each other.

    :raises Malformed, ValueError: a line or a time is none.
    """
    texts: list[str] = []
    plain: list[PlainMove] = []
    hashes: list[str] = []
    known: dict[int, StoredEvent] = {}
    previous, latest = genesis(match_id), ""
    read_move, read_date = MOVE_LINE.fullmatch, datetime.fromisoformat
    for place, line in enumerate(lines, start=1):
        move_line = read_move(line)
        if move_line is not None:
            text, at, by, digest, move, seat, version, hash_ = move_line.groups()
            read_date(at)  # the pattern alone knows no calendar
            plain.append((by, digest, move, seat))
            is_due = version == str(place)
        else:
            parts = read_event_line(line)
            text, hash_ = parts.text, parts.hash
            event = known[place - 1] = read_event(text)
            at, is_due = text[AT], event.version == place
            plain.append(NO_MOVE)
        previous = chain(previous, text)
        if not is_due or previous != hash_ or at < latest:
            return None
        latest = at
        texts.append(text)
        hashes.append(hash_)
    return _Events(texts, known), plain, hashes, latest


def _is_as_signed(file: _File, keys: Keys | None) -> bool:
    """Tell whether the head is signed, and covers this file and this chain."""
    said, key = file.head.statement, file.header.key
    last = file.hashes[-1] if file.hashes else genesis(file.header.match)
    return (
        (said.match, said.events) == (file.header.match, len(file.events))
        and (said.hash, said.file) == (last, file.digest)
        and said.key == key.id
        and (keys is None or key.id in keys)
        and file.latest <= said.at == file.header.exported_at
        and key.is_valid_at(said.at)
        and (keys is None or keys[key.id].is_valid_at(said.at))
        and key.verify(file.head.text.encode(), file.head.signature)
    )


def _verify_rules(file: _File, keys: Keys | None) -> Verified:
    """Play a file anew that is as it was signed."""
    replay = Replay(file.header.match, file.events, file.plain)
    wrong = replay.run(file.hashes)
    findings = [wrong] if wrong else _check_header(file.header, replay.match)
    said = file.head.statement
    verdict = Verdict(
        match=said.match,
        events=said.events,
        head=said.hash,
        key=said.key,
        is_key_pinned=keys is not None,
        findings=findings,
    )
    return Verified(verdict, file.header, file.events, replay.match)


def _check_header(header: Header, match: Match) -> list[Finding]:
    """Compare what a header says with the match that was played."""
    if not match.version:
        reason = "the export has no event"
        return [Finding(place=HEADER, check="form", reason=reason)]
    reasons = []
    if header.rules != match.rules:
        reasons.append(f"the rules are {match.rules!r}, not {header.rules!r}")
    seated = {who.player for who in match.seats.values() if who and who.player}
    if set(header.players) != seated:
        reasons.append("it does not list the players who sit at the board")
    return [Finding(place=HEADER, check=RULES, reason=reason) for reason in reasons]


def _rules_until(located: Located, effort: Effort) -> list[Finding]:
    """Play the events before the first that is wrong: they may be wrong, too."""
    flagged = [f.version for f in located.findings if f.version is not None]
    events = located.events[: min(flagged, default=len(located.events) + 1) - 1]
    if located.match is None or not events:
        return []
    if len(events) > effort.events:
        located.has_more = True
        return []
    wrong = Replay(located.match, events).run(located.hashes)
    if wrong is None or wrong.version is None or wrong.version > len(events):
        return []  # an act whose end is missing: that was found already
    return [wrong]
