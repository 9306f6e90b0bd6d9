"""What `seedlog top` makes of two looks at a stack."""

import math
from collections.abc import Iterable
from pathlib import Path

from services.cli.top import Between, Look, table
from services.metrics import figures
from tests.support.commands import seedlog

READINGS = {
    ("seedlog_log_up",): 1.0,
    ("seedlog_queue_up",): 1.0,
    ("seedlog_processes", "dispatcher"): 2.0,
    ("seedlog_processes", "ai-worker"): 0.0,
    ("seedlog_log_bytes",): 3 * 1024 * 1024.0,
    ("seedlog_log_limit_bytes",): 512 * 1024 * 1024.0,
    ("seedlog_matches", "log"): 1234.0,
    ("seedlog_matches", "archive"): 5.0,
    ("seedlog_replicas_wanted",): 0.0,
    ("seedlog_replicas",): 0.0,
    ("seedlog_turns_waiting",): 7.0,
    ("seedlog_turns_overdue",): 6.0,
    ("seedlog_follower_behind_entries", "view:matches"): 40.0,
    ("seedlog_follower_behind_seconds", "view:matches"): 12.34,
    ("seedlog_view_stopped", "matches"): 1.0,
    ("seedlog_jobs_waiting", "ai-live"): 7.0,
    ("seedlog_jobs_running", "ai-live"): 0.0,
    ("seedlog_jobs_failed", "ai-live"): 2.0,
}


def recorded(moves: float, slow: float) -> dict[str, dict[frozenset, float]]:
    labels = {("method", "POST"), ("operation", "moves.play_move")}
    name = figures.REQUEST_SECONDS.name

    def below(bound: float, count: float) -> tuple[frozenset, float]:
        return frozenset({*labels, ("le", str(bound))}), count

    buckets = dict([below(0.005, moves), below(math.inf, moves + slow)])
    return {
        f"{name}_bucket": buckets,
        f"{name}_count": {frozenset(labels): moves + slow},
    }


def rows(between: Between) -> dict[str, str]:
    return rows_of(table(between))


def rows_of(lines: Iterable[str]) -> dict[str, str]:
    """Return what each row tells; how wide its label stands depends on the widest."""
    shown = (line.split("  ", 1) for line in lines)
    return {label: text.strip() for label, text in shown}


def test_what_stands_in_the_log_is_told_also_without_metrics() -> None:
    told = rows(Between(Look(0, READINGS), Look(2, READINGS)))

    assert told["ABSENT"] == "ai-worker"
    assert told["processes"] == "dispatcher 2"
    assert told["memory"] == "3.0 of 512 MiB"
    assert told["matches"] == "1,234, archived 5"
    assert told["turns of AIs"] == "7 waiting, 6 overdue"
    assert told["view:matches"] == "STANDS STILL, 40 entries, 12.3 s behind"
    assert told["queue ai-live"] == "7 waiting, 0 running, 2 FAILED"
    assert "SEEDLOG_METRICS_PORT" in told["metrics"]


def test_what_is_recorded_is_told_as_it_was_between_two_looks() -> None:
    before = Look(10, READINGS, recorded(1000, 1000))
    now = Look(12, READINGS, recorded(1196, 1004))

    told = rows(Between(before, now))

    assert told["moves"] == "100.0 a second, p50 < 5 ms, p95 < 5 ms, p99 < ever"


def test_what_does_not_answer_is_said_and_the_rest_is_told() -> None:
    """Of what is away nothing else is known."""
    of_queue = {key: value for key, value in READINGS.items() if "jobs" in key[0]}
    without_log = {**of_queue, ("seedlog_log_up",): 0.0, ("seedlog_queue_up",): 1.0}

    told = rows(Between(Look(0, without_log), Look(1, without_log)))

    assert told["event log"] == "DOES NOT ANSWER"
    assert told["job queue"] == "answers"
    assert "queue ai-live" in told
    assert "memory" not in told


def test_without_the_queue_the_rest_is_shown(tmp_path: Path, real_redis: str) -> None:
    """Where the API runs, nobody knows the way to the queue."""
    shown = seedlog("top", "--once", SEEDLOG_DATA=str(tmp_path), REDIS_URL=real_redis)

    assert shown.exit_code == 0, shown.output
    told = rows_of(shown.output.splitlines())
    assert told["job queue"] == "not looked at: QUEUE_URL is not set here"
    assert told["turns of AIs"] == "0 waiting, 0 overdue"


def test_without_a_stack_it_says_what_to_do(tmp_path: Path) -> None:
    shown = seedlog("top", "--once", SEEDLOG_DATA=str(tmp_path))

    assert shown.exit_code == 1
    assert "seedlog up" in shown.output
