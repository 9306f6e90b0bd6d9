"""Bao, Kenyan, with laps, rule by rule."""

from rules_core import Position, parse, restore, start
from tests.rules.drawing import drawn, position

GAME = "bao-laps"
NONE = "0,0,0,0,0,0,0,0"


def test_l1_two_seeds_in_sixteen_hollows() -> None:
    """The stores are drawn to the players' left."""
    assert str(start(GAME)) == drawn(
        """
         2 2 2 2 2 2 2 2        h g f e d c b a
        0               0
         2 2 2 2 2 2 2 2        A B C D E F G H      south to move
        """,
        GAME,
    )


def test_l2_the_hollow_sown_from_is_not_skipped() -> None:
    """Sixteen seeds end in A, which was empty, and capture h."""
    before = parse(GAME, f"16,0,0,0,0,0,0,0/{NONE} 8,8 S")
    assert str(before.play("A")) == "1,1,1,1,1,1,1,1/1,1,1,1,1,1,1,0 9,8 N"


def test_l3_a_single_seed_is_not_sown_while_there_are_two() -> None:
    """B holds two; without it the singles may move."""
    assert parse(GAME, f"1,2,0,1,0,0,0,0/2,{NONE[2:]} 13,13 S").legal_moves == ("B",)
    singles = parse(GAME, f"1,0,0,1,0,0,0,0/2,{NONE[2:]} 14,14 S")
    assert singles.legal_moves == ("A", "D")


def test_l4_l5_laps_until_an_empty_hollow_and_its_capture() -> None:
    """A laps from C, F, a, d, g and B; F, empty by then, takes c across."""
    before = start(GAME)
    assert str(before.play("A")) == drawn(
        """
         3 0 3 3 0 0 3 0        h g f e d c b a
        3               0
         1 0 1 4 4 1 3 3        A B C D E F G H      north to move
        """,
        GAME,
    )
    laps = [step.at for step in before.steps("A") if step.kind == "lap"]
    assert laps == ["C", "F", "a", "d", "g", "B"]
    assert before.steps("A")[-1].as_json() == {
        "kind": "capture",
        "at": "c",
        "count": 3,
        "to": "south",
    }


def test_l5_an_empty_hollow_of_the_opponent_captures_nothing() -> None:
    """The turn ends in a, though H across was sown from."""
    before = position(
        GAME,
        """
         2 0 0 0 0 0 2 0        h g f e d c b a
       14              13
         0 0 0 0 0 0 0 1        A B C D E F G H      south to move
        """,
    )
    assert str(before.play("H")) == f"{NONE}/1,2,0,0,0,0,0,2 14,13 N"


def test_l6_without_seeds_to_move_the_other_takes_the_rest() -> None:
    """South has none."""
    over = parse(GAME, f"{NONE}/1,2,0,0,0,0,0,2 14,13 S")
    assert str(over) == f"{NONE}/{NONE} 14,18 -"
    assert (over.outcome.winner, over.outcome.reason) == ("north", "no-seeds")


def test_l6_equal_stores_are_a_draw() -> None:
    """Sixteen each."""
    over = parse(GAME, f"{NONE}/1,1,0,0,0,0,0,0 16,14 S")
    assert over.outcome.winner is None


def test_l6_there_is_no_early_end() -> None:
    """More than half of the seeds decide nothing yet."""
    assert parse(GAME, "0,0,0,0,0,0,0,1/1,1,0,0,0,0,0,0 29,0 S").outcome is None


ENDLESS = "0,1,0,1,2,0,1,0/1,2,1,3,2,1,0,3 7,7"


def test_l3_l7_g8_an_endless_move_is_not_legal_nor_do_singles_become_so() -> None:
    """E alone holds two, and would circulate for ever: a draw."""
    over = parse(GAME, f"{ENDLESS} S")
    assert (over.outcome.winner, over.outcome.reason) == (None, "standstill")
    assert over.outcome.score == {"south": 7, "north": 7}


def test_g8_another_move_is_legal_beside_an_endless_one() -> None:
    """Only A of the hollows with two would never end."""
    text = "4,0,1,2,1,3,2,3/2,1,2,3,0,3,2,3 0,0 S"
    assert parse(GAME, text).legal_moves == ("D", "F", "G", "H")


def test_l7_g9_the_third_occurrence_of_a_position_is_a_draw() -> None:
    """It has come up twice before, in the snapshot."""
    quiet = parse(GAME, "0,0,0,0,0,0,0,1/0,2,0,0,0,0,0,2 14,13 S")
    seen = sorted([key_of(quiet), *[key_of(quiet.play("H"))] * 2])
    text = f"p1|{quiet}|seen={','.join(seen)}"
    over = restore(GAME, None, text).play("H")
    assert (over.outcome.winner, over.outcome.reason) == (None, "standstill")
    assert over.outcome.score == {"south": 14, "north": 13}


def key_of(position: Position) -> str:
    """Return how a position is written among those that have been seen."""
    pits = [position.board[pit] for pit in "ABCDEFGHabcdefgh"]
    mover = "01"[position.to_move == "north"]
    return "".join(chr(48 + seeds) for seeds in pits) + mover
