"""Figures cost nothing until they are asked for, and have few series for ever."""

import subprocess
import sys
from itertools import count

import pytest
from prometheus_client import REGISTRY

from services.metrics import figures
from services.metrics.kinds import Counter, Figure, Gauge, Histogram
from workers.state import READINGS

FIGURES = [found for found in vars(figures).values() if isinstance(found, Figure)]
LABELS = {
    *("method", "operation", "status", "outcome", "type", "queue", "game", "kind"),
    *("process", "follower", "view", "where", "step"),
}
"""What series are told apart by: each has few values, and none is somebody's."""

_numbers = count(1)


def new_name() -> str:
    return f"test_figure_{next(_numbers)}"


def test_a_process_without_metrics_does_not_even_load_the_library() -> None:
    program = (
        "import sys; from services.metrics.figures import APPENDS; APPENDS.add('x');"
        "import services.match.service, services.http.hooks;"
        "sys.exit('prometheus_client' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_what_was_let_pass_before_is_not_counted() -> None:
    name = new_name()
    counter = Counter(name, "A test.", "outcome")
    counter.add("well")
    counter.record()
    counter.add("well")
    counter.add("well", by=2)

    found = REGISTRY.get_sample_value(f"{name}_total", {"outcome": "well"})
    assert found == 3


def test_a_gauge_goes_up_and_down() -> None:
    name = new_name()
    gauge = Gauge(name, "A test.")
    gauge.record()
    gauge.add(by=3)
    gauge.add(by=-1)

    assert REGISTRY.get_sample_value(name) == 2


def test_a_histogram_tells_values_apart_by_its_bounds() -> None:
    name = new_name()
    histogram = Histogram(name, "A test.", "game", bounds=(1, 2))
    histogram.record()
    for value in (0.5, 1.5, 5):
        histogram.observe(value, "kalah")

    def below(bound: str) -> float | None:
        labels = {"game": "kalah", "le": bound}
        return REGISTRY.get_sample_value(f"{name}_bucket", labels)

    assert [below(bound) for bound in ("1.0", "2.0", "+Inf")] == [1, 2, 3]


@pytest.mark.parametrize("figure", [*FIGURES, *READINGS], ids=lambda found: found.name)
def test_no_series_is_about_somebody(figure: Figure) -> None:
    assert figure.name.startswith("seedlog_")
    assert set(figure.labels) <= LABELS
    assert figure.meaning.endswith(".")
    assert not figure.name.endswith(("_total", "_ms"))


def test_no_two_figures_have_one_name() -> None:
    names = [found.name for found in (*FIGURES, *READINGS)]
    assert len(set(names)) == len(names)
