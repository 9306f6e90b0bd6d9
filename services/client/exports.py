"""Verifies that an export is as it was signed; services/audit/README.md has the form.

What is verified: the signature of the head, that it covers every byte of the file, and
the hash chain of all events. Whether each event was right by the rules of the game is
what `seedlog verify`, the audit of the API and the page to keep find out.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.client.problems import InvalidExport
from services.client.shapes import SigningKeys

_EVENT = re.compile(
    r'\{"event":(\{.*\}),"hash":"([0-9a-f]{64})","signature":"[0-9a-f]{128}"\}'
)
_HEAD = re.compile(r'\{"head":(\{.*\}),"signature":"([0-9a-f]{128})"\}')


@dataclass(frozen=True, slots=True)
class VerifiedExport:
    """An export that holds: what it is of, and whose word that is."""

    match: str
    events: tuple[dict[str, Any], ...]
    hash: str
    exported_at: str
    key: str
    is_key_trusted: bool


def verify_export(data: bytes, trusted: SigningKeys | None = None) -> VerifiedExport:
    """Return what an export holds, if it is as it was signed.

    *trusted* are the keys whose word counts, as `Seedlog.signing_keys` answers them;
    without it the key in the file is believed: nothing was changed since that signed.

    :raises InvalidExport: it is not; says where.
    :raises ImportError: PyNaCl is not there to check the signature.
    """
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidExport("file", "it is not UTF-8") from error
    header, head, head_text, signature = _read_ends(lines)
    digest = hashlib.sha256(f"seedlog/1 {head['match']}".encode()).hexdigest()
    events = []
    for version, line in enumerate(lines[1:-2], start=1):
        parts = _EVENT.fullmatch(line)
        if parts is None:
            raise InvalidExport(f"event {version}", "its line cannot be read")
        digest = hashlib.sha256((digest + parts[1]).encode()).hexdigest()
        if digest != parts[2]:
            raise InvalidExport(f"event {version}", "it does not fit the chain")
        event = _read_object(parts[1], f"event {version}")
        if event.get("version") != version:
            raise InvalidExport(f"event {version}", "another stands in its place")
        events.append(event)
    if (head.get("events"), head.get("hash")) != (len(events), digest):
        raise InvalidExport("head", "it is not that of these events")
    before = data[: data.rfind(b"\n", 0, -1) + 1]
    if hashlib.sha256(before).hexdigest() != head.get("file"):
        raise InvalidExport("header", "it is not the one that was signed")
    if header.get("match") != head["match"]:
        raise InvalidExport("header", "it names another match")
    key = _key_of(header, head, trusted)
    if not _is_signed_by(key["public"], head_text, signature):
        raise InvalidExport("head", "its signature does not hold")
    return VerifiedExport(
        match=head["match"],
        events=tuple(events),
        hash=digest,
        exported_at=head["at"],
        key=head["key"],
        is_key_trusted=trusted is not None,
    )


def _read_ends(lines: Sequence[str]) -> tuple[Any, Any, str, bytes]:
    """Return header and head, and the text and signature of the head."""
    if len(lines) < 3 or lines[-1]:
        raise InvalidExport("file", "it is cut off")
    header = _read_object(lines[0], "header")
    if (header.get("format"), header.get("format_version")) != ("seedlog-export", 1):
        raise InvalidExport("header", "it is not that of a seedlog-export 1")
    parts = _HEAD.fullmatch(lines[-2])
    if parts is None:
        raise InvalidExport("head", "its line cannot be read")
    head = _read_object(parts[1], "head")
    texts = ("match", "at", "key", "kind")
    if head.get("kind") != "head" or not all(
        isinstance(head.get(n), str) for n in texts
    ):
        raise InvalidExport("head", "it is not that of an export")
    return header, head, parts[1], bytes.fromhex(parts[2])


def _read_object(text: str, place: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except ValueError as error:
        raise InvalidExport(place, "it is not JSON") from error
    if not isinstance(read, dict):
        raise InvalidExport(place, "it is not an object")
    return read


def _key_of(
    header: dict[str, Any], head: dict[str, Any], trusted: SigningKeys | None
) -> dict[str, Any]:
    """Return the key that the head has to be signed with."""
    keys = [header.get("key")] if trusted is None else trusted["keys"]
    for key in keys:
        if not isinstance(key, dict) or not re.fullmatch(
            "[0-9a-f]{64}", str(key.get("public"))
        ):
            continue
        digest = hashlib.sha256(bytes.fromhex(key["public"])).hexdigest()
        if f"sig_{digest[:16]}" != head["key"]:
            continue
        since, until = key.get("valid_from"), key.get("valid_until")
        if (since and since > head["at"]) or (until and until <= head["at"]):
            raise InvalidExport("head", f"its key did not sign at {head['at']}")
        return key
    whose = "the header's" if trusted is None else "trusted"
    raise InvalidExport("head", f"its key is not {whose}")


def _is_signed_by(public: str, text: str, signature: bytes) -> bool:
    from nacl.exceptions import BadSignatureError, CryptoError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(bytes.fromhex(public)).verify(text.encode(), signature)
    except (BadSignatureError, CryptoError):
        return False
    return True
