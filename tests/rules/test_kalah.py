"""Kalah, rule by rule."""

import pytest

from rules_core import InvalidPosition, InvalidSnapshot, Position, parse, restore, start
from tests.rules.drawing import drawn, position


def test_k1_every_house_holds_the_same_and_the_stores_are_empty() -> None:
    """The options say how many houses and how many seeds."""
    assert str(start("kalah")) == drawn("""
         4 4 4 4 4 4        f e d c b a
        0           0
         4 4 4 4 4 4        A B C D E F      south to move
    """)
    small = start("kalah", {"pits": 2, "seeds": 5}, starter="north")
    assert str(small) == "5,5/5,5 0,0 N"


def test_k2_only_own_houses_with_seeds_may_be_sown() -> None:
    """A player owns the houses on their side."""
    before = position(
        "kalah",
        """
         4 0 4 4 4 4        f e d c b a
        8           4
         0 4 4 4 0 4        A B C D E F      north to move
        """,
    )
    assert before.legal_moves == ("a", "b", "c", "d", "f")


def test_k2_the_score_is_the_store() -> None:
    """Seeds in houses count for nobody before the end."""
    over = position(
        "kalah",
        """
         0 0 0 0 0 0        f e d c b a
       10           37
         0 0 0 0 0 1        A B C D E F      south to move
        """,
    )
    assert over.outcome.score == {"south": 38, "north": 10}


def test_k3_sowing_feeds_the_own_store_but_never_the_opponents() -> None:
    """F with nine seeds runs past north's store, back to A and B."""
    before = position(
        "kalah",
        """
         0 0 0 0 0 2        f e d c b a
       10           17
         1 1 1 1 5 10       A B C D E F      south to move
        """,
    )
    assert str(before.play("F")) == drawn("""
         1 1 1 1 1 3        f e d c b a
       10           18
         2 2 2 1 5 0        A B C D E F      north to move
    """)


def test_k3_the_house_sown_from_is_not_skipped() -> None:
    """Thirteen seeds end where they began; that house was empty, so it captures."""
    before = position(
        "kalah",
        """
         1 0 0 0 0 1        f e d c b a
       10           22
        13 0 0 1 0 0        A B C D E F      south to move
        """,
    )
    steps = before.steps("A")

    assert [step.at for step in steps if step.kind == "sow"][-1] == "A"
    assert str(before.play("A")) == drawn("""
         0 1 1 1 1 2        f e d c b a
       10           26
         0 1 1 2 1 1        A B C D E F      north to move
    """)


def test_k4_last_seed_in_own_empty_house_captures_across() -> None:
    """The capturing seed goes to the store with the captured ones."""
    before = position(
        "kalah",
        """
         0 5 0 0 2 0        f e d c b a
       18           20
         1 0 0 0 0 2        A B C D E F      south to move
        """,
    )
    assert str(before.play("A")) == drawn("""
         0 0 0 0 2 0        f e d c b a
       18           26
         0 0 0 0 0 2        A B C D E F      north to move
    """)


EMPTY_ACROSS = """
         1 0 0 2 3 0        f e d c b a
       31           10
         0 0 0 0 1 0        A B C D E F      south to move
"""


def test_k4_an_empty_house_across_gives_nothing() -> None:
    """The last seed stays."""
    assert str(position("kalah", EMPTY_ACROSS).play("E")) == drawn("""
         1 0 0 2 3 0        f e d c b a
       31           10
         0 0 0 0 0 1        A B C D E F      north to move
    """)


def test_k4_with_empty_capture_the_last_seed_goes_to_the_store_alone() -> None:
    """Here it is south's last, so K6 ends the game and north keeps its six."""
    after = position("kalah", EMPTY_ACROSS, empty_capture=True).play("E")
    assert str(after) == drawn("""
         0 0 0 0 0 0        f e d c b a
       37           11
         0 0 0 0 0 0        A B C D E F      over
    """)


def test_k4_a_last_seed_in_the_opponents_empty_house_captures_nothing() -> None:
    """Only the own side captures."""
    before = position(
        "kalah",
        """
         0 5 0 0 0 0        f e d c b a
       20           20
         1 0 0 0 0 2        A B C D E F      south to move
        """,
    )
    assert str(before.play("F")) == drawn("""
         0 5 0 0 0 1        f e d c b a
       20           21
         1 0 0 0 0 0        A B C D E F      north to move
    """)


def test_k5_last_seed_in_the_own_store_moves_again() -> None:
    """C reaches the store with its fourth seed; the right to move stays."""
    after = start("kalah").play("C")
    assert str(after) == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    assert after.mover == after.to_move == "south"
    assert str(after.play("F")) == "4,4,0,5,5,0/5,5,5,5,4,4 2,0 N"


