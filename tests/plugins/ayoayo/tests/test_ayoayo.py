"""Ayoayo, rule by rule."""

from rules_core import from_moves, parse, start

GAME = "ayoayo"


def test_y1_the_same_number_of_seeds_in_each_pit() -> None:
    assert str(start(GAME)) == "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S"
    assert str(start(GAME, {"seeds": 2})).startswith("2,2,2,2,2,2/")


def test_y2_seeds_are_sown_counter_clockwise() -> None:
    before = parse(GAME, "1,0,0,0,0,2/0,0,0,1,0,0 22,22 S")
    assert str(before.play("F")) == "1,0,0,0,0,0/1,1,0,1,0,0 22,22 N"


def test_y3_a_last_seed_that_meets_others_is_sown_on_with_them() -> None:
    before = parse(GAME, "1,2,0,0,0,0/0,0,0,0,0,5 20,20 S")
    kinds = [step.kind for step in before.steps("A")]
    assert kinds == ["lift", "sow", "lap", "sow", "sow", "sow"]


def test_y4_an_own_empty_pit_captures_what_lies_across() -> None:
    """The seed that captures stays."""
    before = parse(GAME, "1,0,0,0,0,0/1,0,0,0,5,0 20,21 S")
    assert str(before.play("A")) == "0,1,0,0,0,0/1,0,0,0,0,0 25,21 N"


def test_y4_an_empty_pit_of_the_other_side_captures_nothing() -> None:
    before = parse(GAME, "4,0,0,0,0,1/0,1,0,0,0,0 21,21 S")
    assert str(before.play("F")) == "4,0,0,0,0,0/1,1,0,0,0,0 21,21 N"


def test_y5_who_can_feed_must() -> None:
    """North is empty: A would not reach it."""
    before = parse(GAME, "1,0,0,0,0,2/0,0,0,0,0,0 22,23 S")
    assert before.legal_moves == ("F",)


def test_y6_without_a_feeding_move_each_keeps_what_is_left() -> None:
    over = parse(GAME, "1,0,0,0,0,0/0,0,0,0,0,0 22,25 S")
    assert over.outcome is not None
    assert (over.outcome.winner, over.outcome.reason) == ("north", "no-feeding-move")
    assert over.outcome.score == {"south": 23, "north": 25}


def test_y6_without_seeds_the_game_is_over() -> None:
    over = parse(GAME, "0,0,0,0,0,0/1,0,0,0,0,2 22,23 S")
    assert over.outcome is not None
    assert over.outcome.reason == "no-seeds"
    assert over.outcome.score == {"south": 22, "north": 26}


def test_y7_a_third_repetition_is_a_draw() -> None:
    """One seed each, far apart, goes round and round."""
    position = parse(GAME, "1,0,0,0,0,0/1,0,0,0,0,0 23,23 S")
    moves = 0
    while position.outcome is None and moves < 500:
        position = position.play(position.legal_moves[0])
        moves += 1
    assert position.outcome is not None


def test_perft_is_a_fingerprint_of_the_rules() -> None:
    """Counted by plies; a change of the rules changes it."""
    assert [perft(depth) for depth in range(1, 6)] == PERFT


PERFT = [6, 28, 129, 603, 2807]


def perft(depth: int, moves: tuple[str, ...] = ()) -> int:
    position = from_moves(GAME, None, "south", moves)
    if depth == 0 or position.outcome:
        return 1
    return sum(perft(depth - 1, (*moves, move)) for move in position.legal_moves)
