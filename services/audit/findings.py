"""What a verifier has to say: findings, each at its place, and a verdict over all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

HEADER, HEAD = "header", "head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong, where, and which check found it.

    ``place`` is ``header``, ``event 17`` or ``head``; ``version`` is that of the event.
    """

    place: str
    check: str
    reason: str
    version: int | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"

    def as_json(self) -> dict[str, Any]:
        """Return the finding for programs."""
        return {
            "place": self.place,
            "version": self.version,
            "check": self.check,
            "reason": self.reason,
        }


def at_event(version: int, check: str, reason: str) -> Finding:
    """Return a finding at one event."""
    return Finding(
        place=f"event {version}", check=check, reason=reason, version=version
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was verified, and what was found; nothing found is well.

    ``has_more``: not all was looked at, so that there may be more to find.
    """

    match: str | None
    events: int
    head: str | None = None
    key: str | None = None
    is_key_pinned: bool = False
    findings: Sequence[Finding] = field(default_factory=tuple)
    has_more: bool = False

    @property
    def is_ok(self) -> bool:
        """Tell whether all is well."""
        return not self.findings

    def as_json(self) -> dict[str, Any]:
        """Return the verdict for programs."""
        return {
            "ok": self.is_ok,
            "match": self.match,
            "events": self.events,
            "head": self.head,
            "key": self.key,
            "key_pinned": self.is_key_pinned,
            "findings": [finding.as_json() for finding in self.findings],
        }


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings from the header to the head, runs of the same one as one."""

    def place(finding: Finding) -> float:
        if finding.version is not None:
            return finding.version
        return 0 if finding.place == HEADER else float("inf")

    runs: list[list[Finding]] = []
    for finding in sorted(findings, key=place):
        previous = runs[-1][-1] if runs else None
        if (
            previous is not None
            and finding.version is not None
            and previous.version == finding.version - 1
            and previous.reason == finding.reason
        ):
            runs[-1].append(finding)
        else:
            runs.append([finding])
    return tuple(_as_one(run) for run in runs)


def _as_one(run: list[Finding]) -> Finding:
    first, last = run[0], run[-1]
    if len(run) == 1:
        return first
    return Finding(
        place=first.place,
        check=first.check,
        reason=f"{first.reason}; so are all events to {last.version}",
        version=first.version,
    )
