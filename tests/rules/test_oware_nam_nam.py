"""Oware Nam Nam, rule by rule."""

from typing import Any

import pytest

from rules_core import InvalidPosition, Position, parse, start
from rules_core.games import oware_nam_nam

GAME = "oware-nam-nam"
FIRST = "owners=SSSSSS/NNNNNN round=1 starter=S"
FULL = "4,4,4,4,4,4/4,4,4,4,4,4 0,0"
EMPTY = "0,0,0,0,0,0/0,0,0,0,0,0"


def read(board: str, extras: str = FIRST, **options: object) -> Position:
    """Return the position of a board and its extras."""
    return parse(GAME, f"{board} {extras}", options)


def after(board: str, move: str, extras: str = FIRST, **options: object) -> str:
    """Return the text after a move."""
    return str(read(board, extras, **options).play(move))


def test_n1_four_seeds_in_twelve_hollows_the_nearest_six_are_owned() -> None:
    """South's row is south's."""
    assert str(start(GAME)) == f"{FULL} S {FIRST}"
    north = start(GAME, starter="north")
    assert str(north) == f"{FULL} N owners=SSSSSS/NNNNNN round=1 starter=N"


def test_n2_owned_hollows_on_either_side_may_be_sown() -> None:
    """South has won a."""
    extras = "owners=SSSSSS/SNNNNN round=2 starter=S"
    assert read(f"{FULL} S", extras).legal_moves == ("A", "B", "C", "D", "E", "F", "a")
    assert read(f"{FULL} N", extras).legal_moves == ("b", "c", "d", "e", "f")


def test_n2_n4_laps_run_on_over_the_hollow_sown_from() -> None:
    """A laps from E, d, C and c, over A, and ends in C, which is empty by then."""
    assert after(f"{FULL} S", "A") == f"2,7,1,6,1,6/6,6,0,1,6,6 0,0 N {FIRST}"


def test_n3_four_on_the_way_go_to_the_owner() -> None:
    """South's first seed makes four in a; north captures them at once."""
    board = "3,0,0,0,0,2/3,0,0,0,4,0 20,16 S"
    assert after(board, "F") == f"3,0,0,0,0,0/0,1,0,0,4,0 20,20 N {FIRST}"
    kinds = [step.kind for step in read(board).steps("F")]
    assert kinds == ["lift", "sow", "capture", "sow"]


def test_n4_four_with_the_last_seed_go_to_the_player() -> None:
    """Though the hollow is north's."""
    board = "3,0,0,0,0,1/3,1,0,0,4,0 20,16 S"
    assert after(board, "F") == f"3,0,0,0,0,0/0,1,0,0,4,0 24,16 N {FIRST}"


def test_n4_an_empty_hollow_ends_the_turn() -> None:
    """And captures nothing."""
    board = "3,0,0,0,1,0/3,1,0,0,4,0 20,16 S"
    assert after(board, "E") == f"3,0,0,0,0,1/3,1,0,0,4,0 20,16 N {FIRST}"


def test_n5_a_player_without_seeds_in_owned_hollows_misses_the_turn() -> None:
    """North owns six empty hollows."""
    passed = read("1,0,3,2,0,2/0,0,0,0,0,0 20,20 S").play("A")
    assert str(passed) == f"0,1,3,2,0,2/0,0,0,0,0,0 20,20 S {FIRST}"
    assert passed.passes == ("north",)


SPLIT = "0,0,0,0,0,2/3,0,0,1,2,0 24,16 S"
SECOND = "owners=SSSSSS/NNNNNN round=2 starter=N"


def test_n6_with_eight_left_who_takes_four_takes_the_last_four_too() -> None:
    """North captures a on the way, with south's other seed still in hand."""
    steps = [step.as_json() for step in read(SPLIT).steps("F")]
    assert steps[:6] == [
        {"kind": "lift", "at": "F", "count": 2},
        {"kind": "sow", "at": "a", "count": 1},
        {"kind": "capture", "at": "a", "count": 4, "to": "north"},
        {"kind": "sow", "at": "north", "count": 1},
        {"kind": "sweep", "at": "d", "count": 1, "to": "north"},
        {"kind": "sweep", "at": "e", "count": 2, "to": "north"},
    ]
    assert {step["kind"] for step in steps[6:]} == {"refill"}


