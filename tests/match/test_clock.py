"""The rules of clocks, given / when / then; and the laws that no clock may break."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.eventlog import MemoryEventLog, StoredEvent
from services.match import (
    Abort,
    Answer,
    Clock,
    Command,
    GuessFist,
    Handled,
    Match,
    MatchService,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RequestTakeback,
    TakeSeat,
    decide,
    evolve,
    fist_commitment,
    from_log,
    refusals,
    replay,
    snapshot,
)
from services.match.clock import CONTROLS, DAY_MS, FIRST_MOVE_MS
from services.match.commands import CallTime
from services.match.events import Imported
from services.match.notes import note_of
from tests.support.tables import CLOCKS, random_table

BEGAN_MS = 1_795_255_200_000
HUMAN = Player(kind="human", player="ply_a")
BOTH = {"south": HUMAN, "north": HUMAN}
FISCHER = {"initial_s": 60, "increment_s": 2}
DELAY = {"initial_s": 10, "delay_s": 3}
DAYS = {"days_per_move": 3}


@dataclass
class Board:
    """A match of Kalah at which time passes only when it is told to."""

    control: Mapping[str, int] | None
    seats: Mapping[str, Player] = field(default_factory=lambda: BOTH)
    now_ms: int = BEGAN_MS
    log: MemoryEventLog = field(default_factory=MemoryEventLog)

    def __post_init__(self) -> None:
        self.service = MatchService(self.log, lambda: self.now_ms)

    def open(self, **given: object) -> "Board":
        wanted = OpenMatch(
            game="kalah",
            tenant="ten_a",
            seats=self.seats,
            clock=self.control,
            **given,  # type: ignore[arg-type]
        )
        self.service.handle("mat_1", wanted, by="key:k")
        return self

    @property
    def match(self) -> Match:
        return self.service.load("mat_1")

    @property
    def clock(self) -> Clock:
        assert self.match.clock is not None
        return self.match.clock

    def after(self, ms: int) -> "Board":
        self.now_ms += ms
        return self

    def act(self, command: Command, by: str = "seat") -> Handled:
        return self.service.handle("mat_1", command, by=by)

    def play(self, *moves: str) -> "Board":
        for move in moves:
            self.act(PlayMove(seat=str(self.match.to_move), move=move))
        return self

    def left(self, seat: str) -> int:
        return self.clock.left(seat, self.now_ms)

    def ends(self) -> tuple[object, ...]:
        """Return how it ended, and how long after the opening."""
        match, last = self.match, self.events[-1]
        assert match.is_over
        outcome = match.outcome
        told = (outcome.winner, outcome.reason) if outcome else match.aborted_for
        return told, last.at_ms - BEGAN_MS

    @property
    def events(self) -> list[StoredEvent]:
        return self.log.read("mat_1")


def board(control: Mapping[str, int] | None = None, **given: object) -> Board:
    return Board(control or FISCHER, **given).open()  # type: ignore[arg-type]


# -- whose time runs


def test_no_time_runs_before_both_seats_are_taken() -> None:
    table = board(seats={"south": HUMAN}).after(DAY_MS)

    assert table.clock.due is None
    table.act(TakeSeat(who=HUMAN), by="key:k")
    assert table.clock.turn == "south"
    assert table.after(1_500).left("south") == 58_500
    assert table.left("north") == 60_000


def test_no_time_runs_before_the_fist_is_guessed_and_who_does_not_guess_ends_it() -> (
    None
):
    table = Board(FISCHER)
    table.open(starter="fist", commitment=fist_commitment("left", "hidden"))
    guess = GuessFist(seat="north", guess="left", fist="left", secret="hidden")

    assert (table.clock.turn, table.clock.flag_ms) == ("north", None)
    table.after(59_999).act(guess)
    assert (table.left("north"), table.clock.is_guess) == (60_000, False)

    late = Board(FISCHER)
    late.open(starter="fist", commitment=fist_commitment("left", "hidden"))
    with pytest.raises(refusals.MatchOver):
        late.after(FIRST_MOVE_MS).act(guess)
    assert late.ends() == ("no-show", FIRST_MOVE_MS)


def test_a_move_stops_the_clock_of_its_seat_and_earns_the_increment() -> None:
    table = board().after(10_000).play("A")

    assert (table.left("south"), table.left("north")) == (52_000, 60_000)
    assert table.after(3_000).left("north") == 57_000
    assert table.left("south") == 52_000


def test_who_moves_again_goes_on_with_the_same_clock() -> None:
    table = board().after(1_000).play("C")

    assert table.match.to_move == "south"
    assert table.after(1_000).left("south") == 60_000


def test_a_delay_is_not_saved_up() -> None:
    table = board(DELAY).after(2_000).play("A")
    assert table.left("south") == 10_000

    assert table.after(4_000).left("north") == 9_000
    table.play("a")
    assert table.left("north") == 9_000


def test_days_begin_anew_with_each_turn() -> None:
    table = board(DAYS).after(2 * DAY_MS).play("A")

    assert table.left("north") == 3 * DAY_MS
    table.after(DAY_MS).play("a")
    assert (table.left("south"), table.left("north")) == (3 * DAY_MS, 3 * DAY_MS)


def test_offers_and_their_answers_let_the_clock_run() -> None:
    table = board().play("A").after(5_000)
    table.act(OfferDraw(seat="south"))
    table.after(5_000).act(Answer(seat="north", kind="draw", accept=False))

    assert table.left("north") == 50_000


def test_a_takeback_gives_no_time_back_and_no_increment_twice() -> None:
    table = board().after(1_000).play("A").after(4_000)
    table.act(RequestTakeback(seat="south", to_version=3))
    table.after(6_000).act(Answer(seat="north", kind="takeback", accept=True))

    assert (table.left("south"), table.left("north")) == (61_000, 50_000)
    assert table.clock.turn == "south"
    table.after(1_000).play("A")
    assert table.left("south") == 60_000


# -- the flag


def test_a_move_at_the_flag_loses_and_one_just_before_it_does_not() -> None:
    table = board({"initial_s": 5, "increment_s": 0}).play("A").after(4_999).play("a")
    assert table.left("north") == 1

    with pytest.raises(refusals.MatchOver, match="time"):
        table.after(5_000).play("B")
    assert table.ends() == (("north", "time"), 9_999)
    assert table.clock.left_ms["south"] == 0
    assert table.events[-1].by == "server"


@pytest.mark.parametrize(
    "command",
    [
        PlayMove(seat="south", move="A"),
        OfferDraw(seat="north"),
        Abort(seat="south"),
        Answer(seat="north", kind="draw", accept=True),
    ],
)
def test_whoever_comes_after_the_flag_finds_the_match_over(command: Command) -> None:
    table = board({"initial_s": 5, "increment_s": 0}).after(7_000)

    with pytest.raises(refusals.MatchOver, match="time"):
        table.act(command)

    assert table.ends() == (("north", "time"), 5_000)


def test_the_flag_falls_when_the_time_ran_out_whoever_notices_and_once() -> None:
    table = board({"initial_s": 5, "increment_s": 0})
    other = MatchService(table.log, lambda: table.now_ms)
    other.load("mat_1")

    assert not table.after(4_999).service.call_time("mat_1")
    table.after(DAY_MS)
    assert table.service.call_time("mat_1")
    assert not other.call_time("mat_1")
    assert not table.service.call_time("mat_1")
    assert table.ends() == (("north", "time"), 5_000)
    assert len(table.events) == 4


def test_an_old_copy_of_a_match_does_not_end_it() -> None:
    table = board({"initial_s": 5, "increment_s": 0})
    other = MatchService(table.log, lambda: table.now_ms)
    other.load("mat_1")
    table.after(4_000).play("A")

    assert not other.call_time("mat_1")
    table.after(2_000)
    assert not other.call_time("mat_1")
    assert table.match.status == "running"


def test_the_log_notes_when_a_time_runs_out_and_forgets_it_with_the_end() -> None:
    table = board(DELAY)
    assert table.log.alarms(2**60) == {"mat_1": BEGAN_MS + 13_000}
    table.after(1_000).play("A")
    assert table.log.alarms(2**60) == {"mat_1": BEGAN_MS + 14_000}
    with pytest.raises(refusals.MatchOver):
        table.after(60_000).play("a")
    assert table.log.alarms(2**60) == {}
    assert Board(None).open().log.alarms(2**60) == {}


# -- who does not come


def test_who_makes_no_first_move_calls_the_match_off() -> None:
    table = board({"initial_s": 600, "increment_s": 0}).after(5_000).play("A")
    table.after(FIRST_MOVE_MS)

    assert table.service.call_time("mat_1")
    assert table.ends() == ("no-show", 5_000 + FIRST_MOVE_MS)
    assert table.match.status == "aborted"


def test_after_the_first_move_a_seat_has_all_its_time() -> None:
    table = board({"initial_s": 600, "increment_s": 0}).play("A", "a")

    assert table.clock.first_move_by_ms is None
    table.after(599_999).play("B")
    assert table.left("south") == 1


def test_days_are_the_time_for_a_first_move_as_well() -> None:
    table = board(DAYS).after(3 * DAY_MS)
    table.service.call_time("mat_1")
    assert table.ends() == ("no-show", 3 * DAY_MS)

    begun = board(DAYS).play("A", "a").after(3 * DAY_MS)
    begun.service.call_time("mat_1")
    assert begun.ends() == (("north", "time"), 3 * DAY_MS)


def test_with_a_clock_a_seat_may_call_off_until_its_own_first_move() -> None:
    table = board().play("A")

    with pytest.raises(refusals.AlreadyBegun):
        table.act(Abort(seat="south"))
    table.act(Abort(seat="north"))
    assert table.ends() == ("", 0)

    begun = board().play("A", "a")
    for seat in ("", "north"):
        with pytest.raises(refusals.AlreadyBegun):
            begun.act(Abort(seat=seat))


# -- elsewhere


def test_the_time_before_an_import_is_nobodys() -> None:
    table = board().after(1_000).play("A").after(4_000)
    table.act(OfferDraw(seat="south"))
    there = MatchService(MemoryEventLog(), lambda: BEGAN_MS + DAY_MS)
    taken = Imported(tenant="ten_b", head="0" * 64, key="sig_" + "0" * 16)

    match = there.take_over(table.match, table.events, taken, by="key:abc").match

    clock, now_ms = match.clock, BEGAN_MS + DAY_MS
    assert clock is not None
    left = [clock.left(seat, now_ms) for seat in ("north", "south")]
    assert left == [56_000, 61_000]
    assert clock.flag_ms == now_ms + 56_000


def test_a_restored_match_has_its_alarm_again() -> None:
    table = board(DELAY).play("A")
    service = MatchService(MemoryEventLog(), lambda: 0)

    note = note_of(service.replay("mat_1", table.events))

    assert note.alarm_ms == table.clock.flag_ms


# -- time controls


@pytest.mark.parametrize(
    ("control", "said"),
    [
        ({}, "initial_s and increment_s or"),
        ({"initial_s": 300}, "initial_s and delay_s or"),
        ({"initial_s": 300, "increment_s": 2, "delay_s": 1}, "or days_per_move"),
        ({"initial_s": 0, "increment_s": 2}, "initial_s should be .* from 1 to 86400"),
        ({"initial_s": 1.5, "increment_s": 2}, "initial_s should be a whole number"),
        ({"initial_s": True, "increment_s": 2}, "initial_s should be a whole number"),
        ({"initial_s": 5, "increment_s": -1}, "increment_s should be .* 0 to 3600"),
        ({"initial_s": 5, "delay_s": "1"}, "delay_s should be .* 0 to 3600"),
        ({"days_per_move": 31}, "days_per_move should be .* 1 to 30"),
    ],
)
def test_a_time_control_that_is_none_is_told_what_would_be_one(
    control: dict[str, object], said: str
) -> None:
    command = OpenMatch(game="kalah", tenant="ten_a", clock=control)
    with pytest.raises(refusals.InvalidClock, match=said):
        decide(Match("mat_1"), command)


def test_a_match_without_a_clock_says_nothing_of_clocks() -> None:
    """Old logs and their hashes stay as they are."""
    table = Board(None).open().play("A")

    assert table.match.clock is None
    assert "clock" not in table.events[0].data
    assert '"w"' not in snapshot.to_text(table.match)


# -- laws


@given(st.integers(0, 2**32))
def test_time_is_never_created_and_replay_tells_what_was_shown(seed: int) -> None:
    """Over random matches with clocks, event by event and in bulk."""
    table = random_table(random.Random(f"clocks {seed}"), clocks=True)
    events = table.log.read(table.id)
    match, shown = Match(table.id), list[Match]()
    for event in events:
        before = match
        match = evolve(match, from_log(event), event.at_ms)
        shown.append(match)
        clock = match.clock
        if clock is None:
            continue
        earned = clock.control.get("increment_s", 0) * 1000 * clock.plies
        for seat in match.seats:
            least, most = 0, clock.control.get("initial_s", 0) * 1000 + earned
            if "days_per_move" in clock.control:
                most = clock.control["days_per_move"] * DAY_MS
            assert least <= clock.left(seat, event.at_ms) <= most
        due = before.due
        if due is not None and not before.is_over:
            is_called = event.at_ms == due.at_ms and event.by == "server"
            assert event.at_ms < due.at_ms or is_called
        text = snapshot.to_text(match)
        assert snapshot.from_text(match.id, match.version, match.tenant, text) == match

    half = len(events) // 2
    assert match == table.match == replay(Match(table.id), events)
    assert replay(shown[half - 1], events[half:]) == match if half else True


@given(
    st.sampled_from(CLOCKS),
    st.lists(st.integers(0, 20_000), min_size=2, max_size=40),
)
def test_what_was_used_and_what_is_left_are_what_was_given(
    control: dict[str, int], pauses: list[int]
) -> None:
    """Without takebacks: initial time and increments, less the time of the turns."""
    clock = Board(control).open().clock
    at_ms, used = clock.since_ms, {"south": 0, "north": 0}
    seat, following = "south", "north"
    for ply, pause in enumerate(pauses, start=1):
        flag = clock.flag_ms
        assert flag is not None
        if at_ms + pause >= flag:
            assert clock.left(seat, flag) == 0 < clock.left(seat, flag - 1)
            return
        at_ms += pause
        used[seat] += max(pause - control.get("delay_s", 0) * 1000, 0)
        clock = clock.moved(ply, at_ms).started(following, at_ms)
        seat, following = following, seat
        if "initial_s" in control:
            earned = control.get("increment_s", 0) * 1000
            plies = {"south": (ply + 1) // 2, "north": ply // 2}
            for who, left in clock.left_ms.items():
                given_ms = control["initial_s"] * 1000 + earned * plies[who]
                assert left == given_ms - used[who]


def test_there_is_a_clock_of_each_kind_in_the_laws() -> None:
    assert {frozenset(control) for control in CLOCKS} == {*map(frozenset, CONTROLS)}


def test_time_is_called_at_its_moment_alone() -> None:
    table = board({"initial_s": 5, "increment_s": 0})

    for at_ms in (0, BEGAN_MS + 4_999, BEGAN_MS + 5_001):
        with pytest.raises(refusals.NotDue, match="time of south at 2026"):
            decide(table.match, CallTime(), at_ms)
    with pytest.raises(refusals.NotDue, match="nothing"):
        decide(Board(None).open().match, CallTime(), BEGAN_MS)
