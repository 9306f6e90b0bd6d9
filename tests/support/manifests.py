"""The manifests of `deploy/kubernetes`, as kustomize renders them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.support.require import skip_without

MANIFESTS = Path(__file__).parents[2] / "deploy" / "kubernetes"


def render() -> list[dict[str, Any]]:
    """Return every object."""
    if shutil.which("kubectl") is None:
        skip_without("kubectl", "it is not on PATH")
    command = ["kubectl", "kustomize", str(MANIFESTS)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(yaml.safe_load_all(text))


def workloads(rendered: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what consists of pods, by name."""
    kinds = ("Deployment", "StatefulSet")
    return {k["metadata"]["name"]: k for k in rendered if k["kind"] in kinds}
