"""Given what has happened, when a command comes, then these are the events."""

import random
from unittest.mock import ANY

import pytest

from rules_core import IllegalMove, InvalidOptions, UnknownGame, find_game
from services.match import (
    Match,
    MatchEvent,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    Resign,
    TakeSeat,
    decide,
    evolve,
    refusals,
)
from services.match import events as facts

OPENED = facts.MatchOpened(
    game="kalah",
    options={"pits": 6, "seeds": 4, "empty_capture": False},
    rules="kalah/1",
    starter="south",
    tenant="ten_a",
)
SOUTH = facts.SeatTaken(seat="south", kind="human", player="ply_a")
NORTH = facts.SeatTaken(seat="north", kind="ai", level=3, ladder=2)
SEATED: list[MatchEvent] = [OPENED, SOUTH, NORTH]
AMARA = Player(kind="human", player="ply_a")


def given(*events: MatchEvent, game_position: str | None = None) -> Match:
    match = Match("mat_x")
    for event in events:
        match = evolve(match, event, at_ms=1_000)
    return match


def played(*moves: str, match: Match | None = None) -> Match:
    match = match or given(*SEATED)
    for move in moves:
        seat = str(match.to_move)
        for event in decide(match, PlayMove(seat=seat, move=move)):
            match = evolve(match, event, at_ms=2_000)
    return match


def test_opening_records_the_complete_options_and_the_rules_version() -> None:
    command = OpenMatch(game="kalah", tenant="ten_a", options={"seeds": 3})

    [opened] = decide(Match("mat_x"), command)

    assert opened == facts.MatchOpened(
        game="kalah",
        options={"pits": 6, "seeds": 3, "empty_capture": False},
        rules=find_game("kalah").rules,
        starter="south",
        tenant="ten_a",
    )


def test_seats_filled_at_the_opening_are_events_of_their_own() -> None:
    command = OpenMatch(
        game="kalah",
        tenant="ten_a",
        seats={"north": Player(kind="ai", level=3), "south": AMARA},
    )

    assert decide(Match("mat_x"), command)[1:] == [SOUTH, NORTH]


@pytest.mark.parametrize(("drawn", "starter"), [(0, "south"), (1, "north")])
def test_g2_a_random_starter_is_drawn_outside_and_recorded(
    drawn: int, starter: str
) -> None:
    command = OpenMatch(game="oware", tenant="t", starter="random", drawn=drawn)

    [opened] = decide(Match("mat_x"), command)

    assert isinstance(opened, facts.MatchOpened)
    assert (opened.starter, opened.starter_by) == (starter, "random")


def test_g2_black_always_begins_reversi() -> None:
    with pytest.raises(refusals.InvalidStarter, match="allowed: black"):
        decide(Match("mat_x"), OpenMatch(game="reversi", tenant="t", starter="random"))


def test_an_unknown_game_or_option_is_refused() -> None:
    with pytest.raises(UnknownGame):
        decide(Match("mat_x"), OpenMatch(game="chess", tenant="t"))
    with pytest.raises(InvalidOptions, match="seeds"):
        decide(
            Match("mat_x"),
            OpenMatch(game="kalah", tenant="t", options={"seeds": 0}),
        )


def test_a_seat_that_the_game_does_not_have_is_refused() -> None:
    with pytest.raises(refusals.NoSuchSeat, match="seats: black, white"):
        decide(
            Match("mat_x"),
            OpenMatch(game="reversi", tenant="t", seats={"south": AMARA}),
        )


def test_the_first_free_seat_is_taken_unless_one_is_named() -> None:
    assert decide(given(OPENED), TakeSeat(who=AMARA)) == [SOUTH]
    assert decide(given(OPENED, SOUTH), TakeSeat(who=Player(kind="ai", level=3))) == [
        NORTH
    ]


def test_a_taken_seat_is_refused_with_the_free_ones() -> None:
    with pytest.raises(refusals.SeatTaken, match="free: north"):
        decide(given(OPENED, SOUTH), TakeSeat(who=AMARA, seat="south"))
    with pytest.raises(refusals.SeatTaken, match="every seat is taken"):
        decide(given(*SEATED), TakeSeat(who=AMARA))


def test_a_legal_move_is_recorded_without_the_board() -> None:
    events = decide(given(*SEATED), PlayMove(seat="south", move="A"))

    assert events == [facts.MovePlayed(seat="south", move="A", digest=ANY)]


def test_an_illegal_move_is_refused_with_the_legal_ones() -> None:
    with pytest.raises(IllegalMove) as refused:
        decide(given(*SEATED), PlayMove(seat="south", move="a"))

    assert refused.value.legal == ("A", "B", "C", "D", "E", "F")


def test_the_other_seat_may_not_move() -> None:
    with pytest.raises(refusals.NotYourTurn, match="south is to move, not north"):
        decide(given(*SEATED), PlayMove(seat="north", move="a"))


def test_nobody_moves_before_every_seat_is_taken() -> None:
    with pytest.raises(refusals.MatchNotStarted, match="free: north"):
        decide(given(OPENED, SOUTH), PlayMove(seat="south", move="A"))


def test_g12_a_forced_pass_is_an_event_of_its_own() -> None:
    """In Reversi a seat without a move misses its turn (R4)."""
    match = given(
        facts.MatchOpened(
            game="reversi", options={}, rules="reversi/1", starter="black", tenant="t"
        ),
        facts.SeatTaken(seat="black", kind="human", player="ply_a"),
        facts.SeatTaken(seat="white", kind="human", player="ply_b"),
    )
    chance = random.Random(2)
    passes: list[MatchEvent] = []
    for _ in range(200):
        if match.position is None or match.outcome:
            break
        move = chance.choice(match.position.legal_moves)
        events = decide(match, PlayMove(seat=str(match.to_move), move=move))
        passes += [e for e in events if isinstance(e, facts.TurnPassed)]
        for event in events:
            match = evolve(match, event, 0)

    assert passes
    assert match.status == "finished"


def test_the_end_is_recorded_with_winner_reason_and_score() -> None:
    match = played()
    while match.position is not None and match.outcome is None:
        match = played(match.position.legal_moves[0], match=match)

    assert match.status == "finished"
    assert match.outcome is not None
    assert sum(match.outcome.score.values()) == 48
    assert match.to_move is None


def test_g10_resigning_ends_the_match_for_the_other_seat() -> None:
    resigned, ended = decide(played("C"), Resign(seat="south"))

    assert resigned == facts.Resigned(seat="south")
    assert ended == facts.MatchEnded(
        winner="north", reason="resignation", score={"south": 1, "north": 0}
    )


@pytest.mark.parametrize(
    "command",
    [
        PlayMove(seat="south", move="A"),
        Resign(seat="south"),
        TakeSeat(who=AMARA),
    ],
)
def test_g10_a_finished_match_accepts_nothing(command: PlayMove) -> None:
    match = given(
        *SEATED,
        facts.Resigned(seat="north"),
        facts.MatchEnded(winner="south", reason="resignation", score={}),
    )

    with pytest.raises(refusals.MatchOver, match="has resigned"):
        decide(match, command)


def test_a_renewed_seat_token_counts_one_generation_on() -> None:
    match = given(*SEATED)

    [renewed] = decide(match, RenewSeatToken(seat="south"))

    assert renewed == facts.SeatTokenRenewed(seat="south", generation=2)
    after = evolve(match, renewed, 3_000).seats["south"]
    assert after is not None
    assert after.generation == 2
    with pytest.raises(refusals.SeatEmpty):
        decide(match, RenewSeatToken(seat="north"))
