"""An operator sees what a stack does: a move in the logs, all of it in the metrics."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
import yaml

from services.cli.redis_server import free_port
from services.client import Seedlog
from tests.support.commands import seedlog
from tests.support.observing import EXPORTED, OBSERVE, dashboard_expressions
from tests.support.otlp import Collector, Received
from tests.support.patience import wait_for
from tests.support.receiver import receiving
from tests.support.require import skip_without
from tests.support.serving import Client
from tests.support.stack import Stack

MOVE_REQUEST = "the-move-that-is-looked-for"
NOBODY_LISTENS = "http://127.0.0.1:9/"
CALLER = "0af7651916cd43dd8448eb211c80319c"
CALLER_SPAN = "b7ad6b7169203331"
TRACED = {
    "seedlog-api: moves.play_move",
    "seedlog-api: append",
    "seedlog-dispatcher: ask for turn",
    "seedlog-ai-worker: job ai-live",
    "seedlog-ai-worker: append",
    "seedlog-webhook-worker: webhook",
}


@pytest.fixture(scope="module")
def match_id(stack: Stack) -> str:
    """Let happen what there is to see: a match with an AI, and what goes wrong."""
    stack.client.webhooks.create(NOBODY_LISTENS, ["match.move_played"])
    seats = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": 1}}
    match = stack.client.open_match("kalah", seats=seats)
    url = f"{stack.url}/v1/matches/{match['id']}/moves"
    headers = {
        "Authorization": f"Bearer {match['seat_tokens']['south']}",
        "Content-Type": "application/json",
        "If-Match": '"3"',
        "X-Request-Id": MOVE_REQUEST,
    }
    urlopen(Request(url, b'{"move": "A"}', headers)).close()
    player = Seedlog(stack.url, match["seat_tokens"]["south"])
    with player:
        player.wait_for_turn(match["id"], "south")
        next(iter(player.follow(match["id"])))
    with Client(int(stack.url.rpartition(":")[2])) as client:
        client.ask(b"nonsense\r\n\r\n")
    return str(match["id"])


def lines(stack: Stack, *words: str) -> list[str]:
    """Return the lines of the log that hold all of some words."""
    written = (stack.data / "output.txt").read_text("utf-8").splitlines()
    return [line for line in written if all(word in line for word in words)]


def metrics(stack: Stack) -> str:
    return str(urlopen(f"{stack.facts['metrics_url']}/metrics").read().decode())


def test_a_move_is_followed_from_its_request_to_the_reply(
    stack: Stack, match_id: str
) -> None:
    """By grep, from one line to the next: request, match and version, job, reply."""
    [recorded] = lines(stack, "event=recorded", f"request={MOVE_REQUEST}")
    [answered] = lines(stack, "event=request", f"request={MOVE_REQUEST}")
    assert "process=api" in recorded
    assert f"match={match_id} version=4 events=match.move_played" in recorded
    assert "operation=moves.play_move status=201" in answered

    [asked] = lines(stack, 'event="turn asked for"', f"match={match_id} version=4")
    job = re.search(r"job=(\S+)", asked)
    assert job is not None
    [replied] = lines(stack, "process=ai-worker", "event=recorded", f"job={job[1]}")
    [done] = wait_for("the job", lambda: lines(stack, "event=job", f"job={job[1]}"))

    assert f"match={match_id} version=5 events=match.move_played" in replied
    assert "queue=ai-live outcome=done" in done
    assert wait_for("the webhook", lambda: lines(stack, "event=webhook", match_id))


def test_a_move_is_one_trace_over_all_processes(
    stack: Stack, collector: Collector
) -> None:
    """Begun by the caller, as W3C has it, and told by OTLP."""
    if find_spec("opentelemetry") is None:
        skip_without("otel", "the extra otel is not installed")
    seats = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": 1}}
    with receiving() as receiver:
        endpoint = stack.client.webhooks.create(receiver.url, ["match.move_played"])
        match = stack.client.open_match("kalah", seats=seats)
        headers = {
            "Authorization": f"Bearer {match['seat_tokens']['south']}",
            "Content-Type": "application/json",
            "If-Match": '"3"',
            "traceparent": f"00-{CALLER}-{CALLER_SPAN}-01",
        }
        url = f"{stack.url}/v1/matches/{match['id']}/moves"
        urlopen(Request(url, b'{"move": "A"}', headers)).close()

        def whole() -> dict[str, Received] | None:
            spans = collector.of(CALLER)
            return spans if set(spans) >= TRACED else None

        spans = wait_for("the trace", whole)
        stack.client.webhooks.delete(endpoint["id"])

    request = spans["seedlog-api: moves.play_move"]
    append = spans["seedlog-api: append"]
    asked = spans["seedlog-dispatcher: ask for turn"]
    job = spans["seedlog-ai-worker: job ai-live"]
    assert request.parent == CALLER_SPAN
    assert request.facts["http.response.status_code"] == "201"
    assert append.parent == request.id
    assert append.facts["seedlog.match"] == match["id"]
    assert append.facts["seedlog.version"] == "4"
    assert asked.parent == append.id
    assert job.parent == asked.id
    assert spans["seedlog-ai-worker: append"].parent == job.id


def test_every_figure_is_told_and_none_of_them_names_anybody(
    stack: Stack, match_id: str
) -> None:
    def missing() -> set[str]:
        told = metrics(stack)
        return {name for name in EXPORTED if f"\n{name}" not in told}

    wait_for("every figure", lambda: not missing())
    told = metrics(stack)

    assert match_id not in told
    assert "mat_" not in told
    assert "ten_" not in told
    assert "/v1" not in told
    assert 'seedlog_ai_turns_total{outcome="played"} ' in told
    assert "\nseedlog_log_up 1.0" in told


def test_metrics_are_not_told_where_clients_call(stack: Stack) -> None:
    for url in (stack.url, str(stack.facts["stream_url"])):
        port = int(url.rpartition(":")[2])
        with Client(port) as client:
            answer = client.ask(b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")
        assert answer.status == 404


@pytest.mark.usefixtures("match_id")
def test_top_shows_the_same_in_a_terminal(stack: Stack) -> None:
    shown = seedlog("top", "--once", SEEDLOG_DATA=str(stack.data))

    assert shown.exit_code == 0, shown.output
    rows = dict(
        re.split(r"  +", line, maxsplit=1) for line in shown.output.splitlines()
    )
    assert rows["event log"] == rows["job queue"] == "answers"
    assert "ai-worker 1" in rows["processes"]
    assert rows["dispatcher"] == "up to date"
    assert rows["queue ai-live"].startswith("0 waiting, 0 running")
    assert rows["moves"].endswith("a second")
    assert rows["requests a second"]


@contextmanager
def prometheus(folder: Path, target: str) -> Iterator[str]:
    """Run a Prometheus with our rules that asks one target, and yield its URL."""
    program = shutil.which("prometheus")
    if program is None:
        skip_without("prometheus", "no prometheus on PATH")
    config = yaml.safe_load((OBSERVE / "prometheus.yml").read_text("utf-8"))
    config["global"] = {"scrape_interval": "500ms", "evaluation_interval": "500ms"}
    config["rule_files"] = [str(OBSERVE / "alerts.yml")]
    [job] = config["scrape_configs"]
    job["static_configs"] = [{"targets": [target]}]
    del job["dns_sd_configs"], job["relabel_configs"]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    where = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [
            program,
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address={where}",
            "--log.level=error",
        ]
    )
    try:
        yield f"http://{where}/api/v1"
    finally:
        process.terminate()
        process.wait()


def ask(url: str) -> Any:
    answered = json.load(urlopen(url))
    assert answered["status"] == "success"
    return answered["data"]


@pytest.mark.usefixtures("match_id")
def test_prometheus_takes_what_is_told_and_grafana_finds_it(
    stack: Stack, tmp_path: Path
) -> None:
    target = str(stack.facts["metrics_url"]).removeprefix("http://")
    with prometheus(tmp_path, target) as url:

        def found(expression: str) -> Any:
            return ask(f"{url}/query?query={quote(expression)}")["result"]

        wait_for("a scrape of all", lambda: found("seedlog_log_up"))
        [up] = found('up{job="seedlog"}')
        rules = ask(f"{url}/rules")["groups"][0]["rules"]
        for expression in dashboard_expressions():
            found(expression.replace("$__rate_interval", "1m"))

    assert up["value"][1] == "1"
    assert {rule["health"] for rule in rules} <= {"ok", "unknown"}
    assert not [rule["lastError"] for rule in rules if rule.get("lastError")]
