"""What a deployment shows of itself: the figures, the dashboard and the alerts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from services.metrics import figures
from services.metrics.kinds import Figure
from workers.state import READINGS

DEPLOY = Path(__file__).parents[2] / "deploy"
OBSERVE = DEPLOY / "observe"

EXPORTED = {
    name
    for found in vars(figures).values()
    if isinstance(found, Figure)
    for name in found.names
} | {known.name for known in READINGS}
"""Every name by which Prometheus may ask."""


def panels() -> Iterator[dict[str, Any]]:
    """Yield what the dashboard draws."""
    for panel in json.loads((OBSERVE / "dashboard.json").read_text("utf-8"))["panels"]:
        if panel["type"] != "row":
            yield panel


def dashboard_expressions() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]
