"""What compose.yaml hands to each process, held against what the process reads."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from services.settings import MOST_API_THREADS, PROCESSES, Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
OF_NO_USE = {"SEEDLOG_DATA"}  # no process of this stack can write outside its volumes


@pytest.mark.parametrize("process", PROCESSES)
def test_each_process_is_handed_what_it_reads_and_no_more(process: str) -> None:
    """A new setting says who reads it; secrets go to nobody else."""
    read = {
        setting.metadata["env"]
        for setting in fields(Settings)
        if process in setting.metadata.get("read_by", PROCESSES)
    }

    assert set(SERVICES[process]["environment"]) == read - OF_NO_USE


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
    [*_, script] = SERVICES["redis"]["command"]

    assert re.search(r"umask 077.*exec redis-server", script, re.S)


def test_every_setting_of_the_stack_is_in_its_manual() -> None:
    manual = (DEPLOY / "README.md").read_text("utf-8")
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    made = {"SEEDLOG_SECRET", "SEEDLOG_SIGNING_KEY", "SEEDLOG_HOST"}
    made |= {"SEEDLOG_REDIS_PASSWORD", "SEEDLOG_QUEUE_PASSWORD"}
    made |= {"SEEDLOG_VERSION", "SEEDLOG_REVISION"}

    for name in set(re.findall(r"\bSEEDLOG_[A-Z_]+\b", compose)) - made:
        assert f"`{name}`" in manual, name
