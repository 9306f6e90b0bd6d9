"""Audits every match of a log, and remembers how far it came.

The state is a small file: the partition that is under way, the matches of it that are
done, and what was counted. Going on with it audits no match twice and leaves none out.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from services.audit.findings import Finding, Verdict
from services.audit.verify import audit_match
from services.eventlog import PARTITIONS, LogDamaged, Streams

MATCH_PREFIX = "mat_"


class UnreadableState(Exception):
    """The file is not the state of an audit."""


@dataclass(slots=True)
class Progress:
    """How far an audit has come; ``done`` are matches of the partition under way."""

    partition: int = 0
    matches: int = 0
    events: int = 0
    wrong: int = 0
    done: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path) -> "Progress":
        """Return the progress that a file tells, or none if there is no file.

        :raises UnreadableState: it holds something else.
        """
        if not path.exists():
            return cls()
        try:
            return cls(**json.loads(path.read_text("utf-8")))
        except (ValueError, TypeError) as error:
            raise UnreadableState(f"{path} is not the state of an audit") from error

    def save(self, path: Path) -> None:
        """Write the progress, whole or not at all."""
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_text(json.dumps(asdict(self)) + "\n", "utf-8")
        draft.replace(path)


def count_matches(log: Streams) -> int:
    """Return how many matches a log has, archived ones among them."""
    return sum(1 for p in range(PARTITIONS) for _ in _matches(log, p))


def audit_log(log: Streams, progress: Progress) -> Iterator[Verdict]:
    """Yield the verdict over each match that is not done yet, and count it.

    :raises LogUnavailable: go on later, from the same progress.
    """
    while progress.partition < PARTITIONS:
        done = set(progress.done)
        for match_id in _matches(log, progress.partition):
            if match_id in done:
                continue
            verdict = audit_stream(log, match_id)
            progress.done.append(match_id)
            progress.matches += 1
            progress.events += verdict.events
            progress.wrong += not verdict.is_ok
            yield verdict
        progress.partition += 1
        progress.done = []


def _matches(log: Streams, partition: int) -> Iterator[str]:
    for stream in log.streams(partition):
        if stream.startswith(MATCH_PREFIX):
            yield stream


def audit_stream(log: Streams, match_id: str) -> Verdict:
    """Verify one match; the head is read first, for the match may go on meanwhile."""
    try:
        state = log.load(match_id)
        events = log.read(match_id, 0, state.head.version) if state else []
    except (LogDamaged, ValueError) as error:
        return _unreadable(match_id, f"cannot be read: {error}")
    if state is None:
        return _unreadable(match_id, "there are no events of this match")
    return audit_match(match_id, events, state.head)


def _unreadable(match_id: str, reason: str) -> Verdict:
    finding = Finding(place="head", check="form", reason=reason)
    return Verdict(match=match_id, events=0, findings=[finding])
