"""The pods of `deploy/kubernetes`, run by podman, which needs no cluster.

It knows pods, their volumes and rights; of services it knows no more than that a name
leads to a pod. Proxies, policies and autoscaling are for a cluster to show.
"""

import json
import secrets
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.cli.redis_server import free_port
from services.settings import PROCESSES
from tests.support.deployed import Stack, docker
from tests.support.manifests import render, workloads
from tests.support.patience import wait_for
from tests.support.require import skip_without

CHECKOUT = Path(__file__).parents[2]
DEPLOY = CHECKOUT / "deploy"
NAME = "seedlog-test-pods"
REDIS = "redis:7-bookworm"
HOST = "games.example.org"
STORES = ("redis", "queue")
AI = {"kind": "ai", "level": 1}

pytestmark = pytest.mark.timeout(1200)  # the first test builds the image, and compiles


def podman(*arguments: str, given: str | None = None) -> str:
    done = subprocess.run(
        ["podman", *arguments], input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{arguments}: {done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass
class Pods:
    """The pods, and the ports of this host that lead to API and streams."""

    ports: Mapping[str, int]
    api: Stack

    def container(self, workload: str) -> str:
        """Return the id of the one that a workload consists of here."""
        pod = f"{workload}-pod-0"
        names = podman("ps", "--format", "{{.Names}}", "--filter", f"pod={pod}")
        [name] = [name for name in names.split() if not name.endswith("-infra")]
        return name

    def call(self, path: str, body: Any = None) -> Any:
        """Return what the API answers to a request that comes through the ingress."""
        status, told, _ = self.api.call(path, body, Host=HOST)
        assert status < 300, told
        return told

    def is_ready(self) -> bool:
        return self.api.call("/health/ready", Host=HOST)[0] == 200

    def log_on(self) -> None:
        """Make an API key, by the command of the README."""
        told = podman("exec", self.container("api"), *["seedlog", "keys", "create"])
        [self.api.key] = [word for word in told.split() if word.startswith("sk_")]


def build() -> None:
    """Bring the image, built by Docker: podman 4 builds no such health checks.

    Who has a podman that may start nothing here has none for this purpose.
    """
    asked = subprocess.run(
        ["sh", "-c", "docker info && podman info"], capture_output=True
    )
    if asked.returncode:
        skip_without("podman", "`docker info` or `podman info` fails")
    file = str(DEPLOY / "Dockerfile")
    docker("build", "--quiet", "--tag", NAME, "--file", file, str(CHECKOUT))
    images = subprocess.check_output(["docker", "save", NAME, REDIS])
    subprocess.run(["podman", "load", "--quiet"], input=images, check=True)
    runs = ["podman", "run", "--rm", "--entrypoint=true", NAME]
    tried = subprocess.run(runs, capture_output=True, text=True)
    if tried.returncode:
        skip_without("podman", f"it starts nothing: {tried.stderr.strip()}")


def config_map(name: str, data: Mapping[str, str]) -> dict[str, Any]:
    head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
    return {**head, "data": dict(data)}


def secret_files() -> dict[str, str]:
    """Return what the README says that has to be there."""
    of_log, of_queue = secrets.token_hex(16), secrets.token_hex(16)
    return {
        "redis_password": of_log,
        "queue_password": of_queue,
        "redis_url": f"redis://:{of_log}@redis:6379/0",
        "queue_url": f"redis://:{of_queue}@queue:6379/0",
        "secret": secrets.token_hex(32),
        "signing_key": secrets.token_hex(32),
        "otlp_headers": "",
    }


def for_podman(
    workload: dict[str, Any], ports: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return a workload as podman takes it: one pod, and what it claims.

    podman 4 knows no StatefulSet, mounts a Secret without decoding it, and has one
    volume for all that is mounted of a ConfigMap, by the name of that.
    """
    name, spec = workload["metadata"]["name"], workload["spec"]
    pod, claims = spec["template"]["spec"], spec.pop("volumeClaimTemplates", [])
    for volume in pod["volumes"]:
        if held := volume.pop("secret", None):
            volume["configMap"] = {"name": f"{name}-secrets", "items": held["items"]}
    for claim in claims:
        claim |= {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
        by = claim["metadata"]["name"]
        volume = {"name": by, "persistentVolumeClaim": {"claimName": by}}
        pod["volumes"].append(volume)
    [container] = pod["containers"]
    if name not in STORES:
        container["image"] = NAME
    [port] = container.pop("ports", [{}])
    if name in ports:
        spec["replicas"] = 1  # as many as can have a port of this host
        inside = port["containerPort"]
        container["ports"] = [{"containerPort": inside, "hostPort": ports[name]}]
    return [*claims, {**workload, "kind": "Deployment"} | {"spec": spec}]


@contextmanager
def playing(ports: Mapping[str, int]) -> Iterator[None]:
    """Run every workload, the stores first, each with the name of its service."""
    held = secret_files()
    serve = config_map("serve-log", {"serve-log": (DEPLOY / "serve-log").read_text()})
    rendered = render()
    claimed = [kind for kind in rendered if kind["kind"] == "PersistentVolumeClaim"]
    known = workloads(rendered)
    podman("network", "create", NAME)
    try:
        for name in sorted(known, key=lambda name: name not in STORES):
            own = for_podman(known[name], ports)
            network = f"{NAME}:alias={name}"
            files = config_map(f"{name}-secrets", held)
            text = yaml.safe_dump_all([serve, files, *claimed, *own])
            podman("kube", "play", "--network", network, "-", given=text)
            claimed = []
        yield
    finally:
        begun = podman("pod", "ps", "--quiet", "--filter", f"network={NAME}").split()
        podman("pod", "rm", "--force", "--time=2", *begun)
        made = ["archive", "log", "data", "tmp", "serve-log"]
        podman("volume", "rm", "--force", *made, *(f"{n}-secrets" for n in known))
        podman("network", "rm", "--force", NAME)


@pytest.fixture(scope="module")
def pods() -> Iterator[Pods]:
    """Yield the pods, as soon as the API says that it is ready."""
    build()
    ports = {"api": free_port(), "stream": free_port()}
    with playing(ports):
        pods = Pods(ports, Stack({}, f"http://127.0.0.1:{ports['api']}"))
        wait_for("the API", pods.is_ready)
        pods.log_on()
        yield pods


def test_every_process_runs_as_nobody_on_files_that_stay_as_they_are(
    pods: Pods,
) -> None:
    for name in (*PROCESSES, *STORES):
        container = pods.container(name)
        own = podman("exec", container, "id", "-u").strip()
        assert own == ("999" if name in STORES else "10001"), name
        write = ["sh", "-c", "touch /here 2>/dev/null || echo refused"]
        assert podman("exec", container, *write).strip() == "refused", name


def test_probes_that_are_commands_pass(pods: Pods) -> None:
    """Those over HTTP ask what `is_ready` has asked."""
    for name, workload in workloads(render()).items():
        container, probed = pods.container(name), set[str]()
        [spec] = workload["spec"]["template"]["spec"]["containers"]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if command := spec.get(probe, {}).get("exec", {}).get("command"):
                ask = ["podman", "exec", container, *command]
                passes = lambda ask=ask: subprocess.run(ask).returncode == 0  # noqa: E731
                wait_for(f"{probe} of {name}", passes)
                probed.add(probe)
        assert "livenessProbe" in probed or name in pods.ports


def test_ais_play_to_the_end_and_the_log_is_proven(pods: Pods) -> None:
    seats = {"south": AI, "north": AI}
    match = pods.call("/v1/matches", {"game": "kalah", "seats": seats})["id"]

    def is_over() -> bool:
        return bool(pods.call(f"/v1/matches/{match}")["status"] == "finished")

    wait_for("the end", is_over)
    assert pods.call(f"/v1/matches/{match}/audit")["ok"]

    def is_listed() -> bool:
        listed = pods.call("/v1/matches?status=finished")["data"]
        return match in [row["id"] for row in listed]

    wait_for("the list", is_listed)
    request = urllib.request.Request(
        f"http://127.0.0.1:{pods.ports['stream']}/v1/matches/{match}/stream?after=0",
        headers={"Host": HOST, "Authorization": f"Bearer {pods.api.key}"},
    )
    with urllib.request.urlopen(request, timeout=20) as stream:
        frame = next(line for line in stream if line.startswith(b"data:"))
    assert json.loads(frame.removeprefix(b"data:"))["version"] == 1


def test_a_log_that_is_killed_has_what_was_acknowledged(pods: Pods) -> None:
    people = {"south": {"kind": "human"}, "north": {"kind": "human"}}
    match = pods.call("/v1/matches", {"game": "kalah", "seats": people})["id"]
    before = pods.call(f"/v1/matches/{match}")

    podman("kill", pods.container("redis"))
    time.sleep(1)
    podman("start", "redis-pod-0-redis")

    wait_for("the API", pods.is_ready)
    assert pods.call(f"/v1/matches/{match}") == before
