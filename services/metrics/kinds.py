"""Counters, gauges and histograms that cost next to nothing until somebody asks.

The library decides as it is imported whether it records for one process or for
several (`serving.py`), and takes a tenth of a second for it. So it is imported by
`record`; what is counted before, or in a process without metrics, is not.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

FAST_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Bounds for what should take milliseconds."""

SLOW_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300)
"""Bounds for what may take a while."""


class Figure:
    """Something that is counted or measured, for each set of values of its labels.

    A label has few values, all of which stand in the code or in the catalogue of games:
    never an id, a tenant or a path, for each of them is kept for ever, and told.
    """

    known: ClassVar[list["Figure"]] = []
    kind: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ("",)

    def __init__(self, name: str, meaning: str, *labels: str) -> None:
        """Name it, after the manner of Prometheus: with its unit, in base units."""
        self.name, self.meaning, self.labels = name, meaning, labels
        self._metric: Any = None
        self._children: dict[tuple[str, ...], Any] = {}
        self.known.append(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Return by which names Prometheus knows it."""
        return tuple(self.name + suffix for suffix in self.suffixes)

    def record(self) -> None:
        """Count from now on what was let pass until now."""
        import prometheus_client

        if self._metric is None:
            make = getattr(prometheus_client, self.kind)
            self._metric = make(self.name, self.meaning, self.labels, **self._options())

    def _options(self) -> dict[str, Any]:
        return {}

    def _child(self, labels: tuple[str, ...]) -> Any:
        """Return what records for these labels, or None if nothing does."""
        child = self._children.get(labels)
        if child is None and self._metric is not None:
            child = self._metric.labels(*labels) if labels else self._metric
            self._children[labels] = child
        return child


class Counter(Figure):
    """What only grows."""

    kind = "Counter"
    suffixes = ("_total",)

    def add(self, *labels: str, by: float = 1) -> None:
        """Count one more, or so many."""
        child = self._child(labels)
        if child is not None:
            child.inc(by)


class Gauge(Figure):
    """What goes up and down: the sum over all processes that live."""

    kind = "Gauge"

    def add(self, *labels: str, by: float = 1) -> None:
        """Go up, or down by what is less than nothing."""
        child = self._child(labels)
        if child is not None:
            child.inc(by)

    def _options(self) -> dict[str, Any]:
        return {"multiprocess_mode": "livesum"}


class Histogram(Figure):
    """How long things take, or how much there is of something, by bounds."""

    kind = "Histogram"
    suffixes = ("_bucket", "_sum", "_count")

    def __init__(
        self, name: str, meaning: str, *labels: str, bounds: Sequence[float] = FAST_S
    ) -> None:
        """Name it; values are told apart by the *bounds*."""
        super().__init__(name, meaning, *labels)
        self._bounds = bounds

    def observe(self, value: float, *labels: str) -> None:
        """Take in a value."""
        child = self._child(labels)
        if child is not None:
            child.observe(value)

    def _options(self) -> dict[str, Any]:
        return {"buckets": self._bounds}
