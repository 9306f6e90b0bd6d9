"""`seedlog top`: what a stack does, in a terminal.

What stands in log and queue is looked up; what processes record is asked for where they
tell it, and shown as rates between two looks.
"""

import math
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from services.metrics import figures
from services.metrics.kinds import Counter, Figure, Histogram
from workers import state
from workers.state import Reading, State

WITHIN_S = 5.0
MEBIBYTE = 1024 * 1024
NOT_TOLD = "no metrics here: set SEEDLOG_METRICS_PORT, or name one with --metrics"
NOT_ASKED = "not looked at: QUEUE_URL is not set here"
ANSWERS = {True: "answers", False: "DOES NOT ANSWER"}
SHARES = (0.5, 0.95, 0.99)

Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Look:
    """What was found at a time, by the names of Prometheus: figures and readings."""

    at: float
    readings: Mapping[tuple[str, ...], float]
    recorded: Mapping[str, Mapping[Labels, float]] = field(default_factory=dict)


def look(stack: State, urls: Sequence[str]) -> Look:
    """Look at log and queue, and ask those who tell their metrics.

    :raises OSError: one of them cannot be asked.
    """
    found = {(known.name, *labels): value for known, labels, value in stack.look()}
    recorded: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
    for url in urls:
        for name, labels, value in _ask(url):
            recorded[name][labels] += value
    return Look(time.monotonic(), found, recorded)


def _ask(url: str) -> Iterator[tuple[str, Labels, float]]:
    from prometheus_client.parser import text_string_to_metric_families

    with urllib.request.urlopen(url, timeout=WITHIN_S) as answer:  # noqa: S310
        text = answer.read().decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, frozenset(sample.labels.items()), sample.value


class Between:
    """What went on between two looks."""

    def __init__(self, before: Look, now: Look) -> None:
        """Compare the second with the first."""
        self._before, self.now = before, now
        self._time_s = max(now.at - before.at, 0.001)

    @property
    def has_recorded(self) -> bool:
        """Tell whether anybody tells what is recorded."""
        return bool(self.now.recorded)

    def rate(self, figure: Figure, **labels: str) -> float:
        """Return how often a second something was counted, or measured."""
        suffix = "_total" if isinstance(figure, Counter) else "_count"
        return self._grown(figure.name + suffix, labels) / self._time_s

    def amount(self, figure: Histogram, **labels: str) -> float:
        """Return how much came together a second."""
        return self._grown(figure.name + "_sum", labels) / self._time_s

    def level(self, figure: Figure, **labels: str) -> float:
        """Return how much there is now."""
        return _sum(self.now.recorded.get(figure.name, {}), labels)

    def quantiles(self, figure: Histogram, **labels: str) -> list[float]:
        """Return the bounds below which the shares of what was measured lie."""
        counts: dict[float, float] = defaultdict(float)
        name = figure.name + "_bucket"
        for found, sign in ((self.now, 1), (self._before, -1)):
            for known, value in found.recorded.get(name, {}).items():
                if labels.items() <= dict(known).items():
                    counts[float(dict(known)["le"])] += sign * value
        total = counts.get(math.inf, 0)
        if not total:
            return []
        bounds = sorted(counts)
        return [next(b for b in bounds if counts[b] >= s * total) for s in SHARES]

    def _grown(self, name: str, labels: Mapping[str, str]) -> float:
        now = _sum(self.now.recorded.get(name, {}), labels)
        return max(now - _sum(self._before.recorded.get(name, {}), labels), 0)


def _sum(found: Mapping[Labels, float], labels: Mapping[str, str]) -> float:
    wanted = labels.items()
    return sum(v for known, v in found.items() if wanted <= dict(known).items())


# -- the table


def table(between: Between) -> list[str]:
    """Return the lines to show."""
    readings = between.now.readings
    rows = [*_whole(readings), *_log(readings), *_followers(readings)]
    rows += _queues(between)
    rows += _recorded(between) if between.has_recorded else [("metrics", NOT_TOLD)]
    width = max(len(label) for label, _ in rows) + 2
    return [f"{label:<{width}}{text}".rstrip() for label, text in rows]


Row = tuple[str, str]
Readings = Mapping[tuple[str, ...], float]


def _whole(readings: Readings) -> Iterable[Row]:
    for label, known in (("event log", state.LOG_UP), ("job queue", state.QUEUE_UP)):
        is_up = readings.get((known.name,))
        yield label, NOT_ASKED if is_up is None else ANSWERS[bool(is_up)]
    living = _by_label(readings, state.PROCESSES)
    absent = [process for process, count in living.items() if not count]
    if living:
        told = ", ".join(f"{kind} {count:g}" for kind, count in living.items() if count)
        yield "processes", told or "none"
    if absent:
        yield "ABSENT", ", ".join(absent)


