"""Kalah, rule by rule."""

import pytest

from rules_core import parse, start
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
