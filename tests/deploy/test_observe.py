"""What Prometheus and Grafana are given names what there is, and somebody knows it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from services.settings import PROCESSES
from tests.support.observing import (
    DEPLOY,
    EXPORTED,
    OBSERVE,
    dashboard_expressions,
    panels,
)
from tests.support.require import skip_without

ALERTS = yaml.safe_load((OBSERVE / "alerts.yml").read_text("utf-8"))["groups"][0]
SCRAPES = yaml.safe_load((OBSERVE / "prometheus.yml").read_text("utf-8"))
CASES = Path(__file__).with_name("alerts_test.yml")


@pytest.fixture(scope="module")
def promtool() -> str:
    program = shutil.which("promtool")
    if program is None:
        skip_without("prometheus", "no promtool on PATH")
    return program


@pytest.mark.parametrize(
    "expression", [rule["expr"] for rule in ALERTS["rules"]] + dashboard_expressions()
)
def test_what_is_asked_for_is_exported(expression: str) -> None:
    named = set(re.findall(r"\bseedlog_\w+", expression))
    assert named <= EXPORTED
    assert named or "up{" in expression


def test_every_figure_is_drawn_or_watched() -> None:
    """What nobody looks at need not be measured."""
    asked = " ".join([*dashboard_expressions(), str(ALERTS)])
    for name in EXPORTED:
        known = re.sub(r"_(bucket|sum|count)$", "", name)
        assert re.search(rf"\b{known}(_bucket|_sum|_count)?\b", asked), name


def test_panels_do_not_lie_upon_each_other() -> None:
    taken = set()
    for panel in panels():
        place = panel["gridPos"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, panel["title"]
                taken.add((x, y))


def test_the_manual_says_of_each_alert_what_to_do() -> None:
    manual = (DEPLOY / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `(Seedlog\w+)` \| .{20,} \|$", manual, re.M)
    assert rows == [rule["alert"] for rule in ALERTS["rules"]]


def test_prometheus_asks_every_process() -> None:
    [job] = SCRAPES["scrape_configs"]
    [found] = job["dns_sd_configs"]
    assert tuple(found["names"]) == PROCESSES
    assert f"SEEDLOG_METRICS_PORT={found['port']}" in (DEPLOY / "README.md").read_text()


def test_prometheus_reads_rules_and_scrapes(promtool: str) -> None:
    config = str(OBSERVE / "prometheus.yml")
    done = subprocess.run(
        [promtool, "check", "config", config], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_alerts_are_raised_when_they_should_and_not_before(promtool: str) -> None:
    done = subprocess.run(
        [promtool, "test", "rules", str(CASES)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