def test_n7_n9_six_each_claim_nothing_and_the_other_begins() -> None:
    """24 each; south began, so north begins."""
    assert after(SPLIT, "F") == f"{FULL} N {SECOND}"


ROUND_WON = "0,0,0,0,0,1/3,0,0,2,2,0 24,16 S"


def test_n7_who_has_more_claims_hollows_one_by_one() -> None:
    """32 seeds are eight hollows: south claims two of north's, then north begins."""
    claiming = read(ROUND_WON).play("F")
    assert str(claiming) == f"{FULL} S {SECOND} claim=2"
    assert claiming.legal_moves == ("@a", "@b", "@c", "@d", "@e", "@f")
    one = claiming.play("@c")
    assert str(one) == f"{FULL} S owners=SSSSSS/NNSNNN round=2 starter=N claim=1"
    assert one.legal_moves == ("@a", "@b", "@d", "@e", "@f")
    two = one.play("@a")
    assert str(two) == f"{FULL} N owners=SSSSSS/SNSNNN round=2 starter=N"
    assert claiming.steps("@c")[0].as_json() == {
        "kind": "claim",
        "at": "c",
        "to": "south",
    }


def test_n7_north_claims_on_souths_side() -> None:
    """Labels of the other row."""
    claiming = read("3,0,0,2,2,0/0,0,0,0,0,1 16,24 N").play("f")
    assert claiming.to_move == "north"
    assert claiming.legal_moves == ("@A", "@B", "@C", "@D", "@E", "@F")


def test_n8_who_is_entitled_to_all_hollows_wins() -> None:
    """48 seeds are twelve hollows."""
    over = read("0,0,0,0,0,1/3,0,0,2,2,0 40,0 S").play("F")
    assert str(over) == f"{EMPTY} 48,0 - owners=SSSSSS/SSSSSS round=1 starter=S"
    assert (over.outcome.winner, over.outcome.reason) == ("south", "all-pits")
    assert over.outcome.score == {"south": 48, "north": 0}


@pytest.mark.parametrize(
    ("board", "stores", "winner"),
    [(ROUND_WON, "32,16", "south"), (SPLIT, "24,24", None)],
)
def test_n8_after_the_last_round_more_hollows_win(
    board: str, stores: str, winner: str | None
) -> None:
    """The owners stay as they played."""
    over = read(board, max_rounds=1).play("F")
    assert str(over) == f"{EMPTY} {stores} - {FIRST}"
    assert (over.outcome.winner, over.outcome.reason) == (winner, "rounds")


def test_n9_the_right_to_begin_alternates_whoever_claims() -> None:
    """North began round 2, so south begins round 3."""
    extras = "owners=SSSSSS/NNNNNN round=2 starter=N"
    third = read("3,0,0,2,2,0/0,0,0,0,0,1 16,24 N", extras).play("f")
    assert str(third).endswith("round=3 starter=S claim=2")
    assert third.play("@A").play("@F").to_move == "south"


def circulate(
    stores: str, seat: str = "S", extras: str = FIRST
) -> tuple[Position, Position, list[str]]:
    """Let two seeds, side by side, run round the board until the round ends."""
    board = "1,1,0,0,0,0/0,0,0,0,0,0" if seat == "S" else "0,0,0,0,0,0/1,1,0,0,0,0"
    position, seen = read(f"{board} {stores} {seat}", extras), []
    rounds = f" {extras.split()[1]} "
    while True:
        seen.append(str(position))
        after = position.play(position.legal_moves[0])
        if rounds not in str(after):
            return position, after, seen
        position = after


