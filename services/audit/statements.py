"""What is signed: canonical JSON texts, each of which says of which kind it is."""

from dataclasses import dataclass
from typing import Any

from services.eventlog.event import canonical_text


def event_statement(match_id: str, version: int, hash_: str) -> bytes:
    """Return what the signature of one event covers."""
    return (
        f'{{"hash":"{hash_}","kind":"event","match":"{match_id}","version":{version}}}'
    ).encode()


HEAD_OF_FILE, HEAD_OF_LOG = "head", "log-head"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadStatement:
    """How far a match had come at a time, as the owner of a key states it.

    ``file`` is the SHA-256 of all bytes of an export before the line of its head. What
    stands by itself has none, and another kind: it can end no export.
    """

    match: str
    events: int
    hash: str
    at: str
    key: str
    file: str = ""

    @property
    def text(self) -> str:
        """Return the canonical text, which is what the signature covers."""
        return canonical_text(self.as_json())

    def as_json(self) -> dict[str, Any]:
        """Return the members of the text."""
        said = {
            "at": self.at,
            "events": self.events,
            "hash": self.hash,
            "key": self.key,
            "kind": HEAD_OF_FILE if self.file else HEAD_OF_LOG,
            "match": self.match,
        }
        return said | ({"file": self.file} if self.file else {})
