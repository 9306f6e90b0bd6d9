"""`seedlog audit`: every match of a log, and on from where it was interrupted."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.audit import whole_log
from services.audit.whole_log import Progress, audit_log, count_matches
from services.bootstrap import Services
from services.eventlog import (
    PARTITIONS,
    EventLog,
    Head,
    LogUnavailable,
    Note,
    genesis,
    partition_of,
)
from services.eventlog.connection import Connections
from services.eventlog.keys import keys_of
from tests.support.commands import seedlog_of
from tests.support.harming import rewrite, with_field
from tests.support.tables import random_table

MATCHES = 12


@pytest.fixture
def filled(home: Services) -> Services:
    """Return an installation with a dozen matches, and something that is none."""
    for number in range(MATCHES):
        table = random_table(random.Random(number))
        name = f"mat_{number}"
        state = table.log.load(table.id)
        assert state is not None
        note = Note(state.snapshot, state.tenant)
        head = Head(0, genesis(name))
        home.event_log.append(name, head, table.log.read(table.id), note)
    events = home.event_log.read("mat_0")
    home.event_log.append("ana_1", Head(0, genesis("ana_1")), events, Note("", "ten_a"))
    return home


def spoil(services: Services, name: str) -> None:
    """Change a move where it is kept."""
    redis = Connections(services.settings.redis_url)
    key = f"m:{{{partition_of(name)}}}:{name}:st"
    redis.call("HSET", key, "h", "0" * 64)


def test_every_match_is_audited(filled: Services) -> None:
    ran = seedlog_of(filled, "audit", "--all")

    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith(f"{MATCHES} matches, ")
    assert ran.stdout.endswith("0 wrong\n")
    assert count_matches(filled.event_log) == MATCHES


def test_what_is_wrong_is_told_and_the_code_is_one(filled: Services) -> None:
    spoil(filled, "mat_3")

    everything, one = (
        seedlog_of(filled, "audit", "--all"),
        seedlog_of(filled, "audit", "mat_1", "mat_3"),
    )

    said = "mat_3: head: the hash kept beside the events is not the one they have"
    assert (everything.exit_code, one.exit_code) == (1, 1)
    assert said in everything.stdout.splitlines()
    assert one.stdout.splitlines()[1] == said
    assert one.stdout.startswith("mat_1: ok: ")
    assert seedlog_of(filled, "audit", "mat_none").exit_code == 1
    assert seedlog_of(filled, "audit").exit_code == 2


def test_an_interrupted_audit_goes_on_where_it_was(
    filled: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first half tells of what is wrong there, and the code says so at the end."""
    state = filled.settings.data / "audit.json"
    first = next(audit_log(filled.event_log, Progress())).match
    assert first is not None
    spoil(filled, first)
    seen: list[str] = []

    def interrupted(log: EventLog, progress: Progress) -> Iterator[object]:
        for verdict in audit_log(log, progress):
            seen.append(str(verdict.match))
            yield verdict
            if len(seen) == 5:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("services.cli.audit_commands.audit_log", interrupted)
        broken_off = seedlog_of(filled, "audit", "--all")
        assert broken_off.exit_code == 2
        assert "interrupted after 5 matches" in broken_off.stderr
        kept = state.read_text()
        resumed = seedlog_of(filled, "audit", "--all")

    assert resumed.exit_code == 1
    assert "going on after 5 matches, 1 wrong" in resumed.stderr
    assert resumed.stdout.splitlines()[-1].startswith(f"{MATCHES} matches, ")
    assert len(seen) == len(set(seen)) == MATCHES
    assert not state.exists()
    state.write_text(kept)
    anew = seedlog_of(filled, "audit", "--all", "--restart")
    assert "going on" not in anew.stderr
    assert anew.stdout.splitlines()[-1] == resumed.stdout.splitlines()[-1]


def test_a_log_that_is_away_is_come_back_to(
    filled: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "audit.json"

    def away(*_: object) -> object:
        raise LogUnavailable("the event log cannot be reached")

    with monkeypatch.context() as patch:
        patch.setattr(whole_log, "audit_match", away)
        assert seedlog_of(filled, "audit", "--all", "--state", state).exit_code == 2
    assert state.exists()
    assert seedlog_of(filled, "audit", "--all", "--state", state).exit_code == 0


def test_another_file_is_no_state(filled: Services, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("[]")

    assert seedlog_of(filled, "audit", "--all", "--state", other).exit_code == 2
    assert other.read_text() == "[]"
    nowhere = seedlog_of(
        filled, "audit", "--all", "--state", tmp_path / "missing" / "state.json"
    )
    assert nowhere.exit_code == 2
    assert "cannot be written" in nowhere.stderr


def test_a_match_that_vanishes_meanwhile_is_nothing_wrong(
    filled: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archiver removes those of sandboxes."""
    log = filled.event_log
    listed = {p: [*log.streams(p)] for p in range(PARTITIONS)}
    monkeypatch.setattr(log, "streams", lambda p: iter(listed[p]))
    log.vanish("mat_4", "ten_a")

    verdicts = [*audit_log(log, progress := Progress())]

    assert all(verdict.is_ok for verdict in verdicts)
    assert progress.matches == MATCHES - 1


def test_a_match_that_is_archived_meanwhile_is_audited_once(
    filled: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is listed among those in Redis, and then in the archive."""
    log, streams = filled.event_log, filled.event_log.streams
    monkeypatch.setattr(log, "streams", lambda p: iter([*streams(p)] * 2))

    assert len([*audit_log(log, Progress())]) == MATCHES
    assert count_matches(log) == MATCHES


@pytest.mark.parametrize("field", [3, 7])
def test_what_nobody_could_have_written_is_a_finding(
    filled: Services, field: int
) -> None:
    """A time beyond all calendars, and data that are no JSON."""
    redis = Connections(filled.settings.redis_url)
    rewrite(redis, "mat_5", with_field(2, field, "9" * 16))

    ran = seedlog_of(filled, "audit", "--all")

    assert ran.exit_code == 1
    assert [line for line in ran.stdout.splitlines() if line.startswith("mat_5: ")]
    assert ran.stdout.splitlines()[-1].startswith(f"{MATCHES} matches, ")


def test_an_event_that_the_head_does_not_know_is_a_finding(filled: Services) -> None:
    redis = Connections(filled.settings.redis_url)
    key = keys_of("mat_6").events
    [[last, fields]] = redis.call("XREVRANGE", key, "+", "-", "COUNT", 1)
    version = int(last.split("-")[0])
    redis.call("XADD", key, f"{version + 1}-0", *fields)

    ran = seedlog_of(filled, "audit", "--all")

    assert ran.exit_code == 1
    said = (
        f"the state says version {version}, but the stream holds {version + 1} events"
    )
    assert said in ran.stdout


def test_what_was_audited_of_another_log_counts_for_nothing(
    filled: Services, tmp_path: Path
) -> None:
    """A log that was restored from a backup, say."""
    progress, state = Progress(), tmp_path / "audit.json"
    verdicts = audit_log(filled.event_log, progress)
    for _ in range(MATCHES // 2):
        last = next(verdicts).match
    progress.save(state)
    filled.event_log.vanish(last, "ten_a")

    refused = seedlog_of(filled, "audit", "--all", "--state", state)

    assert refused.exit_code == 2
    assert f"{last} was audited before" in refused.stderr
    assert (
        seedlog_of(filled, "audit", "--all", "--restart", "--state", state).exit_code
        == 0
    )
