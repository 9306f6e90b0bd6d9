"""Thinking about analyses: what is told, by whom, and when it ends."""

import itertools
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rules_core import Position, start
from rules_core.search.cancel import Cancel
from rules_core.search.thinking import Budget, Line, Thought, think
from services.analysis import HINT, MATCH, POSITION, Analyses, Analysis, Question
from services.analysis.analysis import PLY
from services.analysis.showing import analysis_json
from services.eventlog import LogUnavailable
from services.languages import Message
from services.match import OpenMatch, PlayMove, Resign
from services.settings import Settings
from tests.support.crew import CONTEXT
from tests.support.patience import wait_for
from tests.workers.stack import HUMAN, Stack
from workers.analyse import Job, analyse
from workers.analyses import AHEAD, AnalysisDispatcher
from workers.jobs import THINKING
from workers.queues import AI_BATCH, job_queue
from workers.run import run_analysis_worker

NEVER = threading.Event()
START = start("kalah", {"pits": 3, "seeds": 2})
LINE = Line(("A",), 1.5, exact=False, depth=1)


@pytest.fixture
def analyses(stack: Stack, real_redis: str) -> Analyses:
    return Analyses(real_redis, lambda: time.time_ns() // 1_000_000)


def position(**given: Any) -> Question:
    asked = Question(
        kind=POSITION,
        game="kalah",
        rules="kalah/1",
        options=dict(START.options),
        snapshot=START.snapshot,
        time_ms=60_000,
    )
    return replace(asked, **given)


def ask(analyses: Analyses, **given: Any) -> Analysis:
    return analyses.ask("ten_a", position(**given), limit=None)


def of_match(stack: Stack, analyses: Analyses, moves: int, **given: Any) -> Analysis:
    """Ask about a match of so many moves; the first ones that are legal."""
    opening = OpenMatch(
        game="kalah",
        tenant="ten_a",
        options=dict(START.options),
        seats={"south": HUMAN, "north": HUMAN},
    )
    match = stack.matches.handle("mat_1", opening, by="key:k").match
    for _ in range(moves):
        assert match.position is not None
        move = PlayMove(seat=str(match.to_move), move=match.position.legal_moves[0])
        match = stack.matches.handle("mat_1", move, by="seat").match
    asked = {"kind": MATCH, "snapshot": "", "match": "mat_1", "version": match.version}
    return ask(analyses, **{**asked, **given})


def run(
    stack: Stack,
    analyses: Analyses,
    asked: Analysis,
    think_about: Callable[..., Thought] = think,
) -> dict[str, Any]:
    """Let a worker think about an analysis; return it as it is shown."""
    analyse(analyses, stack.matches, asked.id, NEVER, think_about)
    return analysis_json(analyses.read(asked.id), analyses.events(asked.id))


def test_a_small_game_is_solved_and_each_depth_told(
    stack: Stack, analyses: Analyses
) -> None:
    asked = ask(analyses, lines=3)

    shown = run(stack, analyses, asked)

    assert shown["status"] == "finished"
    best, *others = shown["lines"]
    assert best["exact"]
    assert best["value"] > 0
    assert len(others) == 2
    told = analyses.events(asked.id)[:-1]
    depths = [found.data["depth"] for found in told]
    assert depths == sorted(set(depths))
    assert depths[-1] == shown["depth"] == best["depth"]


def test_a_match_is_judged_move_by_move(stack: Stack, analyses: Analyses) -> None:
    """Each position once; what a move is worth is what the position after it is."""
    shown = run(stack, analyses, of_match(stack, analyses, 3))

    plies = shown["plies"]
    assert [ply["ply"] for ply in plies] == [1, 2, 3]
    assert plies[0]["best"]["value"] > 0
    assert all(ply["exact"] for ply in plies)
    after = START
    for ply in plies:
        mover = after.to_move
        after = after.play(ply["move"])
        [line] = think(after, Budget(10.0)).lines
        worth = line.value if after.to_move == mover else -line.value
        assert (ply["seat"], ply["value"]) == (mover, worth)
        assert ply["loss"] == max(0.0, ply["best"]["value"] - worth)
    assert {told["ply"] for told in shown["mistakes"]} == {
        ply["ply"] for ply in plies if ply["loss"] >= 1
    }


def test_a_match_is_judged_to_its_end(stack: Stack, analyses: Analyses) -> None:
    """The last move leads to no position to think about: its margin is what it is."""
    asked = of_match(stack, analyses, 0)
    match = stack.matches.load("mat_1")
    while match.to_move is not None:
        assert match.position is not None
        move = PlayMove(seat=match.to_move, move=match.position.legal_moves[-1])
        match = stack.matches.handle("mat_1", move, by="seat").match
    analyses.cancel(asked)
    version = {"version": match.version}
    asked = analyses.ask("ten_a", asked.question.but(**version), limit=None)

    shown = run(stack, analyses, asked)

    assert len(shown["plies"]) == match.ply
    assert match.outcome is not None
    score = match.outcome.score
    last = shown["plies"][-1]
    other = match.other(last["seat"])
    assert (last["value"], last["exact"]) == (score[last["seat"]] - score[other], True)


def test_nothing_is_told_of_what_to_play_now(stack: Stack, analyses: Analyses) -> None:
    """A match that goes on is judged up to its last move."""
    shown = run(stack, analyses, of_match(stack, analyses, 2))
    assert [ply["ply"] for ply in shown["plies"]] == [1, 2]
    assert shown["lines"] == []


def test_a_match_that_was_given_up_is_judged(stack: Stack, analyses: Analyses) -> None:
    of_match(stack, analyses, 1)
    given_up = stack.matches.handle("mat_1", Resign(seat="south"), by="seat").match
    version = {"kind": MATCH, "snapshot": "", "match": "mat_1"}
    asked = ask(analyses, version=given_up.version, **version)
    assert len(run(stack, analyses, asked)["plies"]) == 1


def test_another_worker_goes_on_behind_what_was_told(
    stack: Stack, analyses: Analyses
) -> None:
    """It thinks about nothing twice but the position that it begins with."""
    asked = of_match(stack, analyses, 4)
    whole = run(stack, analyses, asked)["plies"]
    analyses.cancel(asked)
    again = analyses.ask("ten_a", asked.question.but(time_ms=59_999), limit=None)
    first = analyses.begin(again.id, "first")
    assert first is not None
    for ply in whole[:2]:
        analyses.tell(first, "first", "analysis.ply_judged", ply)
    analyses.give_back(first, "first")
    thought_about: list[str] = []

    def count(position: Position, *given: Any, **named: Any) -> Thought:
        thought_about.append(str(position))
        return think(position, *given, **named)

    shown = run(stack, analyses, again, count)

    assert [ply["ply"] for ply in shown["plies"]] == [1, 2, 3, 4]
    timeless = [{**ply, "nodes": 0, "time_ms": 0} for ply in shown["plies"]]
    assert timeless == [{**ply, "nodes": 0, "time_ms": 0} for ply in whole]
    assert len(thought_about) == len(set(thought_about)) == 3


def test_a_match_lets_others_go_first_when_it_had_its_share(
    stack: Stack, analyses: Analyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also another of its tenant; then it goes on where it was, and nothing is lost."""
    monkeypatch.setattr("workers.analyse.SHARE_S", 0.0)
    long = of_match(stack, analyses, 4, nodes=50)
    assert analyses.take_next() == long.id
    other = ask(analyses, nodes=50)

    shown = run(stack, analyses, long)
    assert (shown["status"], len(shown["plies"])) == ("waiting", 1)
    assert [analyses.take_next() for _ in range(2)] == [other.id, long.id]
    shown = run(stack, analyses, long)
    assert (shown["status"], len(shown["plies"])) == ("waiting", 2)  # it is in the list
    run(stack, analyses, other)

    assert analyses.take_next() == long.id
    shown = run(stack, analyses, long)
    assert (shown["status"], len(shown["plies"])) == ("finished", 4)
    assert analyses.read(long.id).attempts == 1


def test_who_waits_for_a_hint_waits_for_no_other_of_the_tenant(
    analyses: Analyses,
) -> None:
    first = ask(analyses)
    hint = ask(analyses, kind=HINT, match="mat_1", seat="south")

    assert [analyses.take_next() for _ in range(2)] == [hint.id, first.id]


def test_deeper_is_told_by_who_begins_again(stack: Stack, analyses: Analyses) -> None:
    asked = ask(analyses)
    first = analyses.begin(asked.id, "first")
    assert first is not None
    told = {"depth": 4, "nodes": 1, "time_ms": 1, "lines": []}
    analyses.tell(first, "first", "analysis.depth_reached", told)
    analyses.give_back(first, "first")

    shown = run(stack, analyses, asked)

    depths = [found.data["depth"] for found in analyses.events(asked.id)[:-1]]
    assert depths == sorted(set(depths))
    assert shown["depth"] > 4


def test_too_little_time_for_one_look_at_each_move_is_enough(
    stack: Stack, analyses: Analyses
) -> None:
    """A match is judged by something, and whoever asks of a position gets a line."""
    judged = run(stack, analyses, of_match(stack, analyses, 2, nodes=1))
    assert [ply["best"]["depth"] for ply in judged["plies"]] == [1, 1]
    [line] = run(stack, analyses, ask(analyses, nodes=1))["lines"]
    assert line["depth"] == 1


class Thinker:
    """Thinks until it is told to stop, and then returns what it had."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.priority = 0

    def __call__(
        self,
        position: Position,
        budget: Budget,
        *,
        lines: int,
        on_depth: Callable[[Thought], None],
        cancel: Cancel,
        **_: Any,
    ) -> Thought:
        self.priority = os.nice(0)
        on_depth(Thought((LINE,), 1, 2, 0.1))
        self.has_begun.set()
        while not cancel.is_set():
            time.sleep(0.002)
        return Thought((LINE,), 1, 3, 0.2)


def thinking(
    stack: Stack, analyses: Analyses, asked: Analysis, stop: threading.Event
) -> tuple[threading.Thread, Thinker]:
    thinker = Thinker()
    given = (analyses, stack.matches, asked.id, stop, thinker)
    thread = threading.Thread(target=analyse, args=given)
    thread.start()
    assert thinker.has_begun.wait(10)
    return thread, thinker


def test_it_is_thought_about_at_leisure(stack: Stack, analyses: Analyses) -> None:
    """The thread that thinks has the lowest priority, and no other has."""
    stop = threading.Event()
    thread, thinker = thinking(stack, analyses, ask(analyses), stop)
    stop.set()
    thread.join(10)
    assert (thinker.priority, os.nice(0) < 19) == (19, True)


def test_a_hint_is_found_beside_what_takes_its_time(
    stack: Stack, analyses: Analyses
) -> None:
    """One after the other; and they wait for nobody any more."""
    stop, thinker, long = threading.Event(), Thinker(), ask(analyses)

    def think_about(position: Position, budget: Budget, **given: Any) -> Thought:
        return (think if budget.nodes else thinker)(position, budget, **given)

    given = (analyses, stack.matches, long.id, stop, think_about)
    thread = threading.Thread(target=analyse, args=given)
    thread.start()
    assert thinker.has_begun.wait(10)
    hints = [
        ask(analyses, kind=HINT, match="mat_1", seat=seat, nodes=50).id
        for seat in ("south", "north")
    ]
    wait_for("hints", lambda: all(analyses.read(one).has_ended for one in hints))

    assert analyses.read(long.id).status == "running"
    assert (analyses.next_hint(), analyses.take_next()) == (None, None)
    stop.set()
    thread.join(10)
    assert analyses.read(long.id).status == "waiting"
    for hint in hints:
        shown = analysis_json(analyses.read(hint), analyses.events(hint))
        assert (shown["status"], shown["lines"][0]["depth"] > 0) == ("finished", True)


def test_a_hint_that_is_given_back_is_found_by_the_next(
    stack: Stack, analyses: Analyses
) -> None:
    """Its worker had to end, or has died: it waits as one that was never begun."""
    hint = ask(analyses, kind=HINT, match="mat_1", seat="south", nodes=50)
    begun = analyses.begin(hint.id, "first")
    assert begun is not None
    assert analyses.next_hint() is None
    analyses.give_back(begun, "first")
    assert analyses.next_hint() == hint.id

    assert run(stack, analyses, hint)["status"] == "finished"
    assert analyses.next_hint() is None


def test_who_cancels_is_heard_while_it_runs(stack: Stack, analyses: Analyses) -> None:
    asked = ask(analyses)
    thread, _ = thinking(stack, analyses, asked, NEVER)
    analyses.cancel(asked)
    thread.join(10)
    assert not thread.is_alive()
    types = [found.type for found in analyses.events(asked.id)]
    assert types == ["analysis.depth_reached", "analysis.canceled"]


def test_who_cancels_as_it_begins_is_heard(stack: Stack, analyses: Analyses) -> None:
    asked = ask(analyses)
    begun = analyses.begin(asked.id, "w-1")
    assert begun is not None
    analyses.cancel(asked)
    job = Job(analyses, stack.matches, begun, "w-1", think)
    job.run()

    assert job.error is None
    types = [found.type for found in analyses.events(asked.id)]
    assert types == ["analysis.canceled"]


def test_a_worker_that_has_to_end_gives_back(stack: Stack, analyses: Analyses) -> None:
    asked, stop = ask(analyses), threading.Event()
    thread, _ = thinking(stack, analyses, asked, stop)
    stop.set()
    thread.join(10)
    left = analyses.read(asked.id)
    assert (left.status, left.attempts) == ("waiting", 0)
    assert analyses.take_next() == asked.id


def away(
    patch: pytest.MonkeyPatch, name: str, times: float, *, at: str = "asking"
) -> None:
    """Let what is asked of analyses by a name fail so often: asked, or answered."""
    ask_them, failed = getattr(Analyses, name), itertools.count()

    def fail(self: Analyses, *given: Any, **named: Any) -> Any:
        fails = next(failed) < times
        answer = None if fails and at == "asking" else ask_them(self, *given, **named)
        if fails:
            raise LogUnavailable(Message("Redis did not answer"))
        return answer

    patch.setattr(Analyses, name, fail)


@pytest.mark.parametrize("at", ["asking", "answering"])
@pytest.mark.parametrize("name", ["renew", "next_hint", "tell", "finish"])
def test_a_log_that_is_away_for_a_moment_ends_no_analysis(
    stack: Stack,
    analyses: Analyses,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    at: str,
) -> None:
    """Nobody has died; three such moments had been the end of it."""
    monkeypatch.setattr("workers.analyse.RENEW_S", 0.01)
    away(monkeypatch, name, 3, at=at)

    def think_on(*given: Any, **named: Any) -> Thought:
        time.sleep(0.2)
        return think(*given, **named)

    shown = run(stack, analyses, ask(analyses), think_on)

    assert (shown["status"], analyses.read(shown["id"]).attempts) == ("finished", 1)
    depths = [found.data["depth"] for found in analyses.events(shown["id"])[:-1]]
    assert depths == sorted(set(depths))


def test_a_log_that_stays_away_is_left_to_others(
    stack: Stack, analyses: Analyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once this worker is not believed in any more, another may be at it."""
    monkeypatch.setattr("workers.analyse.RENEW_S", 0.01)
    monkeypatch.setattr("workers.analyse.BELIEVED_S", 0.05)
    away(monkeypatch, "renew", math.inf)
    away(monkeypatch, "tell", math.inf)

    with pytest.raises(LogUnavailable):
        analyse(analyses, stack.matches, ask(analyses).id, NEVER, Thinker())


def test_what_is_told_again_is_told_once(analyses: Analyses) -> None:
    """The reply was lost: whoever goes on would believe that another ply is judged."""
    begun = analyses.begin(ask(analyses).id, "w")
    assert begun is not None
    for ply, after in ((1, 0), (2, 1), (2, 1), (3, 2)):
        assert analyses.tell(begun, "w", PLY, {"ply": ply}, after)

    told = [(found.version, found.data["ply"]) for found in analyses.events(begun.id)]
    assert told == [(1, 1), (2, 2), (3, 3)]


def test_a_ply_that_was_told_twice_lets_no_other_be_left_out(
    stack: Stack, analyses: Analyses
) -> None:
    """As of a worker of before, which did not say what it went on from."""
    asked = of_match(stack, analyses, 4)
    whole = run(stack, analyses, asked)["plies"]
    again = analyses.ask("ten_a", asked.question.but(time_ms=59_999), limit=None)
    first = analyses.begin(again.id, "first")
    assert first is not None
    for ply in (whole[0], whole[1], whole[1]):
        analyses.tell(first, "first", PLY, ply)
    analyses.give_back(first, "first")

    shown = run(stack, analyses, again)

    assert [ply["ply"] for ply in shown["plies"]] == [1, 2, 2, 3, 4]


def test_who_has_to_end_tells_what_was_found_last(
    stack: Stack, analyses: Analyses
) -> None:
    asked, stop, thinker = ask(analyses), threading.Event(), Thinker()

    def look_deeper(*given: Any, **named: Any) -> Thought:
        thinker(*given, **named)
        return Thought((LINE,), 2, 3, 0.2)

    given = (analyses, stack.matches, asked.id, stop, look_deeper)
    thread = threading.Thread(target=analyse, args=given)
    thread.start()
    assert thinker.has_begun.wait(10)
    stop.set()
    thread.join(10)

    assert [found.data["depth"] for found in analyses.events(asked.id)] == [1, 2]


def test_what_goes_wrong_is_said(stack: Stack, analyses: Analyses) -> None:
    def fail(*_: object, **__: object) -> Thought:
        raise ZeroDivisionError

    shown = run(stack, analyses, ask(analyses), fail)
    assert (shown["status"], shown["failed_for"]) == ("failed", "error")


def test_a_match_that_is_gone_is_said(stack: Stack, analyses: Analyses) -> None:
    given = {"kind": MATCH, "snapshot": "", "match": "mat_none", "version": 3}
    shown = run(stack, analyses, ask(analyses, **given))
    assert (shown["status"], shown["failed_for"]) == ("failed", "match-unreadable")


def test_two_jobs_for_one_are_one(stack: Stack, analyses: Analyses) -> None:
    asked = ask(analyses)
    run(stack, analyses, asked)
    before = analyses.events(asked.id)
    run(stack, analyses, asked)
    assert analyses.events(asked.id) == before


def test_the_list_is_kept_short(stack: Stack, analyses: Analyses) -> None:
    """Or who asks for a hundred would be before who asks for one."""
    queue = job_queue(stack.redis, AI_BATCH)
    dispatcher = AnalysisDispatcher(analyses, queue)
    for number in range(9):
        ask(analyses, time_ms=1 + number)
    assert dispatcher.run_once() == AHEAD
    assert dispatcher.run_once() == 0
    assert len(THINKING.waiting(queue)) == AHEAD
    late = analyses.ask("ten_b", position(), limit=None)
    stack.redis.rpop(queue.key)
    assert dispatcher.run_once() == 1
    stack.redis.lpop(queue.key)
    assert dispatcher.run_once() == 1
    assert late.id in THINKING.waiting(queue)


def test_what_the_queue_has_lost_is_asked_for_again(
    stack: Stack, analyses: Analyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = job_queue(stack.redis, AI_BATCH)
    dispatcher = AnalysisDispatcher(analyses, queue)
    asked = ask(analyses)
    dispatcher.run_once()
    monkeypatch.setattr(analyses, "_now_ms", lambda: time.time_ns() // 10**6 + 4_000)
    assert dispatcher.run_once() == 0  # it waits honestly
    stack.redis.delete(queue.key)
    monkeypatch.setattr(analyses, "_now_ms", lambda: time.time_ns() // 10**6 + 8_000)
    assert dispatcher.run_once() == 1
    assert THINKING.waiting(queue) == {asked.id}


def _work(settings: Settings) -> None:
    os.environ["REDIS_URL"] = settings.redis_url
    os.environ["SEEDLOG_SECRET"] = settings.secret
    run_analysis_worker(settings)


def test_what_a_killed_worker_was_at_goes_on_elsewhere(
    stack: Stack, analyses: Analyses, real_redis: str
) -> None:
    """And is told once and in order. How soon, `tests.bench.analyses` measures."""
    settings = Settings(redis_url=real_redis, queue_url=real_redis, secret="s" * 32)
    dispatcher = AnalysisDispatcher(analyses, job_queue(stack.redis, AI_BATCH))
    oware = start("oware")
    asked = ask(
        analyses,
        game="oware",
        rules=oware.game.rules,
        options=dict(oware.options),
        snapshot=oware.snapshot,
        time_ms=1_000,
    )

    def attempts() -> int:
        dispatcher.run_once()
        return analyses.read(asked.id).attempts

    workers = [CONTEXT.Process(target=_work, args=(settings,)) for _ in range(2)]
    try:
        workers[0].start()
        wait_for(
            "the analysis", lambda: attempts() == 1 and analyses.read(asked.id).version
        )
        workers[0].kill()
        workers[1].start()
        wait_for("the analysis", lambda: attempts() == 2)
        wait_for("the analysis", lambda: analyses.read(asked.id).has_ended)
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
    assert analyses.read(asked.id).status == "finished"
    *told, _ = analyses.events(asked.id)
    depths = [found.data["depth"] for found in told]
    assert depths == sorted(set(depths))
