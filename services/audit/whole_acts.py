"""Where the act ends that a version lies in: half an act proves nothing."""

from collections.abc import Sequence

from services.audit.verify import audit_match
from services.eventlog.event import Head, StoredEvent, chain_all, genesis


def end_of_act(match_id: str, events: Sequence[StoredEvent], version: int) -> int:
    """Return the last version of the act that the event at a version belongs to."""
    while version < len(events) and _goes_on(match_id, events[:version]):
        version += 1
    return version


def _goes_on(match_id: str, events: Sequence[StoredEvent]) -> bool:
    head = Head(len(events), chain_all(genesis(match_id), events))
    findings = audit_match(match_id, events, head).findings
    return any(finding.version == len(events) + 1 for finding in findings)
