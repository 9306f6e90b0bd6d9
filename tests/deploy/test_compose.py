"""What compose.yaml hands to each process, held against what the process reads."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from services.environment import MOST_API_THREADS
from services.settings import PROCESSES, Settings, variable_of

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
STACK = (DEPLOY / "stack.sh").read_text("utf-8")
OF_NO_USE = {"SEEDLOG_DATA"}  # no process of this stack can write outside its volumes


@pytest.mark.parametrize("process", PROCESSES)
def test_each_process_is_handed_what_it_reads_and_no_more(process: str) -> None:
    """A new setting says who reads it; secrets go to nobody else, and in files."""
    read = {
        variable_of(setting) + ("_FILE" if setting.metadata["is_secret"] else "")
        for setting in fields(Settings)
        if process in setting.metadata.get("read_by", PROCESSES)
    }

    environment = SERVICES[process]["environment"]
    standard = {name for name in environment if name.startswith("OTEL_")} - read

    assert set(environment) - standard == read - OF_NO_USE
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in standard


@pytest.mark.parametrize("process", PROCESSES)
def test_what_docker_says_of_itself_is_not_said_of_a_process(process: str) -> None:
    """Its command sets the variable for whatever it calls, compose among them."""
    told = SERVICES[process]["environment"]["OTEL_RESOURCE_ATTRIBUTES"]

    assert told == "${TRACE_ATTRIBUTES:-}"
    assert "TRACE_ATTRIBUTES=$(get OTEL_RESOURCE_ATTRIBUTES)" in STACK


@pytest.mark.parametrize("process", PROCESSES)
def test_each_secret_is_a_file_of_those_who_read_it(process: str) -> None:
    environment = SERVICES[process]["environment"]
    named = {path for name, path in environment.items() if name.endswith("_FILE")}

    assert {f"/run/secrets/{name}" for name in SERVICES[process]["secrets"]} == named
    assert set(SERVICES[process]["secrets"]) <= set(COMPOSE["secrets"])


def test_the_proxy_alone_has_a_published_port() -> None:
    assert [name for name, s in SERVICES.items() if "ports" in s] == ["proxy"]


def test_the_number_of_ai_workers_is_that_of_containers() -> None:
    assert "SEEDLOG_AI_WORKERS" in SERVICES["ai-worker"]["scale"]


def test_webhook_workers_alone_have_a_way_out() -> None:
    """What is not public is refused by their guard, address by address."""
    assert "SEEDLOG_WEBHOOK_WORKERS" in SERVICES["webhook-worker"]["scale"]
    ways_out = {name for name, s in SERVICES.items() if "out" in s["networks"]}
    assert ways_out == {"webhook-worker"}


def test_the_api_may_have_all_threads_that_can_be_set() -> None:
    assert SERVICES["api"]["pids_limit"] > MOST_API_THREADS + 64 * 16


def test_what_redis_writes_is_for_its_user_alone() -> None:
    script = (DEPLOY / "serve-log").read_text("utf-8")

    assert re.search(r"umask 077.*exec redis-server", script, re.S)


def test_every_setting_of_the_stack_is_in_its_manual() -> None:
    manual = (DEPLOY / "README.md").read_text("utf-8")
    compose = "".join(path.read_text("utf-8") for path in DEPLOY.glob("compose*.yaml"))
    made = {"SEEDLOG_SECRET_FILE", "SEEDLOG_SIGNING_KEY_FILE", "SEEDLOG_HOST"}
    made |= {"SEEDLOG_SECRETS", "SEEDLOG_SECRETS_DIGEST", "SEEDLOG_LOG_ID"}
    made |= {"SEEDLOG_VERSION", "SEEDLOG_REVISION"}

    for name in set(re.findall(r"\bSEEDLOG_[A-Z_]+\b", compose)) - made:
        assert f"`{name}`" in manual, name


KINDS = {
    kind: yaml.safe_load((DEPLOY / f"compose.{kind}.yaml").read_text("utf-8"))
    for kind in ("replicated", "clustered")
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_server_of_a_log_is_as_the_one_there(kind: str) -> None:
    """Durable, watched over its disk, hardened; with a name and a volume of its own."""
    own = KINDS[kind]["services"]
    servers = {name: own[name] for name in own if name.startswith("redis")}

    for name, server in servers.items():
        assert server["environment"]["LOG_KIND"] == kind
        assert server["environment"]["LOG_NAME"] == name
        assert "join-log" in server["configs"]
        if name != "redis":
            assert server["extends"] == {"file": "compose.yaml", "service": "redis"}
            assert set(server) == {"extends", "environment", "configs", "volumes"}
    volumes = [v for server in servers.values() for v in server.get("volumes", [])]
    assert len(set(volumes)) == len(volumes)


@pytest.mark.parametrize("kind", KINDS)
def test_every_process_waits_for_all_servers_of_a_log(kind: str) -> None:
    """What must be held by all of them could not be written before."""
    own = KINDS[kind]["services"]
    log = {name for name in own if name.startswith(("redis-", "sentinel-"))}

    for process in (*PROCESSES, "observer"):
        assert set(own[process]["depends_on"]) == log


def test_each_third_of_a_cluster_is_on_two_servers() -> None:
    """Slots are given once, and each copy stands beside the server that has them."""
    own = KINDS["clustered"]["services"]
    places = {n: own[n]["environment"] for n in own if n.startswith("redis")}
    slots = [p["LOG_SLOTS"].split() for p in places.values() if "LOG_SLOTS" in p]

    given = [slot for first, last in slots for slot in range(int(first), int(last) + 1)]
    assert given == list(range(16384))
    for name, place in places.items():
        assert places[place["LOG_PARTNER"]]["LOG_PARTNER"] == name
        assert ("LOG_SLOTS" in place) != ("LOG_SLOTS" in places[place["LOG_PARTNER"]])
        assert place["LOG_PEERS"].split() == list(places)


def test_the_doctor_is_told_what_a_worker_is_told() -> None:
    """How many replicas are wanted, too."""
    doctor = SERVICES["doctor"]

    assert doctor["environment"] == SERVICES["dispatcher"]["environment"]
    assert {*doctor["networks"]} == {"door", "log", "jobs"}
