"""One run: a crowd plays, chaos reigns, then everything is held against the log."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import click

from services.client import Seedlog
from tests.chaos.parts import Chaos, Fault, Part
from tests.chaos.probe import EVERY_S, Probe
from tests.support.crowd import Crowd, Orders
from tests.support.ledger import Ledger, Span, Verdict, judge, miscounted
from tests.support.measure import percentile, report
from tests.support.patience import wait_for
from tests.support.stack import Stack

HEARTBEAT_S = 2
WORKERS = {
    "SEEDLOG_API_WORKERS": "2",
    "SEEDLOG_AI_WORKERS": "2",
    "SEEDLOG_ANALYSIS_WORKERS": "1",
    "SEEDLOG_WEBHOOK_WORKERS": "1",
    "SEEDLOG_HEARTBEAT_S": str(HEARTBEAT_S),
    "SEEDLOG_ARCHIVE_AFTER_HOURS": "0",  # so that matches move while all this goes on
}
LONGEST_OUTAGE_S = 30.0
"""What comes later than this after a fault is not counted as its doing."""
SHOWS_WITHIN_S = 1.0


class Delay(NamedTuple):
    """How long something was held up by a fault, and whether by that one alone."""

    seconds: float
    is_alone: bool
    since_last: float
    """The same since the last of the faults that met it; this one, if none did."""


@dataclass
class Result:
    """What a run has shown."""

    ledger: Ledger
    verdict: Verdict
    faults: list[Fault]
    failures: list[str]
    miscounted: list[str]
    writes: dict[str, list[Delay]] = field(default_factory=dict)
    """After each fault of a kind: the longest time without a write."""
    replies: dict[str, list[Delay]] = field(default_factory=dict)
    """After each fault of a kind: the longest that a reply of an AI was waited for."""

    @property
    def wrong(self) -> dict[str, list[str]]:
        """Return all that must be empty, by name."""
        return {
            "lost": self.verdict.lost,
            "doubled": self.verdict.doubled,
            "stuck": self.verdict.stuck,
            "broken logs": self.verdict.broken,
            "wrong answers": self.ledger.wrong,
            "miscounted": self.miscounted,
            "failures": self.failures,
        }


def run(
    url: str,
    key: str,
    parts: Sequence[Part],
    wait: Callable[[], None],
    orders: Orders,
    probe_every_s: float = EVERY_S,
) -> Result:
    """Play and do harm until *wait* returns; then judge what the log says."""
    probe, chaos = Probe(url, key, probe_every_s), Chaos(parts, orders.seed)
    with Crowd(orders) as crowd:
        probe.start()
        time.sleep(2)  # everybody plays
        chaos.start()
        wait()
        chaos.stop()
        time.sleep(2)  # and goes on playing
        probe.stop()
    with Seedlog(url, key, retry_for_s=120) as client:
        ledger = crowd.ledger
        bar = click.progressbar(ledger.matches, label="Replaying", file=sys.stderr)
        with bar:
            verdict = judge(client, ledger, bar)

        def look() -> list[str]:
            return miscounted(client, verdict.versions)

        with suppress(AssertionError):  # what is wrong then is told
            wait_for("the views", lambda: not look())
        views = look()
    failures = [*crowd.failures, *([repr(chaos.failure)] if chaos.failure else [])]
    result = Result(ledger, verdict, chaos.faults, failures, views)
    silences = [*zip(probe.written, probe.written[1:], strict=False)]
    for fault in chaos.faults:
        name = f"{fault.part} {fault.kind}"
        for delays, spans in (
            (result.writes, silences),
            (result.replies, verdict.replies),
        ):
            delays.setdefault(name, []).append(delay(fault, spans, chaos.faults))
    return result


def delay(fault: Fault, spans: Sequence[Span], faults: Sequence[Fault]) -> Delay:
    """Return how long the longest span went on that a fault has touched.

    What a fault breaks may show a second later.
    """
    touched = [
        (end - max(begin, fault.ended), begin, end)
        for begin, end in spans
        if begin < fault.ended + SHOWS_WITHIN_S and end > fault.ended
    ]
    seconds, begin, end = max(touched, default=(0.0, 0.0, 0.0))
    met = [
        other
        for other in faults
        if other is not fault
        and other.began < end
        and begin < other.ended + SHOWS_WITHIN_S
    ]
    last = max(min(other.ended, end) for other in [fault, *met])
    return Delay(
        min(seconds, LONGEST_OUTAGE_S),
        is_alone=not met,
        since_last=min(seconds, end - last),
    )


def audit(stack: Stack) -> bool:
    """Let the product audit its whole log; what it finds is printed."""
    command = [sys.executable, "-m", "services.cli", "audit", "--all", "--restart"]
    settings = {"SEEDLOG_DATA": str(stack.data)}
    return subprocess.run(command, env=settings, check=False).returncode == 0


def tell(result: Result, seconds: float) -> None:
    """Print what a run has shown."""
    ledger = result.ledger
    report(
        f"{len(result.faults)} faults in {seconds:.0f} s",
        [
            ("matches", str(len(ledger.matches))),
            ("acknowledged moves", str(len(ledger.moves))),
            ("AI replies", str(len(result.verdict.replies))),
            *((name, str(len(found))) for name, found in result.wrong.items()),
        ],
    )
    print(
        "\nSeconds until what it held up went on: writes, then AI replies. Of each the"
        "\nmedian, the longest, the longest of what another fault met as well, and of"
        "\nthat the longest since the last fault"
    )
    for name in sorted(result.writes):
        rows = (_spread(result.writes[name]), _spread(result.replies[name]))
        print(f"  {name:<28} {len(result.writes[name]):>4}   {rows[0]}   {rows[1]}")
    for name, found in result.wrong.items():
        for line in found[:5]:
            print(f"  {name}: {line}")


def _spread(delays: list[Delay]) -> str:
    met = [delay for delay in delays if not delay.is_alone]
    longest = (
        [delay.seconds for delay in delays if delay.is_alone],
        [delay.seconds for delay in met],
        [delay.since_last for delay in met],
    )
    median = percentile([delay.seconds for delay in delays], 0.5)
    told = (f"{max(some):5.2f}" if some else "    -" for some in longest)
    return " ".join([f"{median:5.2f}", *told])
