"""Analyses in Redis: asked for once, in turns of tenants, told by one worker."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from rules_core import start
from services.analysis import (
    MATCH,
    POSITION,
    Analyses,
    Analysis,
    NoSuchAnalysis,
    Question,
    TooManyAnalyses,
)
from services.analysis.analyses import ATTEMPTS, BELIEVED_MS, KEPT_MS
from services.analysis.analysis import DEPTH
from services.analysis.question import MOST_MATCH_MS, MOST_PLY_MS, affordable_ms
from services.analysis.showing import analysis_json
from services.eventlog import IdempotencyKey, KeyReused
from services.eventlog.connection import Connections

START = start("kalah", {})
FOUND = {"depth": 1, "nodes": 6, "time_ms": 0, "lines": []}


class Clock:
    """A time that the test sets."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def __call__(self) -> int:
        self.ms += 1
        return self.ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def analyses(real_redis: str, clock: Clock) -> Analyses:
    Connections(real_redis).call("FLUSHALL")
    return Analyses(real_redis, clock)


def question(number: int = 0, **given: Any) -> Question:
    asked = Question(
        kind=POSITION,
        game="kalah",
        rules="kalah/1",
        options=dict(START.options),
        snapshot=START.snapshot,
        time_ms=100 + number,
    )
    return replace(asked, **given)


def ask(analyses: Analyses, number: int = 0, tenant: str = "ten_a") -> Analysis:
    return analyses.ask(tenant, question(number), limit=None)


def begin(analyses: Analyses, worker: str = "w") -> Analysis:
    """Let a worker begin with what comes next."""
    taken = analyses.take_next()
    assert taken is not None
    begun = analyses.begin(taken, worker)
    assert begun is not None
    return begun


def test_a_question_waits_is_thought_about_and_answered(analyses: Analyses) -> None:
    asked = ask(analyses)
    assert (asked.status, asked.version, analyses.used("ten_a")) == ("waiting", 0, 1)
    begun = begin(analyses)
    assert (begun.id, begun.status, begun.question) == (
        asked.id,
        "running",
        question(),
    )
    assert analyses.tell(begun, "w", DEPTH, FOUND)
    assert analyses.finish(begun, "w")
    ended = analyses.read(asked.id)
    assert (ended.status, ended.version, ended.has_ended) == ("finished", 2, True)
    assert [found.type for found in analyses.events(asked.id)] == [
        "analysis.depth_reached",
        "analysis.finished",
    ]
    assert [found.version for found in analyses.events(asked.id, 1)] == [2]
    assert analysis_json(ended, analyses.events(asked.id))["depth"] == 1
    assert (analyses.used("ten_a"), analyses.take_next()) == (0, None)


def test_the_same_question_is_thought_about_once(analyses: Analyses) -> None:
    """For each tenant; and not for ever by what was canceled or has failed."""
    first = ask(analyses)
    assert ask(analyses).id == first.id
    assert ask(analyses, tenant="ten_b").id != first.id
    assert ask(analyses, 1).id != first.id
    for ending in (analyses.cancel, lambda analysis: analyses.fail(analysis, "error")):
        earlier = ask(analyses)
        ending(earlier)
        assert ask(analyses).id != earlier.id
    begun = analyses.begin(ask(analyses).id, "w")
    assert begun is not None
    analyses.finish(begun, "w")
    assert ask(analyses).id == begun.id


def test_a_request_with_a_key_comes_to_the_same(analyses: Analyses) -> None:
    """Also when what it came to was canceled, and never with another question."""
    key = IdempotencyKey("k", "digest")
    asked = analyses.ask("ten_a", question(), limit=None, key=key)
    assert analyses.find(key) == asked
    assert analyses.find(IdempotencyKey("other", "digest")) is None
    analyses.cancel(asked)
    assert analyses.ask("ten_a", question(), limit=None, key=key).id == asked.id
    with pytest.raises(KeyReused):
        analyses.ask("ten_a", question(1), limit=None, key=IdempotencyKey("k", "x"))
    with pytest.raises(KeyReused):
        analyses.find(IdempotencyKey("k", "x"))


