"""The processes of `seedlog up` begin as copies of one, and are as if they did not."""

import os
import signal
from pathlib import Path

import pytest

from services.cli import forked
from tests.support.patience import wait_for
from tests.support.processes import children
from tests.support.stack import HELPERS, running_stack

ROLES = ("stream", "projector", "dispatcher", "archiver", "ai-worker")
AIS = {"south": {"kind": "ai", "level": 1}, "north": {"kind": "ai", "level": 1}}


def source_of(parent: int) -> int:
    """Return the process that the others are forked from."""
    commands = {
        pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in children([parent])
    }
    [source] = [pid for pid, said in commands.items() if HELPERS[0] in said]
    return source


def source_here() -> int:
    """Return the one of this process: another test may have begun it for its own."""
    source = forked._source()
    assert source is not None
    return source


def test_they_are_named_by_what_they_do_and_each_has_a_session(tmp_path: Path) -> None:
    with running_stack(tmp_path) as stack:
        for role in ROLES:
            [pid] = stack.pids(f"seedlog {role}")
            assert os.getsid(pid) == pid
        source = source_of(stack.process.pid)
        assert os.getsid(source) == source


def test_when_the_one_dies_all_are_started_again(tmp_path: Path) -> None:
    with running_stack(tmp_path) as stack:
        before = stack.pids("seedlog")
        match = stack.client.open_match("kalah", AIS)

        os.kill(source_of(stack.process.pid), signal.SIGKILL)

        wait_for("new ones", lambda: len(set(stack.pids("seedlog")) - set(before)) >= 5)
        assert stack.client.wait_for_end(match["id"])["status"] == "finished"
        assert not set(before) & set(stack.pids("seedlog"))


def test_when_the_one_stands_still_another_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked.begin_to_import()
    first = forked.Forked("check", {"SEEDLOG_DATA": str(tmp_path)})
    assert first.wait(60) == 0
    source = source_here()
    os.kill(source, signal.SIGSTOP)

    monkeypatch.setattr(forked, "START_WITHIN_S", 2.0)
    with pytest.raises(forked.NotForked):
        forked.Forked("check", {})

    monkeypatch.setattr(forked, "START_WITHIN_S", 60.0)

    def start_again() -> forked.Forked | None:
        try:
            return forked.Forked("check", {"SEEDLOG_DATA": str(tmp_path)})
        except forked.NotForked:  # that one is just dying
            return None

    assert wait_for("another", start_again).wait(60) == 0
    assert source_here() != source
    forked.end_importing()
