"""The door: versions, idempotency, old copies, quarantine."""

import dataclasses
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_core import GAMES, IllegalMove
from services.eventlog import (
    Appended,
    Head,
    IdempotencyKey,
    KeyReused,
    MemoryEventLog,
    TooFewReplicas,
    chain_all,
    genesis,
)
from services.languages import Message
from services.match import (
    Match,
    MatchService,
    OpenMatch,
    Player,
    PlayMove,
    TakeSeat,
    refusals,
    snapshot,
)

HUMAN = Player(kind="human", player="ply_a")
AI = Player(kind="ai", level=1)


def open_match(
    service: MatchService, match_id: str = "mat_1", game: str = "kalah", **seats: Player
) -> Match:
    seats = seats or {"south": HUMAN, "north": HUMAN}
    command = OpenMatch(game=game, tenant="ten_a", seats=seats)
    return service.handle(match_id, command, by="key:k").match


@pytest.fixture
def event_log() -> MemoryEventLog:
    return MemoryEventLog()


@pytest.fixture
def service(event_log: MemoryEventLog) -> MatchService:
    clock = itertools.count(1_000)
    return MatchService(event_log, lambda: next(clock))


def other(event_log: MemoryEventLog) -> MatchService:
    """Another process, with copies of its own."""
    return MatchService(event_log, lambda: 2_000)


