"""An export taken apart, changed, and put together again."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from services.audit.statements import event_statement
from services.eventlog import chain, genesis
from tests.support.tables import OTHER_PRIVATE, signing_key

KEY, THIEF = signing_key().signer(), signing_key(OTHER_PRIVATE).signer()


@dataclass
class Export:
    """An export taken apart, and how it is put together again."""

    header: dict[str, Any]
    lines: list[dict[str, Any]]
    head: dict[str, Any]

    @classmethod
    def of(cls, data: bytes) -> "Export":
        header, *lines, head = map(json.loads, data.splitlines())
        return cls(header, lines, head)

    def as_it_is(self) -> bytes:
        """Return the file with the hashes and signatures that are in it."""
        lines = [self.header, *self.lines, self.head]
        return "".join(f"{text_of(line)}\n" for line in lines).encode()

    def signed(self, column: str, *, with_key: bool = True) -> bytes:
        """Return the file, with hashes and signatures that fit what is in it.

        Where a check of the chain or the signatures is tried, these stay as they are.
        """
        sign = KEY if with_key else THIEF
        match = (
            self.head["head"]["match"] if column == "chain" else self.header["match"]
        )
        said, last = self.head["head"], genesis(str(match))
        parts = [text_of(self.header)]
        for version, line in enumerate(self.lines, start=1):
            last = chain(last, text_of(line["event"]))
            if column not in ("chain", "own"):
                line["hash"] = last
            if column != "own":
                statement = event_statement(str(match), version, line["hash"])
                line["signature"] = sign(statement)
            parts.append(text_of(line))
        if column != "own":
            said["hash"] = self.lines[-1]["hash"]
            said["file"] = digest_of(parts)
        self.head["signature"] = sign(text_of(said).encode())
        return ("\n".join([*parts, text_of(self.head)]) + "\n").encode()


def text_of(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_of(lines: list[str]) -> str:
    return hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()