def _log(readings: Readings) -> Iterable[Row]:
    if state.LOG_BYTES.name not in (name for name, *_ in readings):
        return
    held, limit = (readings[k.name,] for k in (state.LOG_BYTES, state.LOG_LIMIT))
    of = f" of {limit / MEBIBYTE:,.0f}" if limit else ""
    matches = _by_label(readings, state.MATCHES)
    yield "memory", f"{held / MEBIBYTE:,.1f}{of} MiB"
    yield "matches", f"{matches['log']:,.0f}, archived {matches['archive']:,.0f}"
    if wanted := readings[state.REPLICAS_WANTED.name,]:
        found = readings[state.REPLICAS.name,]
        yield "replicas", f"{found:g} of {wanted:g} keep up"
    waiting = readings[state.TURNS_WAITING.name,]
    overdue = readings[state.TURNS_OVERDUE.name,]
    yield "turns of AIs", f"{waiting:,.0f} waiting, {overdue:,.0f} overdue"


def _followers(readings: Readings) -> Iterable[Row]:
    seconds = _by_label(readings, state.BEHIND_SECONDS)
    for follower, entries in _by_label(readings, state.BEHIND_ENTRIES).items():
        behind = f"{entries:,.0f} entries, {seconds[follower]:.1f} s behind"
        is_stopped = readings.get(
            (state.STOPPED.name, follower.removeprefix("view:")), 0
        )
        told = "STANDS STILL, " + behind if is_stopped else behind
        yield follower, told if entries else "up to date"
    for step, behind_s in _by_label(readings, state.WEBHOOKS_BEHIND).items():
        if behind_s > 1:
            yield f"webhooks, {step}", f"{behind_s:,.0f} s behind"


def _queues(between: Between) -> Iterable[Row]:
    readings = between.now.readings
    running = _by_label(readings, state.JOBS_RUNNING)
    failed = _by_label(readings, state.JOBS_FAILED)
    for queue, waiting in _by_label(readings, state.JOBS_WAITING).items():
        told = f"{waiting:,.0f} waiting, {running[queue]:,.0f} running"
        if failed[queue]:
            told += f", {failed[queue]:,.0f} FAILED"
        if between.has_recorded:
            told += f", {between.rate(figures.JOBS, queue=queue):,.1f} a second"
        yield f"queue {queue}", told


def _recorded(between: Between) -> Iterable[Row]:
    requests = ", ".join(
        f"{status} {rate:,.1f}"
        for status in ("2xx", "3xx", "4xx", "5xx")
        if (rate := between.rate(figures.REQUEST_SECONDS, status=status))
    )
    yield "requests a second", requests or "none"
    moves = {"operation": "moves.play_move"}
    yield "moves", _timed(between, figures.REQUEST_SECONDS, **moves)
    yield "events a second", f"{between.rate(figures.EVENTS):,.1f}"
    conflicts = between.rate(figures.APPENDS, outcome="conflict")
    yield "conflicts a second", f"{conflicts:,.1f}"
    yield "open streams", f"{between.level(figures.STREAMS):,.0f}"
    yield "replies of AIs", _timed(between, figures.REPLY_SECONDS)
    thought_s = between.amount(figures.THINK_SECONDS)
    nodes = between.rate(figures.NODES) / thought_s if thought_s else 0
    yield "positions", f"{nodes:,.0f} a second of thought"
    yield "webhooks", _timed(between, figures.WEBHOOK_SECONDS)


def _timed(between: Between, figure: Histogram, **labels: str) -> str:
    rate = f"{between.rate(figure, **labels):,.1f} a second"
    bounds = between.quantiles(figure, **labels)
    if not bounds:
        return rate
    named = zip(SHARES, bounds, strict=True)
    return rate + ", " + ", ".join(f"p{s * 100:.0f} < {_time(b)}" for s, b in named)


def _time(bound_s: float) -> str:
    if math.isinf(bound_s):
        return "ever"
    return f"{bound_s:g} s" if bound_s >= 1 else f"{bound_s * 1000:g} ms"


def _by_label(readings: Readings, known: Reading) -> dict[str, float]:
    """Return what was read of something with one label, by it."""
    return {
        labels[0]: v for (name, *labels), v in readings.items() if name == known.name
    }