def test_what_is_handled_is_what_is_loaded(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    open_match(service)
    handled = service.handle("mat_1", PlayMove(seat="south", move="C"), by="seat")

    assert handled.match == service.load("mat_1") == other(event_log).load("mat_1")
    assert [e.version for e in handled.events] == [4]
    assert handled.match.version == 4
    assert handled.match.ply == 1


def test_the_snapshot_and_the_replay_are_the_same_match(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    for game in GAMES:
        match_id = f"mat_{game.key}"
        seats = dict.fromkeys(game.seats, HUMAN)
        match = open_match(service, match_id, game.key, **seats)
        for _ in range(12):
            if match.position is None or not match.to_move:
                break
            move = match.position.legal_moves[-1]
            played = PlayMove(seat=match.to_move, move=move)
            match = service.handle(match_id, played, by="seat").match

        assert other(event_log).load(match_id) == match
        assert other(event_log).load_at(match_id, match.version - 1).version
        replayed = other(event_log).replay(match_id, event_log.read(match_id))
        assert replayed == match


def test_every_version_can_be_read(service: MatchService) -> None:
    open_match(service)
    first = service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat").match
    service.handle("mat_1", PlayMove(seat="north", move="a"), by="seat")

    assert service.load_at("mat_1", 4) == first
    assert service.load_at("mat_1", 1).status == "open"
    for version in (0, -1, 6):
        with pytest.raises(refusals.NoSuchVersion, match="versions 1 to 5"):
            service.load_at("mat_1", version)


def test_an_unknown_match_is_refused(service: MatchService) -> None:
    with pytest.raises(refusals.NoSuchMatch):
        service.load("mat_none")
    with pytest.raises(refusals.NoSuchMatch):
        service.load("feed")
    with pytest.raises(refusals.NoSuchMatch):
        service.handle("mat_none", PlayMove(seat="south", move="A"), by="seat")


def test_a_move_thought_out_on_an_older_position_is_refused(
    service: MatchService,
) -> None:
    open_match(service)
    service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")

    with pytest.raises(refusals.PositionChanged) as refused:
        service.handle(
            "mat_1", PlayMove(seat="north", move="a"), by="seat", expected_version=3
        )

    assert (refused.value.version, refused.value.changed_at) == (4, 4)


def test_a_seat_taken_meanwhile_does_not_make_a_thinking_player_fail(
    service: MatchService,
) -> None:
    seen = open_match(service, south=HUMAN)
    service.handle("mat_1", TakeSeat(who=HUMAN), by="key:k")

    handled = service.handle(
        "mat_1",
        PlayMove(seat="south", move="A"),
        by="seat",
        expected_version=seen.version,
    )

    assert handled.match.version == 4


class Replaced(MemoryEventLog):
    """The log as a master has it that another one has followed unheard."""

    def await_replicas(self, stream: str | None = None) -> None:
        assert stream == "mat_1", "others bear on nothing here"
        raise TooFewReplicas(Message("it has none"))


def test_who_may_have_been_replaced_denies_no_version() -> None:
    """A definite answer would end a match that goes on elsewhere."""
    service = MatchService(Replaced(), lambda: 1_000)
    open_match(service)

    with pytest.raises(TooFewReplicas):
        service.handle(
            "mat_1", PlayMove(seat="south", move="A"), by="seat", expected_version=9
        )


def test_an_expected_version_of_the_future_is_refused(service: MatchService) -> None:
    open_match(service)

    with pytest.raises(refusals.NoSuchVersion):
        service.handle(
            "mat_1", PlayMove(seat="south", move="A"), by="seat", expected_version=9
        )


def test_an_old_copy_is_found_out_by_the_append(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    open_match(service)
    behind = other(event_log)
    behind.load("mat_1")
    service.handle("mat_1", PlayMove(seat="south", move="C"), by="seat")  # again south

    handled = behind.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")

    assert handled.before.version == 4
    assert handled.match == service.load("mat_1")


def test_a_refusal_is_never_the_word_of_an_old_copy(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    open_match(service)
    behind = other(event_log)
    behind.load("mat_1")
    service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")

    handled = behind.handle("mat_1", PlayMove(seat="north", move="a"), by="seat")

    assert handled.match.version == 5


def test_the_same_request_twice_is_carried_out_once(service: MatchService) -> None:
    open_match(service)
    key = IdempotencyKey("k", "d")
    move = PlayMove(seat="south", move="C")
    first = service.handle("mat_1", move, by="seat", key=key)
    service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")

    again = service.handle("mat_1", move, by="seat", key=key)

    assert again.replayed
    assert (again.match, again.events) == (first.match, first.events)
    assert again.before == first.before
    assert service.load("mat_1").version == 5


def test_a_replay_comes_before_a_refusal(service: MatchService) -> None:
    """The move is no longer possible; that it was played is the true answer."""
    open_match(service)
    key = IdempotencyKey("k", "d")
    move = PlayMove(seat="south", move="A")
    service.handle("mat_1", move, by="seat", key=key, expected_version=3)

    again = service.handle("mat_1", move, by="seat", key=key, expected_version=3)

    assert again.replayed


def test_a_key_with_another_request_is_refused(service: MatchService) -> None:
    open_match(service)
    move = PlayMove(seat="south", move="C")
    service.handle("mat_1", move, by="seat", key=IdempotencyKey("k", "one"))

    with pytest.raises(KeyReused):
        service.handle("mat_1", move, by="seat", key=IdempotencyKey("k", "two"))
    with pytest.raises(KeyReused):
        service.handle(
            "mat_1",
            PlayMove(seat="north", move="a"),
            by="seat",
            key=IdempotencyKey("k", "two"),
        )


def test_opening_again_long_after_the_record_expired_is_still_the_same_match(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    command = OpenMatch(game="kalah", tenant="ten_a", seats={"south": HUMAN})
    key = IdempotencyKey("k", "d")
    first = service.handle("mat_1", command, by="key:k", key=key)
    service.handle("mat_1", TakeSeat(who=HUMAN), by="key:k")
    event_log._streams["mat_1"].keys.clear()

    again = service.handle("mat_1", command, by="key:k", key=key)

    assert again.replayed
    assert again.match == first.match
    with pytest.raises(KeyReused):
        service.handle(
            "mat_1", dataclasses.replace(command, game="oware"), by="key:k", key=key
        )


def test_time_never_runs_backwards_within_a_match(event_log: MemoryEventLog) -> None:
    times = iter([5_000, 4_000])
    service = MatchService(event_log, lambda: next(times))
    open_match(service)

    handled = service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")

    assert handled.events[0].at_ms == 5_000


def test_an_ai_to_move_is_announced_with_a_deadline(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    match = open_match(service, south=HUMAN, north=AI)
    assert event_log.overdue(10**9) == []

    service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")

    entry = event_log.follow({})[-1]
    assert (entry.stream, entry.awaits, entry.tenant) == ("mat_1", "ai", match.tenant)
    assert event_log.overdue(4_500) == ["mat_1"]


def test_a_forged_digest_quarantines_the_match(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    open_match(service)
    handled = service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")
    kept = event_log._streams["mat_1"]
    [move] = handled.events
    forged = move.data_text.replace(move.data["digest"], "0" * 12)
    kept.events[-1] = dataclasses.replace(move, data_text=forged)
    assert kept.state is not None
    kept.state = dataclasses.replace(kept.state, snapshot="{}")

    with pytest.raises(refusals.Quarantined, match="event 4 recorded"):
        other(event_log).load("mat_1")
    with pytest.raises(refusals.Quarantined):
        other(event_log).handle("mat_1", PlayMove(seat="north", move="a"), by="seat")


def test_an_unreadable_snapshot_is_replaced_by_a_replay(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    match = open_match(service)
    kept = event_log._streams["mat_1"]
    assert kept.state is not None
    kept.state = dataclasses.replace(kept.state, snapshot='{"f":0}')

    assert other(event_log).load("mat_1") == match


def test_an_illegal_move_records_nothing(
    service: MatchService, event_log: MemoryEventLog
) -> None:
    open_match(service)
    before = event_log.load("mat_1")

    with pytest.raises(IllegalMove):
        service.handle("mat_1", PlayMove(seat="south", move="Z"), by="seat")

    assert event_log.load("mat_1") == before
    assert len(event_log.read("mat_1")) == 3


@settings(max_examples=30)
@given(data=st.data())
def test_every_position_served_is_that_of_the_replay(data: st.DataObject) -> None:
    """Random matches of random games, each version read back and replayed."""
    event_log = MemoryEventLog()
    service = MatchService(event_log, lambda: 1_000)
    game = data.draw(st.sampled_from(GAMES))
    match = open_match(service, "mat_1", game.key, **dict.fromkeys(game.seats, HUMAN))
    served = {match.version: match}
    for _ in range(data.draw(st.integers(0, 25))):
        if not match.to_move or match.position is None:
            break
        move = data.draw(st.sampled_from(match.position.legal_moves))
        command = PlayMove(seat=match.to_move, move=move)
        match = service.handle("mat_1", command, by="seat").match
        served[match.version] = match

    for version, shown in served.items():
        assert service.load_at("mat_1", version) == shown
        text = snapshot.to_text(shown)
        assert snapshot.from_text("mat_1", version, "ten_a", text) == shown
    events = event_log.read("mat_1")
    state = event_log.load("mat_1")
    assert state is not None
    assert state.head == Head(len(events), chain_all(genesis("mat_1"), events))


def test_a_lost_append_is_not_remembered(event_log: MemoryEventLog) -> None:
    """What the log did not take, this process must not believe."""
    service = MatchService(event_log, lambda: 1_000)
    open_match(service)

    class Refusing(Exception):
        pass

    def refuse(*_: object) -> Appended:
        raise Refusing

    append, event_log.append = event_log.append, refuse  # type: ignore[method-assign]
    with pytest.raises(Refusing):
        service.handle("mat_1", PlayMove(seat="south", move="A"), by="seat")
    event_log.append = append  # type: ignore[method-assign]

    assert service.load("mat_1").version == 3
    assert service.handle("mat_1", PlayMove(seat="south", move="B"), by="seat")
