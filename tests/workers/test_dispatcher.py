"""The dispatcher asks for every AI turn once, and again when nobody answers."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from rq import SimpleWorker

from rules_core import Position
from rules_core.search.cancel import Cancel
from services.eventlog import PARTITIONS
from services.match import (
    Match,
    MatchService,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    Resign,
)
from services.match.notes import AI_DEADLINE_MS
from tests.workers.stack import AI, HUMAN, Stack
from workers import dispatcher
from workers.ai.levels import TIME_S
from workers.dispatcher import GROUP, Dispatcher
from workers.play_turn import ATTEMPTS, play_turn, time_to_think
from workers.queues import job_id


def test_an_ai_to_move_becomes_one_job(stack: Stack) -> None:
    match = stack.open()

    stack.dispatcher.run_once()
    stack.dispatcher.run_once()

    [job] = stack.jobs()
    assert job.id == job_id(match.id, match.version, 1)
    assert job.args == [match.id, match.version, 1]


def test_a_human_to_move_becomes_none(stack: Stack) -> None:
    stack.open(south=HUMAN, north=AI)

    stack.dispatcher.run_once()

    assert stack.jobs() == []


def test_two_dispatchers_share_the_feed(stack: Stack) -> None:
    other = Dispatcher(stack.log, stack.matches, stack.queue, "two", stack.clock)
    stack.open()

    taken = stack.dispatcher.run_once() + other.run_once()

    assert taken == 1
    assert len(stack.jobs()) == 1


def test_a_lost_queue_is_derived_again_from_what_is_overdue(stack: Stack) -> None:
    stack.open()
    stack.dispatcher.run_once()
    stack.queue.empty()

    assert stack.sweep_at(AI_DEADLINE_MS - 1) == 0
    assert stack.sweep_at(1) == 1

    assert [job.args[2] for job in stack.jobs()] == [1]  # it has not failed


def test_a_turn_that_waits_in_the_queue_is_not_asked_for_again(stack: Stack) -> None:
    stack.open()
    stack.dispatcher.run_once()

    assert stack.sweep_at(AI_DEADLINE_MS) == 0
    assert stack.sweep_at(AI_DEADLINE_MS) == 0

    assert len(stack.jobs()) == 1


def test_a_turn_whose_worker_died_is_asked_for_again(stack: Stack) -> None:
    stack.open()
    stack.dispatcher.run_once()
    [job] = stack.jobs()
    stack.queue.remove(job)
    job.set_status("started")
    began = datetime.fromtimestamp(stack.clock.now / 1000, UTC)
    job.started_at = began + timedelta(milliseconds=AI_DEADLINE_MS - 100)
    job.save()

    assert stack.sweep_at(AI_DEADLINE_MS) == 0  # it may still be thinking
    assert stack.sweep_at(AI_DEADLINE_MS) == 1


def test_one_sweep_at_a_time(stack: Stack) -> None:
    stack.open()
    stack.clock.now += AI_DEADLINE_MS
    other = Dispatcher(stack.log, stack.matches, stack.queue, "two", stack.clock)

    assert stack.dispatcher.sweep() + other.sweep() == 1


def test_a_dispatcher_goes_on_after_what_nobody_has_foreseen(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turns of everybody else wait for it."""
    monkeypatch.setattr(dispatcher, "FAILED_S", 0.0)
    monkeypatch.setattr(dispatcher, "FEED_WAIT_S", 0.01)
    sweeps = []

    def fail_once() -> int:
        sweeps.append(stack.open() if not sweeps else None)
        if len(sweeps) == 1:
            raise ValueError
        return 0

    monkeypatch.setattr(dispatcher, "SWEEP_EVERY_S", 0.0)
    monkeypatch.setattr(stack.dispatcher, "sweep", fail_once)

    stack.dispatcher.run(lambda: len(sweeps) > 2)

    assert len(stack.jobs()) == 1


def members(stack: Stack) -> set[str]:
    """Return the names of all that are members of the group somewhere."""
    return {
        consumer["name"].decode()
        for partition in range(PARTITIONS)
        for consumer in stack.redis.xinfo_consumers(f"feed:{{{partition}}}", GROUP)
    }


