"""What is asked: a position, a match at a version, or a hint; and with which budget.

The same question has the same digest, so that it is thought about once.
"""

import hashlib
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from services.eventlog import LogDamaged
from services.languages import Message

FORMAT = 1
POSITION, MATCH, HINT = "position", "match", "hint"
KINDS = (POSITION, MATCH, HINT)

MOST_LINES = 10
MOST_NODES = 1_000_000_000
MOST_TIME_MS = 60_000
"""For one position."""
MOST_MATCH_MS = 600_000
"""For all positions of a match together."""
MOST_PLY_MS = 5_000
"""For one position of a match."""
HINT_MS = 5_000
"""A hint is wanted soon: no player waits longer."""
DEFAULT_MS = {POSITION: 1_000, MATCH: 100, HINT: 500}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to think about, and for how long.

    A position is a ``snapshot`` of the rules; a match is itself, at a ``version``; a
    hint is both, for a ``seat``. ``time_ms`` and ``nodes`` (0: any number) are the
    budget of each position; ``lines`` is how many moves are valued.
    """

    kind: str
    game: str
    rules: str
    options: dict[str, Any]
    snapshot: str = ""
    match: str = ""
    version: int = 0
    seat: str = ""
    lines: int = 1
    time_ms: int = 1_000
    nodes: int = 0

    @property
    def text(self) -> str:
        """Return what is kept of it, the same for the same question."""
        kept = {"format": FORMAT, **asdict(self)}
        return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode()

    @property
    def digest(self) -> str:
        """Return what stands for it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]

    def but(self, **changes: Any) -> "Question":
        """Return the question with some members changed."""
        return replace(self, **changes)

    @classmethod
    def read(cls, text: str) -> "Question":
        """Return a question that is on record.

        :raises LogDamaged: a later version of this program has written it.
        """
        kept = orjson.loads(text)
        if (found := kept.pop("format")) != FORMAT:
            raise LogDamaged(
                Message(
                    "{name!r} is in format {format}; this version reads {own}: run the "
                    "version that wrote it, or a later one",
                    name="analysis",
                    format=found,
                    own=FORMAT,
                )
            )
        return cls(**kept)


def affordable_ms(positions: int) -> int:
    """Return the most time that each of so many positions of a match can have."""
    return min(MOST_PLY_MS, max(MOST_MATCH_MS // max(positions, 1), 1))
