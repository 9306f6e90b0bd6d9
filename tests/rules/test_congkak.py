"""Congkak, rule by rule; most boards have five houses and three seeds."""

import pytest

from rules_core import InvalidPosition, Position, parse, start
from tests.rules.drawing import drawn, position

SMALL = {"pits": 5, "seeds": 3}
MATCH = {**SMALL, "rounds": "match"}


def after(text: str, move: str, options: dict[str, object] = SMALL) -> Position:
    """Return the position after a move."""
    return parse("congkak", text, options).play(move)


def test_c1_the_same_in_every_house_and_turns_from_the_first_move() -> None:
    """Seven houses with seven seeds, unless the options say otherwise."""
    assert str(start("congkak")) == drawn(
        """
         7 7 7 7 7 7 7        g f e d c b a
        0             0
         7 7 7 7 7 7 7        A B C D E F G      south to move
        """,
        "congkak",
    )
    assert start("congkak", starter="north").to_move == "north"
    assert str(start("congkak", SMALL)) == "3,3,3,3,3/3,3,3,3,3 0,0 S"


def test_c2_c3_c5_sowing_runs_clockwise_laps_and_captures() -> None:
    """B ends in e (a lap), in a (a lap) and at last in B, now empty: it takes d."""
    before = position(
        "congkak",
        """
         3 3 3 3 3        e d c b a
        0         0
         3 3 3 3 3        A B C D E      south to move
        """,
        **SMALL,
    )
    assert str(before.play("B")) == drawn(
        """
         0 0 4 4 0        e d c b a
        6         0
         4 0 4 4 4        A B C D E      north to move
        """,
        "congkak",
    )
    told = [(s.kind, s.at) for s in before.steps("B") if s.kind != "sow"]
    assert told == [
        ("lift", "B"),
        ("lap", "e"),
        ("lap", "a"),
        ("capture", "B"),
        ("capture", "d"),
    ]


def test_c2_the_house_sown_from_is_not_skipped() -> None:
    """Eleven seeds end in A, which was empty then, and capture e."""
    assert str(after("11,0,0,0,0/0,0,0,0,0 10,9 S", "A")) == (
        "0,1,1,1,1/1,1,1,1,0 13,9 N"
    )


def test_c2_the_opponents_store_is_passed_over() -> None:
    """North's a runs into its own store, then along south's side."""
    assert str(after("0,0,0,0,0/3,0,0,0,0 20,7 N", "a")) == (
        "0,0,0,1,1/0,0,0,0,0 20,8 S"
    )


def test_c4_last_seed_in_the_own_store_moves_again() -> None:
    """C reaches the store; any own house may follow."""
    again = start("congkak", SMALL).play("C")
    assert str(again) == "4,4,0,3,3/3,3,3,3,3 1,0 S"
    assert again.legal_moves == ("A", "B", "D", "E")
    assert again.passes == ()


def test_c5_nothing_across_is_nothing_captured() -> None:
    """The last seed stays in A."""
    assert str(after("0,1,0,0,0/0,0,0,1,0 14,14 S", "B")) == (
        "1,0,0,0,0/0,0,0,1,0 14,14 N"
    )


def test_c6_an_empty_house_of_the_opponent_ends_the_turn() -> None:
    """The last seed falls into e, across from A."""
    assert str(after("2,0,0,0,1/0,0,0,1,0 13,13 S", "A")) == (
        "0,0,0,0,1/0,0,0,1,1 14,13 N"
    )


def test_c7_a_seat_without_seeds_misses_the_turn() -> None:
    """North has nothing, so south moves again."""
    passed = after("0,1,0,0,0/0,0,0,0,0 15,14 S", "B")
    assert str(passed) == "1,0,0,0,0/0,0,0,0,0 15,14 S"
    assert passed.passes == ("north",)


def test_c7_c4_moving_again_without_seeds_is_missed_too() -> None:
    """South's last seed reached the store."""
    passed = after("1,0,0,0,0/1,0,0,0,0 14,14 S", "A")
    assert str(passed) == "0,0,0,0,0/1,0,0,0,0 15,14 N"
    assert (passed.mover, passed.passes) == ("south", ("south",))