def test_many_who_ask_the_same_at_once_ask_once(analyses: Analyses) -> None:
    ids = set[str]()
    threads = [
        threading.Thread(target=lambda: ids.add(ask(analyses).id)) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 1
    assert analyses.used("ten_a") == 1


def test_a_tenant_has_so_many_that_have_not_ended(analyses: Analyses) -> None:
    first = analyses.ask("ten_a", question(), limit=1)
    with pytest.raises(TooManyAnalyses, match=r"may have 1 .* and has 1"):
        analyses.ask("ten_a", question(1), limit=1)
    assert analyses.ask("ten_a", question(), limit=1).id == first.id
    assert analyses.ask("ten_b", question(), limit=1)
    analyses.cancel(first)
    assert analyses.ask("ten_a", question(1), limit=1)


def test_those_who_hold_tokens_have_two_of_a_match(analyses: Analyses) -> None:
    """However many hold one, and from wherever they ask; the app is not held up."""

    def of_match(number: int, asker: str) -> Analysis:
        asked = question(number, kind=MATCH, snapshot="", match="mat_1", version=3)
        return analyses.ask("ten_a", asked, limit=None, asker=asker)

    first = of_match(1, "mat_1.south")
    of_match(2, "spectator mat_1 192.0.2.1")
    with pytest.raises(TooManyAnalyses, match="tokens of a match may have 2"):
        of_match(3, "spectator mat_1 192.0.2.2")
    assert of_match(3, "")
    analyses.cancel(first)
    assert of_match(4, "mat_1.north")


def test_tenants_take_turns(analyses: Analyses) -> None:
    many = [ask(analyses, number, "ten_many").id for number in range(5)]
    few = [ask(analyses, number, "ten_few").id for number in range(2)]
    late = ask(analyses, 0, "ten_late").id
    served = [analyses.take_next() for _ in range(9)]
    assert served == [many[0], few[0], late, many[1], few[1], *many[2:], None]


def test_who_comes_again_is_not_served_before_who_waits(analyses: Analyses) -> None:
    """One who asks one thing after the other has no more turns than all others."""
    many = [ask(analyses, number, "ten_many").id for number in range(3)]
    served = []
    for number in range(6):
        ask(analyses, number, "ten_again")
        served.append(analyses.take_next())
    assert [one in many for one in served] == [True, False] * 3


def test_who_is_believed_dead_tells_nothing_any_more(
    analyses: Analyses, clock: Clock
) -> None:
    ask(analyses)
    begun = begin(analyses, "first")
    assert analyses.begin(begun.id, "second") is None
    assert analyses.renew(begun.id, "first")
    assert analyses.overdue() == []
    clock.ms += BELIEVED_MS
    assert analyses.overdue() == [begun.id]
    analyses.revive(begun.id)
    assert analyses.read(begun.id).status == "waiting"
    assert not analyses.renew(begun.id, "first")
    again = begin(analyses, "second")
    assert again.id == begun.id
    assert not analyses.tell(begun, "first", DEPTH, FOUND)
    assert not analyses.finish(begun, "first")
    assert analyses.tell(begun, "second", DEPTH, FOUND)
    assert analyses.finish(begun, "second")


def test_what_kills_its_workers_has_failed_at_last(
    analyses: Analyses, clock: Clock
) -> None:
    asked = ask(analyses)
    for _ in range(ATTEMPTS):
        assert analyses.read(asked.id).status == "waiting"
        begin(analyses)
        clock.ms += BELIEVED_MS
        analyses.revive(asked.id)
    failed = analyses.read(asked.id)
    assert (failed.status, failed.failed_for) == ("failed", "worker-died")
    [told] = analyses.events(asked.id)
    assert (told.type, told.data) == ("analysis.failed", {"reason": "worker-died"})
    assert (analyses.overdue(), analyses.used("ten_a")) == ([], 0)


def test_giving_back_is_no_death(analyses: Analyses) -> None:
    asked = ask(analyses)
    for _ in range(ATTEMPTS + 2):
        analyses.give_back(begin(analyses), "w")
    assert analyses.read(asked.id).status == "waiting"
    assert analyses.overdue() == []


def test_a_job_that_never_came_is_asked_for_again(
    analyses: Analyses, clock: Clock
) -> None:
    """It was taken to be put in the queue, and nobody began; that is no attempt."""
    asked = ask(analyses)
    assert analyses.take_next() == asked.id
    assert analyses.take_next() is None
    clock.ms += BELIEVED_MS
    analyses.look_again(asked.id)
    assert analyses.overdue() == []
    clock.ms += BELIEVED_MS
    analyses.revive(asked.id)
    assert analyses.read(asked.id).attempts == 0
    assert analyses.take_next() == asked.id


@pytest.mark.parametrize("is_running", [True, False])
def test_who_cancels_is_heard_once(analyses: Analyses, is_running: bool) -> None:
    asked = ask(analyses)
    if is_running:
        begin(analyses)
    analyses.cancel(asked)
    analyses.cancel(asked)
    assert not analyses.renew(asked.id, "w")
    assert not analyses.tell(asked, "w", DEPTH, FOUND)
    assert [found.type for found in analyses.events(asked.id)] == ["analysis.canceled"]
    assert (analyses.overdue(), analyses.take_next()) == ([], None)
    assert analyses.begin(asked.id, "w") is None


def test_the_last_that_ended_are_kept(
    analyses: Analyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that have not ended are, however old."""
    monkeypatch.setattr("services.analysis.analyses.MOST_KEPT", 3)
    waiting = ask(analyses, 100)
    ended = []
    for number in range(4):
        ended.append(ask(analyses, number))
        analyses.cancel(ended[-1])
    with pytest.raises(NoSuchAnalysis):
        analyses.read(ended[0].id)
    assert analyses.events(ended[0].id) == []
    assert analyses.read(waiting.id).status == "waiting"
    assert [analyses.read(one.id).status for one in ended[1:]] == ["canceled"] * 3


def test_nothing_stays_for_longer_than_a_day(
    analyses: Analyses, real_redis: str
) -> None:
    key = IdempotencyKey("k", "digest")
    asked = analyses.ask("ten_a", question(), limit=9, asker="mat_1.south", key=key)
    analyses.tell(begin(analyses), "w", DEPTH, FOUND)
    redis = Connections(real_redis)
    bounded = ("{analyses}:tenants", "{analyses}:turns", "{analyses}:news")
    bounded += ("{analyses}:taken",)
    keys = set(redis.call("KEYS", "*")) - set(bounded)
    assert len(keys) >= 6
    for name in keys:
        assert 0 < redis.call("PTTL", name) <= KEPT_MS, name
    assert asked.until_ms == asked.asked_ms + KEPT_MS


def test_news_are_waited_for(analyses: Analyses) -> None:
    """And whose they are: nobody looks at all the others."""
    seen, told = analyses.news("", 0)
    assert analyses.news(seen, 0.01) == (seen, told) == (seen, set())
    ids = {ask(analyses, number).id for number in range(3)}
    later, told = analyses.news(seen, 0.01)
    assert (told, later != seen) == (ids, True)
    assert analyses.news(later, 0.01) == (later, set())


def test_what_is_not_there_is_not_kept(analyses: Analyses) -> None:
    assert analyses.is_kept(ask(analyses).id)
    assert not analyses.is_kept("ana_none")


@pytest.mark.parametrize("positions", [1, 100, 120, 121, 10_001, 10**7])
def test_all_positions_of_a_match_together_have_ten_minutes(positions: int) -> None:
    each = affordable_ms(positions)
    assert 1 <= each <= MOST_PLY_MS
    assert positions * each <= max(MOST_MATCH_MS, positions)
