"""Finds the place where an export is not what was signed.

Each event is signed by itself, so a line tells which event it truly is, wherever it
stands: what was changed, doubled, swapped, left out or forged can be named.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.audit.effort import THOROUGH, Effort
from services.audit.findings import HEAD, HEADER, Finding
from services.audit.format import (
    Header,
    HeadLine,
    Malformed,
    decode_line,
    guess_version,
    read_event_line,
    read_head_line,
    read_header,
)
from services.audit.lines import LineChecker, listed
from services.audit.public_keys import PublicKey
from services.audit.statements import event_statement
from services.eventlog.event import StoredEvent

REPLACED = "\N{REPLACEMENT CHARACTER}"
HEADER_BEGINS, EVENT_BEGINS, HEAD_BEGINS = '{"chain":', '{"event":', '{"head":'
CUT = "the file ends here; it was cut off"
LOOKED_AT = 8


@dataclass(slots=True)
class Located:
    """What could be read of a file, and everything that is wrong with it.

    ``events`` are those from the first one on that stand in order and can be read.
    ``has_more``: the effort was spent before everything was looked at.
    """

    header: Header | None = None
    head: HeadLine | None = None
    match: str | None = None
    findings: list[Finding] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    events: list[StoredEvent] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    has_more: bool = False


def locate(
    data: bytes, keys: Mapping[str, PublicKey] | None, effort: Effort = THOROUGH
) -> Located:
    """Return what is wrong with a file that is not as it was signed."""
    return _Search(data, keys, effort).run()


class _Search:
    """One search through one file."""

    def __init__(
        self, data: bytes, keys: Mapping[str, PublicKey] | None, effort: Effort
    ) -> None:
        self.data = data
        self.keys = keys
        self.effort = effort
        self.located = Located()
        self.key: PublicKey | None = None
        self.head_holds = False
        self.is_foreign = False

    def run(self) -> Located:
        texts = self._read_lines()
        end = max(texts)
        has_end = texts[end] == ""
        # Where only the last line feed is cut off, that line is not whole, either.
        if not texts[end].startswith(HEAD_BEGINS) and texts[end].endswith("}"):
            texts[end] += REPLACED
        if has_end:
            del texts[end]
        body = self._take_ends(texts, end - has_end)
        is_trusted = self._find_key()
        self._check_head(has_end)
        if not is_trusted and not self.effort.strangers:
            self.located.has_more = True
            return self.located
        self._find_match(body)
        self._check_lines(body)
        self._check_whole()
        return self.located

    def _find_match(self, body: Sequence[tuple[int, str]]) -> None:
        """Choose the match that the events are of; say which end names another."""
        located, head, header = self.located, self.located.head, self.located.header
        says = head.statement.match if head else None
        if header is None or says is None or header.match == says:
            located.match = header.match if header else says
            return
        signed = {name: self._signs(name, body) for name in (header.match, says)}
        if self.head_holds and not signed[header.match]:
            located.match = says
            self._say(HEADER, "form", f"names another match than {says}")
            return
        located.match = header.match
        if self.head_holds:  # it is genuine, but stood in another file
            self.is_foreign = True
            self._say(HEAD, "order", f"is that of another match, {says}")

    def _signs(self, match_id: str, body: Sequence[tuple[int, str]]) -> bool:
        """Tell whether one of the first lines is signed as an event of a match."""
        for place, (_, text) in enumerate(body[:LOOKED_AT], start=1):
            try:
                line = read_event_line(text)
            except Malformed:
                continue
            version = guess_version(line.text) or place
            statement = event_statement(match_id, version, line.hash)
            if self.key is not None and self.key.verify(statement, line.signature):
                return True
        return False

    def _say(self, place: str, check: str, reason: str) -> None:
        finding = Finding(place=place, check=check, reason=reason)
        self.located.findings.append(finding)

    def _read_lines(self) -> dict[int, str]:
        """Return the lines by number: all of them, or the first ones and the head."""
        data, first = self.data, self.effort.lines
        count = data.count(b"\n") + 1
        if count <= first + 2:
            return dict(enumerate(map(decode_line, data.split(b"\n")), start=1))
        self.located.has_more = True  # and of what is not looked at, nothing is made
        raw = data.split(b"\n", first)[:first] + data.rsplit(b"\n", 2)[-2:]
        numbers = [*range(1, first + 1), count - 1, count]
        return dict(zip(numbers, map(decode_line, raw), strict=True))

    # -- header and head

    def _take_ends(self, body: dict[int, str], end: int) -> list[tuple[int, str]]:
        """Read header and head, wherever they stand; return the lines between."""
        first = self._take(HEADER, HEADER_BEGINS, 1, body)
        last = self._take(HEAD, HEAD_BEGINS, end, body)
        try:
            self.located.header = read_header(first) if first is not None else None
        except Malformed as error:
            self._say(HEADER, "form", str(error))
        try:
            self.located.head = read_head_line(last) if last is not None else None
        except Malformed as error:
            self._say(HEAD, "form", str(error))
        return sorted(body.items())

    def _take(
        self, what: str, beginning: str, due: int, body: dict[int, str]
    ) -> str | None:
        """Take header or head out of the lines, wherever it is; say if it is astray."""
        numbers = [n for n, text in body.items() if text.startswith(beginning)]
        if not numbers:
            return self._take_unknown(what, due, body)
        if len(numbers) > 1:
            self._say(what, "order", f"comes twice, in lines {listed(numbers)}")
        number = due if due in numbers else numbers[0]
        text = body[number]
        for other in numbers:
            del body[other]
        there = body.get(due)
        if there is None or there in [t for n, t in body.items() if n != due]:
            return text  # the line that stands there belongs elsewhere, too
        if what == HEAD and not there.startswith(EVENT_BEGINS):
            self._say(what, "form", "is followed by lines that belong nowhere")
            for after in [n for n in body if n > number]:
                del body[after]
            return text
        self._say(what, "order", f"stands in line {number}, not {due}")
        body[number] = body.pop(due)
        return text

    def _take_unknown(self, what: str, due: int, body: dict[int, str]) -> str | None:
        """Take the line that stands where header or head does, but is neither."""
        text = body.get(due, EVENT_BEGINS)
        begins = (
            due not in body
            or text.startswith(EVENT_BEGINS)
            or (what == HEAD and len(text) > 2 and EVENT_BEGINS.startswith(text))
        )
        if begins and (what == HEAD or due not in body or _is_event(text)):
            ending = f"is missing; {CUT}" if what == HEAD else "is missing"
            self._say(what, "order", ending)
            return None
        del body[due]
        if what == HEAD:
            for number in sorted(body, reverse=True):
                if body[number].startswith(EVENT_BEGINS):
                    break
                del body[number]
        return text

    def _find_key(self) -> bool:
        """Choose the key to check with: one that was given, or that of the file.

        Returns whether it is trusted, as far as somebody says which key is.
        """
        header, head = self.located.header, self.located.head
        name = head.statement.key if head else header.key.id if header else None
        own = header.key if header else None
        if self.keys is None:
            if own is not None and own.id == name:
                self.key = own
        elif name is not None and name in self.keys:
            self.key = self.keys[name]
        elif own is not None and own.id in self.keys:
            self.key = self.keys[own.id]
        elif name is not None:
            self._say(HEAD, "key", f"is signed by {name}, which is no key you trust")
            self.key = own if own is not None and own.id == name else None
        return self.keys is None or (self.key is not None and self.key.id in self.keys)

    def _check_head(self, has_end: bool) -> None:
        head, header = self.located.head, self.located.header
        if head is None:
            return
        if not has_end:
            self._say(HEAD, "form", "does not end with a line feed")
        if self.key is None:
            if header is not None and head.statement.key != header.key.id:
                self._say(HEAD, "key", f"names another key than {header.key.id}")
            return
        statement = head.text.encode()
        self.head_holds = self.key.verify(statement, head.signature)
        if not self.head_holds:
            self._say(HEAD, "signature", "its signature does not hold")
        elif not self.key.is_valid_at(head.statement.at):
            self._say(HEAD, "key", f"{self.key.id} did not sign at {head.statement.at}")

    def _check_whole(self) -> None:
        """Where each part holds by itself, compare the whole with what was signed."""
        located, head = self.located, self.located.head
        if head is None or located.findings or located.header is None:
            return
        end = self.data.rfind(b"\n", 0, len(self.data) - 1) + 1
        digest = hashlib.sha256(memoryview(self.data)[:end]).hexdigest()
        said, at = head.statement, located.header.exported_at
        if located.has_more:
            held = f"its first {len(located.events)} events do hold"
            self._say(HEAD, "signature", f"does not cover this file; {held}")
        elif located.hashes and said.hash != located.hashes[-1]:
            self._say(HEAD, "chain", "its hash is not that of the last event")
        elif digest != said.file and said.at != at:
            other = "header or head is that of another export"
            reason = f"says {at}, but the head was signed at {said.at}: {other}"
            self._say(HEADER, "signature", reason)
        elif digest != said.file:
            self._say(HEADER, "signature", "is not the one that was signed")
        elif said.at != at:
            self._say(HEADER, "time", "it was exported at another time than signed")
        elif not located.header.key.is_valid_at(said.at):
            self._say(HEADER, "key", f"the key did not sign at {said.at}")
        else:
            self._say(HEAD, "signature", "does not cover this file")

    # -- the lines between

    def _check_lines(self, body: Sequence[tuple[int, str]]) -> None:
        located = self.located
        holds = located.head and self.head_holds and not self.is_foreign
        signed = located.head.statement if located.head and holds else None
        # It can be of the same match, but of another export: an earlier one.
        at = located.header.exported_at if located.header else None
        is_own = at is None or not signed or at == signed.at
        checker = LineChecker(
            located.match, self.key, self.effort.checks, is_head_own=is_own
        )
        located.findings += checker.check(body, signed, is_whole=not located.has_more)
        if checker.is_head_older and signed:
            said = f"is an earlier one: it counts {signed.events} events"
            self._say(HEAD, "order", f"{said}, but more of them are signed here")
        located.events, located.hashes = checker.events, checker.hashes
        located.has_more = located.has_more or checker.has_more
        located.lines = [text for _, text in body]


def _is_event(text: str) -> bool:
    try:
        read_event_line(text)
    except Malformed:
        return False
    return True
