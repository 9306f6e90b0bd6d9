"""An analysis: what is asked, how far that is, and what became known of it."""

from dataclasses import dataclass
from typing import Any

from services.analysis.question import Question

WAITING, RUNNING = "waiting", "running"
FINISHED, CANCELED, FAILED = "finished", "canceled", "failed"
STATUSES = (WAITING, RUNNING, FINISHED, CANCELED, FAILED)
DEPTH, PLY = "analysis.depth_reached", "analysis.ply_judged"
ENDINGS = {status: f"analysis.{status}" for status in (FINISHED, CANCELED, FAILED)}
TYPES = (DEPTH, PLY, *ENDINGS.values())


@dataclass(frozen=True, slots=True)
class Found:
    """What became known of an analysis: one of its events."""

    version: int
    type: str
    at_ms: int
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is asked, for whom, and how far that is; what was found is told by events.

    ``asker`` is whoever holds a token, "" for an app; ``version`` counts its events.
    """

    id: str
    tenant: str
    question: Question
    asker: str
    status: str
    version: int
    attempts: int
    asked_ms: int
    until_ms: int
    ended_ms: int = 0
    failed_for: str = ""

    @property
    def has_ended(self) -> bool:
        """Tell whether nothing more will be found."""
        return self.status in ENDINGS
