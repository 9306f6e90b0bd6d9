"""The manifests of `deploy/kubernetes`, rendered and held against the schemas."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.settings import PROCESSES, Settings, variable_of
from tests.support.manifests import MANIFESTS, render, workloads
from tests.support.require import skip_without

VERSION = "1.33.0"


@pytest.fixture(scope="module")
def rendered() -> list[dict[str, Any]]:
    """Return every object, as kustomize makes it."""
    return render()


def pods(rendered: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, workload in workloads(rendered).items():
        yield name, workload["spec"]["template"]["spec"]


def test_they_are_what_kubernetes_takes(
    rendered: list[dict[str, Any]], tmp_path: Path
) -> None:
    """But for the objects of KEDA, whose schemas are its own."""
    validate = shutil.which("kubernetes-validate")
    if validate is None:
        skip_without("kubernetes-validate", "it is not on PATH")
    file = tmp_path / "all.yaml"
    known = [kind for kind in rendered if "keda.sh" not in kind["apiVersion"]]
    file.write_text(yaml.safe_dump_all(known))

    done = subprocess.run(
        [validate, "--strict", "--quiet", "-k", VERSION, str(file)],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_checkov_finds_nothing_that_is_not_answered() -> None:
    checkov = shutil.which("checkov")
    if checkov is None:
        skip_without("checkov", "it is not on PATH")
    config = MANIFESTS.parent / "checkov.yaml"

    done = subprocess.run(
        [checkov, "--config-file", str(config), "--directory", str(config.parent)],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_process_is_there_with_the_secrets_that_it_reads(
    rendered: list[dict[str, Any]],
) -> None:
    specs = dict(pods(rendered))

    assert set(specs) == {*PROCESSES, "redis", "queue"}
    for process in PROCESSES:
        [container] = specs[process]["containers"]
        read = {
            f"{variable_of(setting)}_FILE"
            for setting in fields(Settings)
            if setting.metadata["is_secret"]
            and process in setting.metadata.get("read_by", PROCESSES)
        }
        told = {variable["name"]: variable["value"] for variable in container["env"]}
        assert {name for name in told if name.endswith("_FILE")} == read
        [held] = [v["secret"] for v in specs[process]["volumes"] if "secret" in v]
        assert {Path(told[name]).name for name in read} == {
            item["path"] for item in held["items"]
        }


def test_no_pod_has_rights_that_it_does_not_need(
    rendered: list[dict[str, Any]],
) -> None:
    for name, spec in pods(rendered):
        assert spec["securityContext"]["runAsNonRoot"], name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False
        [container] = spec["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]
        assert container["livenessProbe"]