def test_members_long_gone_are_forgotten_when_a_dispatcher_starts(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not those who still hold entries, which somebody has to take over first."""
    group = stack.log.join(GROUP)
    stack.open()
    group.release(group.take("gone"))
    stack.matches.handle("mat_1", RenewSeatToken(seat="north"), by="key:k")
    held = group.take("died with an entry")
    assert members(stack) == {"gone", "died with an entry"}

    stack.dispatcher.run_once()
    assert members(stack) >= {"gone", "died with an entry"}  # it is not that long ago

    time.sleep(0.05)
    monkeypatch.setattr(dispatcher, "GONE_S", 0.04)
    newer = Dispatcher(stack.log, stack.matches, stack.queue, "new", stack.clock)
    newer.run_once()

    assert "gone" not in members(stack)
    assert "died with an entry" in members(stack)
    assert group.take_over("new", 0) == held


def test_a_member_that_was_forgotten_too_early_misses_nothing(stack: Stack) -> None:
    stack.dispatcher.run_once()
    group = stack.log.join(GROUP)

    group.forget_members(0)
    stack.open()

    assert stack.dispatcher.run_once() == 1
    assert len(stack.jobs()) == 1


def first_move(position: Position, level: int, seed: int, **_: object) -> str:
    return position.legal_moves[0]


def test_a_job_plays_its_turn_through_the_same_door(stack: Stack) -> None:
    match = stack.open()

    play_turn(stack.matches, match.id, match.version, 1, 7, first_move)

    event = stack.log.read(match.id)[-1]
    assert (event.type, event.by) == ("match.move_played", "ai:2")
    assert event.data["move"] == "A"


def test_a_job_run_twice_plays_once(stack: Stack) -> None:
    match = stack.open()

    for _ in range(2):
        play_turn(stack.matches, match.id, match.version, 1, 7, first_move)

    assert stack.matches.load(match.id).ply == 1


def test_a_job_for_a_match_that_moved_on_does_nothing(stack: Stack) -> None:
    match = stack.open(south=HUMAN, north=AI)
    stack.matches.handle(match.id, PlayMove(seat="south", move="C"), by="seat")

    play_turn(stack.matches, match.id, match.version, 1, 7, first_move)

    assert stack.matches.load(match.id).ply == 1


def test_a_job_that_is_overtaken_while_it_thinks_loses(stack: Stack) -> None:
    match = stack.open()
    faster = MatchService(stack.log, stack.clock)

    def think_too_long(position: Position, level: int, seed: int, **_: object) -> str:
        play_turn(faster, match.id, match.version, 2, 7, first_move)
        return "B"

    play_turn(stack.matches, match.id, match.version, 1, 7, think_too_long)

    moves = [e.data["move"] for e in stack.log.read(match.id) if "move_pl" in e.type]
    assert moves == ["A"]


@pytest.mark.parametrize("seat", ["north", None])
def test_nobody_thinks_about_a_turn_that_is_no_longer_there(
    stack: Stack, seat: str | None
) -> None:
    """The opponent gives up while the AI thinks; a new token is no reason to stop."""
    match = stack.open()
    others = MatchService(stack.log, stack.clock)

    def think_on(
        position: Position, level: int, seed: int, *, cancel: Cancel, **_: object
    ) -> str:
        act = Resign(seat=seat) if seat else RenewSeatToken(seat="north")
        others.handle(match.id, act, by="seat")
        until = time.monotonic() + (20 if seat else 0.3)
        while not cancel.is_set() and time.monotonic() < until:
            time.sleep(0.01)
        assert cancel.is_set() == bool(seat)
        return "A"

    play_turn(stack.matches, match.id, match.version, 1, 7, think_on)

    assert stack.matches.load(match.id).ply == (0 if seat else 1)


def test_after_three_failures_the_weakest_level_moves_and_says_so(
    stack: Stack,
) -> None:
    match = stack.open(south=Player(kind="ai", level=8))
    asked: list[int] = []

    def choose(position: Position, level: int, seed: int, **_: object) -> str:
        asked.append(level)
        return "A"

    play_turn(stack.matches, match.id, match.version, ATTEMPTS + 1, 7, choose)

    failed, played = stack.log.read(match.id)[-2:]
    assert asked == [1]
    assert (failed.type, failed.by) == ("match.ai_failed", "server")
    assert failed.data == {"seat": "south", "attempts": 3}
    assert (played.type, played.by) == ("match.move_played", "ai:1")


def test_a_whole_match_between_ais_with_a_real_worker(
    stack: Stack, real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", real_redis)
    monkeypatch.setenv("SEEDLOG_SECRET", "s" * 32)
    match = stack.open(south=Player(kind="ai", level=1), north=AI)

    for _ in range(400):
        stack.dispatcher.run_once()
        worker = SimpleWorker([stack.queue], connection=stack.redis, serializer="json")
        worker.work(burst=True, logging_level="ERROR")
        if stack.matches.load(match.id).outcome:
            break

    outcome = stack.matches.load(match.id).outcome
    assert outcome is not None
    assert sum(outcome.score.values()) == 48
    assert stack.jobs() == []


# -- with a clock


def open_with_clock(stack: Stack, clock: dict[str, int]) -> Match:
    seats = {"south": Player(kind="ai", level=8), "north": HUMAN}
    wanted = OpenMatch(game="kalah", tenant="ten_a", seats=seats, clock=clock)
    return stack.matches.handle("mat_1", wanted, by="key:k").match


@pytest.mark.parametrize(
    ("clock", "passed_ms", "most_s"),
    [
        ({"initial_s": 600, "increment_s": 0}, 0, TIME_S),
        ({"initial_s": 10, "increment_s": 0}, 0, 0.5),
        ({"initial_s": 10, "increment_s": 0}, 9_000, 0.05),
        ({"initial_s": 10, "increment_s": 1}, 0, 1.2),
        ({"initial_s": 10, "increment_s": 1}, 9_900, 0.075),
        ({"initial_s": 10, "delay_s": 1}, 0, 1.2),
        ({"initial_s": 10, "increment_s": 0}, 20_000, 0.005),
        ({"days_per_move": 1}, 0, TIME_S),
    ],
)
def test_an_ai_thinks_within_what_its_clock_has_left(
    stack: Stack, clock: dict[str, int], passed_ms: int, most_s: float
) -> None:
    match = open_with_clock(stack, clock)

    at_ms = match.updated_at_ms + passed_ms
    assert time_to_think(match, at_ms) == pytest.approx(most_s)


def test_an_ai_that_is_told_its_time_searches_no_longer(stack: Stack) -> None:
    match = open_with_clock(stack, {"initial_s": 10, "increment_s": 0})
    told: list[float] = []

    def think(
        position: Position, level: int, seed: int, time_s: float = TIME_S, **_: object
    ) -> str:
        told.append(time_s)
        return "A"

    play_turn(stack.matches, match.id, match.version, 1, 7, think)

    assert told == [0.005]  # by the time of day: that of the match is long gone


def test_the_thinking_of_an_ai_counts_and_its_flag_falls(stack: Stack) -> None:
    match = open_with_clock(stack, {"initial_s": 10, "increment_s": 0})

    def think(
        position: Position, level: int, seed: int, time_s: float, **_: object
    ) -> str:
        stack.clock.now += 10_000
        return "A"

    play_turn(stack.matches, match.id, match.version, 1, 7, think)

    ended = stack.matches.load(match.id)
    assert ended.outcome is not None
    assert (ended.outcome.winner, ended.outcome.reason) == ("north", "time")
    assert stack.dispatcher.sweep() == 0


def test_an_ai_of_a_sandbox_is_asked_first_and_does_not_think(stack: Stack) -> None:
    """Whatever its level; it is its level all the same that the log tells."""
    stack.open()
    stack.dispatcher.run_once()
    wanted = OpenMatch(
        game="kalah",
        tenant="ten_sandbox_a",
        seats={"south": Player(kind="ai", level=8), "north": HUMAN},
    )
    match = stack.matches.handle("mat_2", wanted, by="key:k").match
    stack.dispatcher.run_once()
    assert [job.args[0] for job in stack.jobs()] == ["mat_2", "mat_1"]

    levels = []

    def choose(position: Position, level: int, seed: int, **_: object) -> str:
        levels.append(level)
        return position.legal_moves[seed % 2]

    play_turn(stack.matches, match.id, match.version, 1, 0, choose)

    assert levels == [1]
    assert stack.log.read(match.id)[-1].by == "ai:8"


def test_what_a_sandbox_plays_by_itself_holds_up_nobody(stack: Stack) -> None:
    """Each move of two AIs asks for the next: at the front, that was for ever first."""
    for number in range(3):
        wanted = OpenMatch(
            game="kalah", tenant="ten_sandbox_a", seats={"south": AI, "north": AI}
        )
        stack.matches.handle(f"mat_s{number}", wanted, by="key:k")
    stack.open()
    while stack.dispatcher.run_once():
        pass

    taken: list[str] = []
    while "mat_1" not in taken and len(taken) < 10:
        job = stack.jobs()[0]
        match_id, version, attempt = job.args
        job.delete()
        taken.append(match_id)
        play_turn(stack.matches, match_id, version, attempt, 7, first_move)
        stack.dispatcher.run_once()

    assert taken.index("mat_1") == 1
