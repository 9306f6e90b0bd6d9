"""What clients were told, and whether the log says the same."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from services.client import Seedlog
from services.client.shapes import LoggedEvent
from tests.support.proof import prove

Span = tuple[float, float]
"""From when to when, in seconds since 1970."""


@dataclass
class Ledger:
    """What was acknowledged to one client, or to many."""

    matches: list[str] = field(default_factory=list)
    moves: dict[tuple[str, int], str] = field(default_factory=dict)
    """Acknowledged moves, by match and version."""
    unanswered: set[str] = field(default_factory=set)
    """Matches whose last move may have been played: no answer came."""
    writes: list[Span] = field(default_factory=list)
    """From the first attempt of each write to its acknowledgement."""
    ended: int = 0
    wrong: list[str] = field(default_factory=list)
    """Answers that the rules contradict."""

    def add(self, other: "Ledger") -> None:
        """Take over what another one holds."""
        self.matches += other.matches
        self.moves |= other.moves
        self.unanswered |= other.unanswered
        self.writes += other.writes
        self.ended += other.ended
        self.wrong += other.wrong

    def timed(self, began: float) -> None:
        """Note a write that is acknowledged now."""
        self.writes.append((began, time.time()))


@dataclass
class Verdict:
    """What the log says of what was acknowledged."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    replies: list[Span] = field(default_factory=list)
    """From each event after which an AI was to move to its move."""

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing was lost, doubled, stuck or broken."""
        return not (self.lost or self.doubled or self.stuck or self.broken)


def judge(client: Seedlog, ledger: Ledger, matches: Iterable[str]) -> Verdict:
    """Replay *matches*, and hold what was acknowledged against their logs."""
    verdict = Verdict()
    told: dict[str, dict[int, str]] = {}
    for (match_id, version), move in ledger.moves.items():
        told.setdefault(match_id, {})[version] = move
    for match_id in matches:
        try:
            events = prove(client, match_id)
        except AssertionError as error:
            verdict.broken.append(f"{match_id}: {error}")
            continue
        _compare(match_id, events, told.get(match_id, {}), ledger, verdict)
        verdict.versions[match_id] = len(events)
        verdict.replies += _replies(events)
        if not client.match(match_id)["outcome"]:
            verdict.stuck.append(match_id)
    return verdict


def miscounted(client: Seedlog, versions: Mapping[str, int]) -> list[str]:
    """Return where a view is not what the log comes to.

    That is a match that the list does not have in this version, or statistics that are
    not what the list comes to.
    """
    listed: dict[str, int] = {}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in client.matches():
        listed[row["id"]] = row["version"]
        counted = counts[row["game"]]
        counted.update(["opened", row["status"]])
        if outcome := row["outcome"]:
            counted["moves"] += row["ply"]
            winner, reason = outcome["winner"] or "nobody", outcome["reason"]
            counted.update([f"won by {winner}", f"ended by {reason}"])
    behind = [
        f"{match_id}: version {version}, {listed.get(match_id)} in the list"
        for match_id, version in versions.items()
        if listed.get(match_id) != version
    ]
    statistics = client.request("GET", "/v1/statistics")["data"]
    return behind + [
        f"{told}, the list has {dict(counts[told['game']])}"
        for told in statistics
        if _counts_of(told) != counts[told["game"]]
    ]


def _counts_of(told: dict[str, Any]) -> Counter[str]:
    names = ("opened", "open", "running", "finished", "aborted", "moves")
    counts = {name: told[name] for name in names}
    counts |= {f"won by {seat}": count for seat, count in told["winners"].items()}
    counts |= {f"ended by {why}": count for why, count in told["reasons"].items()}
    return Counter({name: count for name, count in counts.items() if count})


def _compare(
    match_id: str,
    events: list[LoggedEvent],
    told: dict[int, str],
    ledger: Ledger,
    verdict: Verdict,
) -> None:
    """Look for each acknowledged move, and for moves that nobody was told of."""
    logged = {
        event["version"]: event["data"]["move"]
        for event in events
        if event["type"] == "match.move_played" and not _is_of_ai(event)
    }
    for version, move in told.items():
        if logged.get(version) != move:
            found = logged.get(version, "no move")
            verdict.lost.append(f"{match_id} version {version}: {move}, {found} there")
    unknown = sorted(logged.keys() - told.keys())
    if match_id in ledger.unanswered:
        unknown = unknown[1:]  # that one may be there, once
    verdict.doubled += [f"{match_id} version {version}" for version in unknown]


def _replies(events: list[LoggedEvent]) -> list[Span]:
    times = [datetime.fromisoformat(event["at"]).timestamp() for event in events]
    return [
        (times[number - 1], times[number])
        for number, event in enumerate(events)
        if event["type"] == "match.move_played" and _is_of_ai(event)
    ]


def _is_of_ai(event: LoggedEvent) -> bool:
    return event["by"].startswith("ai:")
