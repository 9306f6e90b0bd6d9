"""Clocks and tables: CPU of other processes, medians, ratios, a bar while one waits."""

import os
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its living children, in seconds."""
    own = _times(pid)
    path = Path(f"/proc/{pid}/task/{pid}/children")
    children = path.read_text().split() if path.exists() else []
    return own + sum(cpu_s(int(child)) for child in children)


def _times(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def spread(values: Iterable[float], digits: int = 1) -> str:
    """Return median, minimum and maximum as text."""
    ordered = list(values)
    low, high = min(ordered), max(ordered)
    middle = statistics.median(ordered)
    return f"{middle:.{digits}f} ({low:.{digits}f}..{high:.{digits}f})"


def report(name: str, rows: Sequence[tuple[str, str]]) -> None:
    """Print a small table."""
    width = max(len(label) for label, _ in rows)
    print(f"\n{name}")
    for label, value in rows:
        print(f"  {label:<{width}}  {value}", flush=True)


def wait_with_bar(label: str, seconds: float) -> None:
    """Wait, and show how much of it is over."""
    until = time.monotonic() + seconds
    with click.progressbar(length=int(seconds), label=label, file=sys.stderr) as bar:
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 1.0))
            bar.update(int(seconds - max(left - 1.0, 0)) - bar.pos)
