"""Reversi, rule by rule."""

from rules_core import parse, restore, start
from tests.rules.drawing import drawn_squares, position


def test_r1_four_discs_thirty_in_each_hand_black_begins() -> None:
    """d4 and e5 hold white, e4 and d5 black."""
    first = start("reversi")
    assert str(first) == drawn_squares("""
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . O X . . .
        . . . X O . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .   X
    """)
    assert first.board == {"d4": "white", "e4": "black", "d5": "black", "e5": "white"}
    assert first.snapshot.endswith("|hands=30/30")


def test_r2_a_disc_must_outflank_a_row() -> None:
    """The four squares of the start, in the order of the board."""
    assert start("reversi").legal_moves == ("d3", "c4", "f5", "e6")
    after = start("reversi").play("d3")
    assert str(after) == (
        "-------------------X-------XX------XO--------------------------- O"
    )


STAR = """
        X . . X . . X .
        . O . O . O . .
        . . O O O . . .
        X O O . O O O X
        . . O O O . . .
        . O . O . O . .
        X . . O . . X .
        . . . X . . . .   X
"""


def test_r3_rows_in_all_eight_directions_are_flipped() -> None:
    """Every row from d4 ends in a black disc."""
    before = position("reversi", STAR)
    assert str(before.play("d4")) == drawn_squares("""
        X . . X . . X .
        . X . X . X . .
        . . X X X . . .
        X X X X X X X X
        . . X X X . . .
        . X . X . X . .
        X . . X . . X .
        . . . X . . . .   -
    """)
    flips = [s for s in before.steps("d4") if s.kind == "flip"]
    assert {s.to for s in flips} == {"black"}
    assert len(flips) == len(set(flips)) == 18


def test_r3_an_empty_square_breaks_a_row_and_flips_set_off_no_flips() -> None:
    """The row of b8 is broken; d4, flipped on the way, flips nothing in its column."""
    before = position(
        "reversi",
        """
        . . . . . . . .
        . . . X . . . .
        . . . O . . . .
        . O O O X . . .
        . . . O . . . .
        . . . X . . . .
        . . . . . . . .
        . O . X . . . .   X
        """,
    )
    assert str(before.play("a4")) == drawn_squares("""
        . . . . . . . .
        . . . X . . . .
        . . . O . . . .
        X X X X X . . .
        . . . O . . . .
        . . . X . . . .
        . . . . . . . .
        . O . X . . . .   O
    """)
    assert "a8" not in before.legal_moves


def test_r3_rows_do_not_wrap_round_the_edge() -> None:
    """h1 and a2 are neighbours in the text, not on the board."""
    before = position(
        "reversi",
        """
        . . . . . . X O
        O X . . . . . .
        . . . . . . . .
        . . . O X . . .
        . . . X O . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .   X
        """,
    )
    assert before.legal_moves == ("d3", "c4", "f5", "e6")


PASS = """
        . O X . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        X O . . . . O X   X
"""


def test_r4_a_player_without_a_move_forfeits_the_turn() -> None:
    """White cannot move after a1, so black moves again."""
    before = position("reversi", PASS)
    assert before.legal_moves == ("a1", "c8", "f8")
    after = before.play("a1")
    assert after.passes == ("white",)
    assert (after.mover, after.to_move) == ("black", "black")
    assert before.steps("a1")[-1].as_json() == {"kind": "pass", "to": "white"}


def test_r4_a_player_with_a_move_may_not_pass() -> None:
    """There is no move called pass, and nobody passes without need."""
    assert "pass" not in start("reversi").legal_moves
    assert start("reversi").play("d3").passes == ()


def test_r4_a_text_in_which_the_player_must_pass_is_settled() -> None:
    """White is to move, but cannot."""
    after = position("reversi", PASS).play("a1")
    settled = parse("reversi", str(after)[:-1] + "O")
    assert settled.passes == ("white",)
    assert settled.mover is None
    assert str(settled) == str(after)


def test_r5_each_move_uses_a_disc_of_the_own_hand() -> None:
    """Black's hand first, then white's."""
    position = start("reversi").play("d3").play("c3")
    assert position.snapshot.endswith("|hands=29/29")
    assert position.given == 0


def test_r5_a_text_counts_the_hands_as_if_nobody_had_passed() -> None:
    """Five discs: black has placed one."""
    text = str(start("reversi").play("d3"))
    assert parse("reversi", text).snapshot.endswith("|hands=29/30")


def test_r5_without_an_own_disc_the_opponent_gives_one() -> None:
    """Black's hand is empty; white's has all there is."""
    before = start("reversi")
    poor = restore("reversi", None, before.snapshot.replace("30/30", "0/60"))
    after = poor.play("d3")
    assert after.given == 1
    assert after.snapshot.endswith("|hands=0/59")
    assert poor.steps("d3")[0].as_json() == {"kind": "give", "count": 1, "to": "black"}
    assert after.play("c3").given == 0


def test_r6_the_game_ends_when_nobody_can_move_even_on_a_board_not_full() -> None:
    """White has no disc left after three moves of each and this."""
    moves = "f5 d6 c5 f4 e7 f6 g5 e6 e3"
    position = start("reversi")
    for move in moves.split():
        position = position.play(move)
    assert position.legal_moves == ()
    assert position.outcome.winner == "black"
    assert position.outcome.reason == "discs"
    assert position.outcome.score == {"black": 13, "white": 0}
    assert str(position).endswith(" -")


def test_r6_equal_discs_are_a_draw() -> None:
    """The empty squares count for nobody."""
    over = position(
        "reversi",
        """
        X X X X . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . O O O O   X
        """,
    )
    assert over.outcome.winner is None
    assert over.outcome.score == {"black": 4, "white": 4}


def test_r7_no_disc_ever_leaves_its_square() -> None:
    """The solved line, to the last square."""
    position = start("reversi")
    for move in SOLVED.split():
        before = set(position.board)
        position = position.play(move.lower())
        assert set(position.board) == before | {move.lower()}


SOLVED = """
F5 D6 C3 D3 C4 F4 F6 F3 E6 E7 D7 C5 B6 D8 C6 C7 D2 B5 A5 A6 A7 G5 E3 B4 C8 G6 G4 C2 E8
D1 F7 E2 G3 H4 F1 E1 F2 G1 B1 F8 G8 B3 H3 B2 H5 B7 A3 A4 A1 A2 C1 H2 H1 G2 B8 A8 G7 H8
H7 H6
"""


def test_the_solved_game_is_a_draw_of_sixty_moves() -> None:
    """Perfect play of both sides (Takizawa 2023): nobody passes, 32 discs each."""
    position = start("reversi")
    for move in SOLVED.split():
        position = position.play(move.lower())
        assert position.passes == ()
    assert position.outcome.winner is None
    assert position.outcome.score == {"black": 32, "white": 32}
    assert position.snapshot.endswith("|hands=0/0 end=discs/draw")
