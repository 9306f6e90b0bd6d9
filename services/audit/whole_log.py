"""Audits every match of a log, and remembers how far it came.

The state is a small file: the partition that is under way, the matches of it that are
done, and what was counted. Going on with it audits no match twice and leaves none out.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from services.audit.findings import Finding, Verdict
from services.audit.verify import audit_match
from services.eventlog import (
    PARTITIONS,
    UNREADABLE,
    Landmark,
    State,
    StoredEvent,
    Streams,
    disagreement,
)
from services.names import is_sandbox

MATCH_PREFIX = "mat_"


class UnreadableState(Exception):
    """What is kept is not the state of an audit, or not of one of this log."""


@dataclass(slots=True)
class Progress:
    """How far an audit has come; ``done`` are matches of the partition under way.

    ``known_by`` is a match that was well, by which the log is known again: a restored
    one may hold others.
    """

    partition: int = 0
    matches: int = 0
    events: int = 0
    wrong: int = 0
    done: list[str] = field(default_factory=list)
    known_by: Landmark | None = None

    @classmethod
    def load(cls, path: Path) -> "Progress":
        """Return the progress that a file tells, or none if there is no file.

        :raises UnreadableState: it holds something else.
        """
        if not path.exists():
            return cls()
        try:
            kept = json.loads(path.read_text("utf-8"))
            if known_by := kept.pop("known_by", None):
                known_by = Landmark(**known_by)
            return cls(**kept, known_by=known_by)
        except (ValueError, TypeError, AttributeError) as error:
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
    :raises UnreadableState: the progress is one of another log.
    """
    if progress.known_by and not progress.known_by.is_in(log):
        raise UnreadableState(
            f"{progress.known_by.stream} was audited before, and is not as it was: "
            "go on with that log, or begin anew with --restart"
        )
    while progress.partition < PARTITIONS:
        done = set(progress.done)
        for match_id in _matches(log, progress.partition):
            if match_id in done:
                continue
            state, verdict = _audit(log, match_id)
            if verdict is None:
                continue  # a sandbox's, which has vanished meanwhile
            if state and verdict.is_ok and not is_sandbox(state.tenant):
                head = state.head
                progress.known_by = Landmark(match_id, head.version, head.hash)
            progress.done.append(match_id)
            progress.matches += 1
            progress.events += verdict.events
            progress.wrong += not verdict.is_ok
            yield verdict
        progress.partition += 1
        progress.done = []


def _matches(log: Streams, partition: int) -> Iterator[str]:
    # One that is archived just now is listed twice.
    for stream in dict.fromkeys(log.streams(partition)):
        if stream.startswith(MATCH_PREFIX):
            yield stream


def audit_stream(log: Streams, match_id: str) -> Verdict:
    """Verify one match."""
    _, verdict = _audit(log, match_id)
    return verdict or _unreadable(match_id, "there are no events of this match")


def _audit(log: Streams, match_id: str) -> tuple[State | None, Verdict | None]:
    """Return the state that a match is at, if it can be read, and the verdict.

    Neither, if there is no such match.
    """
    try:
        state, events = _read(log, match_id)
        return state, audit_match(match_id, events, state.head) if state else None
    except UNREADABLE as error:
        return None, _unreadable(match_id, f"cannot be read: {error}")


def _read(log: Streams, match_id: str) -> tuple[State | None, Sequence[StoredEvent]]:
    """Return the state of a match and all its events, which may grow meanwhile.

    :raises LogDamaged: there are more than it says.
    """
    state = log.load(match_id)
    events = log.read(match_id) if state else []
    if state and len(events) > state.head.version:
        state = log.load(match_id)
        if state and len(events) > state.head.version:
            raise disagreement(match_id, state.head.version, len(events))
        events = log.read(match_id, 0, state.head.version) if state else []
    return state, events


def _unreadable(match_id: str, reason: str) -> Verdict:
    finding = Finding(place="head", check="form", reason=reason)
    return Verdict(match=match_id, events=0, findings=[finding])
