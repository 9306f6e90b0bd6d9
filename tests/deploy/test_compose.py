"""What compose.yaml hands to each process, held against what the process reads."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from services.settings import MOST_API_THREADS, PROCESSES, Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
OF_NO_USE = {"SEEDLOG_DATA"}  # no process of this stack can write outside its volumes


@pytest.mark.parametrize("process", PROCESSES)
def test_each_process_is_handed_what_it_reads_and_no_more(process: str) -> None:
    """A new setting says who reads it; secrets go to nobody else, and in files."""
    read = {
        setting.metadata["env"] + ("_FILE" if setting.metadata["is_secret"] else "")
        for setting in fields(Settings)
        if process in setting.metadata.get("read_by", PROCESSES)
    }

    environment = SERVICES[process]["environment"]
    standard = {name for name in environment if name.startswith("OTEL_")}

    assert set(environment) - standard == read - OF_NO_USE
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in standard


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