@pytest.mark.parametrize(
    ("stores", "winner"), [("16,13", "south"), ("14,15", None), ("13,16", "north")]
)
def test_c7_without_any_seed_in_a_house_the_round_ends(
    stores: str, winner: str | None
) -> None:
    """A single round is the game."""
    over = after(f"1,0,0,0,0/0,0,0,0,0 {stores} S", "A")
    assert (over.outcome.winner, over.outcome.reason) == (winner, "seeds")


def test_c8_houses_are_filled_from_the_own_store_or_burnt() -> None:
    """North has eleven: three houses and two seeds; south begins."""
    before = parse("congkak", "1,0,0,0,0/0,0,0,0,0 18,11 S round=1 starter=S", MATCH)
    second = before.play("A")
    assert str(second) == "3,3,3,3,3/3,3,3,x,x 4,2 S round=2 starter=S"
    assert "d" not in second.board
    assert second.legal_moves == ("A", "B", "C", "D", "E")
    burnt = [step.at for step in before.steps("A") if step.kind == "burn"]
    assert burnt == ["d", "e"]
    filled = [step.at for step in before.steps("A") if step.kind == "refill"]
    assert filled == ["A", "B", "C", "D", "E", "a", "b", "c"]


def test_c8_with_equal_houses_the_other_seat_begins() -> None:
    """South began round 1, so north begins round 2."""
    second = after("1,0,0,0,0/0,0,0,0,0 14,15 S round=1 starter=S", "A", MATCH)
    assert str(second) == "3,3,3,3,3/3,3,3,3,3 0,0 N round=2 starter=N"


def test_c8_burnt_houses_are_passed_over() -> None:
    """B sows A, the store and c; then laps from c and D, into the store again."""
    text = "3,3,3,3,3/3,3,3,x,x 4,2 S round=2 starter=S"
    assert str(after(text, "B", MATCH)) == (
        "5,1,4,0,4/4,4,0,x,x 6,2 S round=2 starter=S"
    )


def test_c8_north_passes_over_its_own_burnt_houses() -> None:
    """South's store, then e and d are passed over: b ends in C."""
    text = "0,0,0,0,0/0,4,0,x,x 20,6 N round=2 starter=S"
    assert str(after(text, "b", MATCH)) == (
        "0,0,0,1,1/1,0,0,x,x 20,7 S round=2 starter=S"
    )


def test_c8_nothing_is_captured_from_a_burnt_house() -> None:
    """House e is burnt, so A captures nothing."""
    text = "0,1,0,0,0/1,0,0,x,x 14,14 S round=2 starter=S"
    assert str(after(text, "B", MATCH)) == (
        "1,0,0,0,0/1,0,0,x,x 14,14 N round=2 starter=S"
    )


def test_c8_a_burnt_house_can_be_won_back() -> None:
    """North has fourteen: four houses."""
    text = "1,0,0,0,0/0,0,0,x,x 15,14 S round=2 starter=S"
    before = parse("congkak", text, MATCH)
    assert str(before.play("A")) == "3,3,3,3,3/3,3,3,3,x 1,2 S round=3 starter=S"
    assert "burn" not in {step.kind for step in before.steps("A")}


def test_c8_who_can_fill_no_house_has_lost() -> None:
    """The board stays as the round left it."""
    over = after("1,0,0,0,0/0,0,0,0,0 27,2 S round=1 starter=S", "A", MATCH)
    assert str(over) == "0,0,0,0,0/0,0,0,0,0 28,2 - round=1 starter=S"
    assert (over.outcome.winner, over.outcome.reason) == ("south", "no-refill")
    assert over.outcome.score == {"south": 28, "north": 2}