def test_n10_g9_at_a_standstill_each_captures_the_own_hollows() -> None:
    """A is south's, B was won by north; the position has come up twice before."""
    extras = "owners=SNSSSS/NNNNNN round=2 starter=N"
    last, third, seen = circulate("24,22", extras=extras)
    told = [s.as_json() for s in last.steps(last.legal_moves[0]) if s.kind == "sweep"]
    assert told == [
        {"kind": "sweep", "at": "A", "count": 1, "to": "south"},
        {"kind": "sweep", "at": "B", "count": 1, "to": "north"},
    ]
    assert seen.count(seen[0]) == 2
    assert str(third) == f"{FULL} S owners=SSSSSS/NNNNNN round=3 starter=S"


@pytest.mark.parametrize(
    ("stores", "seat", "mover", "claim"),
    [
        ("22,24", "S", "N", ""),  # 24 and 24
        ("23,23", "S", "N", ""),  # 25 and 23: rests 1 and 3
        ("25,21", "S", "S", " claim=1"),  # 27 and 21: rests 3 and 1
        ("24,22", "S", "S", " claim=1"),  # 26 and 22: equal rests, to more seeds
        ("22,24", "N", "N", " claim=1"),  # 22 and 26
    ],
)
def test_n10_the_odd_hollow_goes_to_the_larger_rest(
    stores: str, seat: str, mover: str, claim: Any
) -> None:
    """With equal rests to the seat with more seeds."""
    _, second, _ = circulate(stores, seat)
    assert str(second) == f"{FULL} {mover} {SECOND}{claim}"


def test_n10_a_seat_with_endless_moves_only_misses_the_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here every lap counts as endless: south's one hollow would lap in B."""
    monkeypatch.setattr(oware_nam_nam, "ENDLESS", 1)
    extras = "owners=SNNNNN/NNNNNN round=2 starter=S"
    missed = read("1,1,0,0,3,0/1,0,0,0,2,0 20,20 S", extras)
    assert str(missed) == f"1,1,0,0,3,0/1,0,0,0,2,0 20,20 N {extras}"
    assert missed.passes == ("south",)
    assert missed.legal_moves == ("B", "E", "a")


def test_n10_when_neither_can_move_the_round_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With laps counted as endless, a ring of single seeds cannot be moved."""
    monkeypatch.setattr(oware_nam_nam, "ENDLESS", 1)
    second = read("1,1,1,1,1,1/1,1,1,1,1,1 18,18 S")
    assert str(second) == f"{FULL} N {SECOND}"


def test_g8_an_endless_sowing_is_not_legal() -> None:
    """D would circulate for ever, the others come to an end."""
    before = read("0,2,1,2,0,2/1,0,1,0,2,1 18,18 S")
    assert before.legal_moves == ("B", "C", "F")


def test_g9_claim_positions_do_not_count() -> None:
    """The snapshot of a claim keeps no positions."""
    claiming = read(ROUND_WON).play("F")
    assert claiming.snapshot.endswith("claim=2|")
    assert claiming.play("@a").play("@b").snapshot.endswith("starter=N|")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{FULL} S", "key=value"),
        (f"{FULL} S owners=SSSSSS/NNNNN round=1 starter=S", "expected owners"),
        (f"{FULL} S owners=SSSSSS/SNNNNN round=1 starter=S", "after the first"),
        (f"{FULL} S owners=SSSSSN/SNNNNN round=2 starter=S", "only one side"),
        (f"{FULL} S {FIRST} claim=1", "nothing to claim"),
        (
            f"{FULL} N owners=SSSSSS/SNNNNN round=2 starter=N claim=1",
            "nothing to claim",
        ),
        (f"{FULL} S owners=SSSSSS/SNNNNN round=2 starter=N claim=5", "all six"),
        (f"5,3{FULL[3:]} S {SECOND} claim=2", "before anything is sown"),
        (f"{FULL} S {SECOND} claim=0", "expected owners"),
    ],
)
def test_n7_the_extras_are_read_strictly(text: str, says: str) -> None:
    """Who owns what must be possible."""
    with pytest.raises(InvalidPosition, match=says):
        parse(GAME, text)


def test_n8_rounds_beyond_the_last_are_refused() -> None:
    """With max_rounds."""
    with pytest.raises(InvalidPosition, match="at most 1"):
        read(f"{FULL} S", SECOND, max_rounds=1)