@pytest.mark.parametrize(
    ("text", "move", "after"),
    [
        # south runs dry, although K5 would let it move again
        ("0,0,0,0,0,1/0,0,3,0,0,1 20,23 S", "F", "21,27"),
        # south runs dry with a sowing to the other side
        ("0,0,0,0,0,2/0,0,3,0,0,1 20,22 S", "F", "21,27"),
        # north runs dry because its seeds were captured
        ("1,0,0,0,0,2/0,0,0,0,5,0 20,20 S", "A", "28,20"),
    ],
)
def test_k6_an_empty_side_ends_the_game_and_the_other_side_is_swept(
    text: str, move: str, after: str
) -> None:
    """Either player's side, whoever is to move."""
    over = parse("kalah", text).play(move)
    assert str(over) == f"0,0,0,0,0,0/0,0,0,0,0,0 {after} -"
    assert over.to_move is None
    assert over.legal_moves == ()
    assert over.outcome.reason == "seeds"


def test_k6_equal_stores_are_a_draw() -> None:
    """Nobody wins with 24 seeds."""
    over = parse("kalah", "0,0,0,0,0,1/0,0,0,0,0,1 23,23 S").play("F")
    assert over.outcome.winner is None
    assert over.outcome.score == {"south": 24, "north": 24}


def test_k6_more_than_half_does_not_end_the_game() -> None:
    """There is no early end."""
    before = parse("kalah", "0,0,0,0,2,1/0,0,0,1,0,1 40,3 S")
    assert before.play("E").to_move == "south"


PIE = {"pie": True}


def after_first_turn() -> Position:
    """Return the board on which north decides for the first time."""
    first = start("kalah", PIE)
    assert "swap" not in first.legal_moves
    again = first.play("C")
    assert str(again) == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S pie=N"
    assert "swap" not in again.legal_moves
    return again.play("F")


def test_k7_who_did_not_begin_may_take_the_others_place() -> None:
    """Houses and store change over, and it is the turn of who began."""
    before = after_first_turn()
    assert str(before) == "4,4,0,5,5,0/5,5,5,5,4,4 2,0 N pie=N"
    assert before.legal_moves == ("a", "b", "c", "d", "e", "f", "swap")

    swapped = before.play("swap")

    assert str(swapped) == "5,5,5,5,4,4/4,4,0,5,5,0 0,2 S"
    assert swapped.legal_moves == ("A", "B", "C", "D", "E", "F")
    assert [step.as_json() for step in before.steps("swap")] == [
        {"kind": "swap", "to": "north"}
    ]
    assert swapped.mover == "north"


def test_k7_only_at_the_first_decision() -> None:
    """Whoever moves does not swap any more, not even in the same turn."""
    again = after_first_turn().play("d")
    assert str(again) == "5,5,0,5,5,0/5,5,5,0,5,5 2,1 S"
    moved = parse("kalah", "4,4,4,4,4,4/4,4,4,4,4,4 0,0 N pie=N", PIE).play("c")
    assert moved.to_move == "north"
    assert "swap" not in moved.legal_moves
    north_began = start("kalah", PIE, "north").play("a")
    assert str(north_began).endswith(" S pie=S")
    assert "swap" in north_began.legal_moves


def test_k7_a_game_that_is_over_before_knows_no_swap() -> None:
    """The first turn may be the last."""
    over = parse("kalah", "0,1/1,1 0,1 S pie=N", {"pits": 2, "seeds": 1, **PIE})
    assert str(over.play("B")) == "0,0/0,0 1,3 -"


def test_k7_is_off_unless_the_match_says_otherwise() -> None:
    """Then nothing is written of it, either."""
    plain = start("kalah").play("A")
    assert plain.legal_moves == ("a", "b", "c", "d", "e", "f")
    assert str(plain) == "0,5,5,5,5,4/4,4,4,4,4,4 0,0 N"
    assert plain.digest != start("kalah", PIE).play("A").digest


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S pie=N", {}),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S pie=X", PIE),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S pie=N pie=N", PIE),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S round=1 pie=N", PIE),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S  pie=N", PIE),
    ],
)
def test_k7_the_text_is_read_strictly(text: str, options: dict[str, object]) -> None:
    """One seat may swap, and only with the option."""
    with pytest.raises(InvalidPosition, match=r"<S\|N>"):
        parse("kalah", text, options)


def test_k7_no_snapshot_of_a_finished_game_has_a_swap() -> None:
    """It would be one that nothing leads to."""
    finished, options = "p1|0,0/0,0 1,3 -{}|end=seeds/north", {"pits": 2, "seeds": 1}
    assert restore("kalah", options | PIE, finished.format("")).outcome is not None
    with pytest.raises(InvalidSnapshot):
        restore("kalah", options | PIE, finished.format(" pie=N"))