@pytest.mark.parametrize(("stores", "winner"), [("14,15", None), ("15,14", "south")])
def test_c8_after_ten_rounds_the_greater_store_wins(
    stores: str, winner: str | None
) -> None:
    """There is no eleventh."""
    over = after(f"1,0,0,0,0/0,0,0,0,0 {stores} S round=10 starter=S", "A", MATCH)
    assert (over.outcome.winner, over.outcome.reason) == (winner, "rounds")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3,3,3,3,3/3,3,3,3,3 0,0 S", "key=value"),
        ("3,3,3,3,3/3,3,3,3,3 0,0 S round=0 starter=S", "expected round"),
        ("3,3,3,3,3/3,3,3,3,3 0,0 S round=11 starter=S", "at most 10"),
        ("3,3,3,3,3/3,3,3,3,3 0,0 S round=1 starter=X", "expected round"),
        ("3,3,3,3,3/3,3,3,3,x 0,3 S round=1 starter=S", "after the first round"),
        ("3,3,3,3,x/3,3,3,3,x 3,3 S round=2 starter=S", "one seat alone"),
        ("3,3,3,3,3/3,3,3,x,3 0,3 S round=2 starter=S", "'x' is not"),
        ("3,3,3,3,3/x,x,x,x,x 0,15 S round=2 starter=S", "'x' is not"),
    ],
)
def test_c8_the_text_of_a_match_is_read_strictly(text: str, says: str) -> None:
    """Burnt houses are the last of a row, and one seat's alone."""
    with pytest.raises(InvalidPosition, match=says):
        parse("congkak", text, MATCH)


def test_c8_a_single_round_knows_no_burnt_houses() -> None:
    """And no rounds."""
    for text in (
        "3,3,3,3,3/3,3,3,3,x 0,3 S",
        "3,3,3,3,3/3,3,3,3,3 0,0 S round=1 starter=S",
    ):
        with pytest.raises(InvalidPosition):
            parse("congkak", text, SMALL)


PIE = {**SMALL, "pie": True}


def test_c9_who_did_not_begin_may_take_the_others_place() -> None:
    """At the first decision, after however many moves of the first turn."""
    again = start("congkak", PIE).play("C")
    assert str(again) == "4,4,0,3,3/3,3,3,3,3 1,0 S pie=N"
    before = again.play("D")
    assert str(before) == "0,6,0,1,4/4,0,4,4,0 7,0 N pie=N"
    assert before.legal_moves == ("a", "c", "d", "swap")

    swapped = before.play("swap")

    assert str(swapped) == "4,0,4,4,0/0,6,0,1,4 0,7 S"
    assert [step.kind for step in before.steps("swap")] == ["swap"]
    assert "swap" not in before.play("a").legal_moves
    assert not str(before.play("a")).endswith("pie=N")


def test_c9_who_has_to_pass_decides_later() -> None:
    """A miss is no decision."""
    missed = after("0,0,2,0,0/0,0,0,0,0 14,14 S pie=N", "C", PIE)
    assert missed.passes == ("north",)
    assert str(missed).endswith(" S pie=N")


def test_c9_who_swaps_counts_as_the_one_who_began() -> None:
    """So the other begins the second round, if as many houses are burnt."""
    options = {**MATCH, "pie": True}
    before = parse(
        "congkak", "1,0,0,0,0/0,0,0,0,1 14,14 N round=1 starter=S pie=N", options
    )
    swapped = before.play("swap")
    assert str(swapped) == "0,0,0,0,1/1,0,0,0,0 14,14 S round=1 starter=N"


def test_c9_in_the_first_round_only() -> None:
    """It may end before the second seat has come to move."""
    options = {**MATCH, "pie": True}
    text = "1,0,0,0,0/0,0,0,0,0 18,11 S round=1 starter=S pie=N"
    second = after(text, "A", options)
    assert str(second) == "3,3,3,3,3/3,3,3,x,x 4,2 S round=2 starter=S"
    assert "swap" not in second.play("B").legal_moves


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3,3,3,3,3/3,3,3,3,3 0,0 S round=2 starter=S pie=N", "first round alone"),
        ("3,3,3,3,3/3,3,3,3,3 0,0 S round=1 starter=N pie=N", "who did not begin"),
        ("3,3,3,3,3/3,3,3,3,3 0,0 S pie=N", "key=value"),
        ("3,3,3,3,3/3,3,3,3,3 0,0 S pie=N round=1 starter=S", "expected round"),
    ],
)
def test_c9_the_text_of_a_match_is_read_strictly(text: str, says: str) -> None:
    """Who may swap stands at its end."""
    with pytest.raises(InvalidPosition, match=says):
        parse("congkak", text, {**MATCH, "pie": True})
