"""The form of an export: a header, a line for each event, and the head, byte by byte.

Every line is the canonical text of what it says, so that no byte can be changed without
changing what is said::

    {"chain":"...","exported_at":"...","format":"seedlog-export",...}
    {"event":{...},"hash":"...","signature":"..."}
    {"head":{...},"signature":"..."}
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from services.audit.public_keys import PublicKey, UnreadableKeys, is_hexadecimal
from services.audit.statements import HEAD_OF_FILE, HeadStatement
from services.eventlog.event import EPOCH, StoredEvent, canonical_text, read_canonical
from services.match.plain_moves import MOVE

FORMAT, FORMAT_VERSION = "seedlog-export", 1
CHAIN = (
    "hash(v) = SHA-256 of hash(v-1) in lower-case hexadecimal digits followed by the "
    "text of event v in UTF-8, and hash(0) = SHA-256 of 'seedlog/1 ' and the match id"
)
SIGNATURES = (
    "Ed25519 over UTF-8: of an event "
    '{"hash":"...","kind":"event","match":"...","version":1}, of the head its text'
)

MATCH_ID = re.compile(r"mat_[A-Za-z0-9_-]{1,100}")
KEY_ID = re.compile(r"sig_[0-9a-f]{16}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
EVENT_LINE = re.compile(
    r'\{"event":(\{.*\}),"hash":"([0-9a-f]{64})","signature":"([0-9a-f]{128})"\}'
)
HEAD_LINE = re.compile(r'\{"head":(\{.*\}),"signature":"([0-9a-f]{128})"\}')
EVENT_TEXT = re.compile(
    r'\{"at":"([^"]{24})","by":"([A-Za-z0-9:_-]+)","data":(\{.*\}),'
    r'"type":"([a-z._]+)","version":([1-9][0-9]{0,8})\}',
    re.ASCII,
)
"""The text of an event; only in *data* may stand what JSON would have to escape."""

EVENT_MEMBERS = {"at": str, "by": str, "data": dict, "type": str, "version": int}
HEAD_MEMBERS = {
    "at": str,
    "events": int,
    "file": str,
    "hash": str,
    "key": str,
    "kind": str,
    "match": str,
}
MILLISECOND = timedelta(milliseconds=1)


class Malformed(Exception):
    """A line does not have the form it should have; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what the file is about, and the key that it is signed with."""

    match: str
    rules: str
    exported_at: str
    players: Mapping[str, Any]
    key: PublicKey


@dataclass(frozen=True, slots=True)
class EventLine:
    """A line of one event, its text verbatim."""

    text: str
    hash: str
    signature: str


@dataclass(frozen=True, slots=True)
class HeadLine:
    """The last line: the statement of the head, its text verbatim."""

    text: str
    statement: HeadStatement
    signature: str


def read_header(line: str) -> Header:
    """Return what a header says.

    :raises Malformed: saying what is wrong.
    """
    _check_utf8(line)
    given = _read_object(line)
    if given.get("format") != FORMAT or given.get("format_version") != FORMAT_VERSION:
        raise Malformed(f"this is not the header of {FORMAT} {FORMAT_VERSION}")
    _check_members(given, HEADER_MEMBERS)
    _check_player_names(given["players"])
    if not MATCH_ID.fullmatch(given["match"]):
        raise Malformed(f"{given['match']!r} is not the id of a match")
    read_time(given["exported_at"])
    try:
        key = PublicKey.from_json(given["key"])
        for time in filter(None, (key.valid_from, key.valid_until)):
            read_time(time)
    except UnreadableKeys as error:
        raise Malformed(str(error)) from error
    if (given["chain"], given["signatures"]) != (CHAIN, SIGNATURES):
        raise Malformed("it describes other hashes or signatures than this format has")
    return Header(
        given["match"], given["rules"], given["exported_at"], given["players"], key
    )


HEADER_MEMBERS = {
    "chain": str,
    "exported_at": str,
    "exporter": str,
    "format": str,
    "format_version": int,
    "key": dict,
    "match": str,
    "players": dict,
    "rules": str,
    "signatures": str,
}


def _check_player_names(players: Mapping[str, Any]) -> None:
    for who in players.values():
        if not isinstance(who, dict):
            raise Malformed("a player is a name and whether it was erased")
        _check_members(who, {"name": (str, type(None)), "name_erased": bool})
        if who["name_erased"] and who["name"] is not None:
            raise Malformed("a name that was erased is null")


def read_event_line(line: str) -> EventLine:
    """Return the parts of the line of an event.

    :raises Malformed: it is not such a line.
    """
    parts = EVENT_LINE.fullmatch(line)
    _check_utf8(line)
    if parts is None:
        raise Malformed("the line does not have the form of an event's line")
    return EventLine(*parts.groups())


def read_head_line(line: str) -> HeadLine:
    """Return the parts of the line of the head.

    :raises Malformed: saying what is wrong.
    """
    parts = HEAD_LINE.fullmatch(line)
    _check_utf8(line)
    if parts is None:
        raise Malformed("the line does not have the form of the head's line")
    text, signature = parts.groups()
    given = _read_object(text)
    _check_members(given, HEAD_MEMBERS)
    read_time(given["at"])
    hashes = is_hexadecimal(given["hash"], 32) and is_hexadecimal(given["file"], 32)
    if given.pop("kind") != HEAD_OF_FILE or not hashes:
        raise Malformed("it is not the statement of a head")
    if not KEY_ID.fullmatch(given["key"]) or not MATCH_ID.fullmatch(given["match"]):
        raise Malformed("match or key have no ids of that kind")
    return HeadLine(text, HeadStatement(**given), signature)


def read_event(text: str) -> StoredEvent:
    """Return the event of a canonical text.

    :raises Malformed: saying what is wrong.
    """
    parts = EVENT_TEXT.fullmatch(text)
    if parts is not None:  # nearly always: what is between needs no second look
        at, by, data, type_, version = parts.groups()
        if MOVE.fullmatch(data) or _is_object(data):
            return StoredEvent(int(version), type_, read_time(at), by, data)
    given = _read_object(text)
    _check_members(given, EVENT_MEMBERS)
    data = canonical_text(given["data"])
    at_ms = read_time(given["at"])
    return StoredEvent(given["version"], given["type"], at_ms, given["by"], data)


def read_time(text: str) -> int:
    """Return the milliseconds since 1970 of a time as the log writes it.

    :raises Malformed: it is not one.
    """
    try:
        if TIME.fullmatch(text):
            return (datetime.fromisoformat(text) - EPOCH) // MILLISECOND
    except ValueError:
        pass
    raise Malformed(f"{text!r} is not a time such as 2026-11-21T10:00:00.000Z")


def guess_version(text: str) -> int | None:
    """Return the version that a text seems to have, even if it cannot be read."""
    version = re.search(r'"version":(\d{1,9})\}$', text, re.ASCII)
    return int(version[1]) if version else None


def decode_line(line: bytes) -> str:
    """Return a line as text; bytes that are not UTF-8 stand in it as surrogates."""
    return line.decode(errors="surrogateescape")


def _check_utf8(line: str) -> None:
    try:
        line.encode()
    except UnicodeEncodeError as error:
        before = len(line[: error.start].encode())
        raise Malformed(f"byte {before + 1} of its line is not UTF-8") from error


def _read_object(text: str) -> dict[str, Any]:
    """Read a JSON object that is written as RFC 8785 has it."""
    try:
        given = read_canonical(text)
    except ValueError as error:
        raise Malformed(str(error)) from error
    if not isinstance(given, dict):
        raise Malformed("it is not a JSON object")
    return given


def _is_object(text: str) -> bool:
    """Tell whether a text is an object as RFC 8785 has it, and no more than that."""
    try:
        _read_object(text)
    except Malformed:
        return False
    return True


def _check_members(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    if given.keys() != wanted.keys():
        other = sorted(given.keys() ^ wanted.keys())
        raise Malformed(f"it lacks or should not have: {', '.join(other)}")
    for name, kind in wanted.items():
        is_right = isinstance(given[name], kind)
        if not is_right or (kind is int and isinstance(given[name], bool)):
            raise Malformed(f"{name} is of another kind than it should be")
