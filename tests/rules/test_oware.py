"""Oware and Oware Abapa, rule by rule."""

import pytest

from rules_core import Position, parse, start
from tests.rules.drawing import drawn, position

BOTH = pytest.mark.parametrize("game", ["oware", "oware-abapa"])


@BOTH
def test_w1_twelve_houses_with_the_same_number_of_seeds(game: str) -> None:
    """Four, five or six of them."""
    assert str(start(game)) == drawn("""
         4 4 4 4 4 4        f e d c b a
        0           0
         4 4 4 4 4 4        A B C D E F      south to move
    """)
    assert str(start(game, {"seeds": 6})).startswith("6,6,6,6,6,6/6,6,6,6,6,6 0,0")


@BOTH
def test_w2_sowing_passes_both_stores(game: str) -> None:
    """F sows a, b, c and d; no store gets any."""
    assert str(start(game).play("F")) == drawn("""
         4 4 5 5 5 5        f e d c b a
        0           0
         4 4 4 4 4 0        A B C D E F      north to move
    """)


@BOTH
@pytest.mark.parametrize(
    ("seeds", "after"),
    [
        (11, "2,2,2,2,2,0/2,2,2,2,2,2"),
        (12, "2,2,2,2,2,0/3,2,2,2,2,2"),
        (23, "3,3,3,3,3,0/4,3,3,3,3,3"),
    ],
)
def test_w2_the_house_sown_from_is_skipped_each_time_round(
    game: str, seeds: int, after: str
) -> None:
    """The 12th and the 23rd seed fall into the next house."""
    stores = (48 - 11 - seeds) // 2, 48 - 11 - seeds - (48 - 11 - seeds) // 2
    text = f"1,1,1,1,1,{seeds}/1,1,1,1,1,1 {stores[0]},{stores[1]} S"
    before = parse(game, text)
    sown = [step.at for step in before.steps("F") if step.kind == "sow"]
    assert "F" not in sown
    assert len(sown) == seeds
    counts = dict(before.board)
    counts["F"] = 0
    for at in sown:
        counts[at] += 1
    south, north = ([counts[p] for p in side] for side in ("ABCDEF", "abcdef"))
    assert f"{','.join(map(str, south))}/{','.join(map(str, north))}" == after


@BOTH
def test_w3_twos_and_threes_are_captured_backwards(game: str) -> None:
    """c, b and a hold 2, 3 and 2; d is out of reach."""
    before = position(
        game,
        """
         4 0 0 1 2 1        f e d c b a
       17           20
         0 0 0 0 0 3        A B C D E F      south to move
        """,
    )
    after = before.play("F")
    assert str(after) == drawn("""
         4 0 0 0 0 0        f e d c b a
       17           27
         0 0 0 0 0 0        A B C D E F      over
    """)
    captured = [(s.at, s.count) for s in before.steps("F") if s.kind == "capture"]
    assert captured == [("c", 2), ("b", 3), ("a", 2)]


@BOTH
def test_w3_a_house_with_another_number_stops_the_capture(game: str) -> None:
    """House c is captured, b has four, so a with its two stays."""
    before = position(
        game,
        """
         4 0 0 1 3 1        f e d c b a
       16           16
         4 0 0 0 0 3        A B C D E F      south to move
        """,
    )
    assert str(before.play("F")) == drawn("""
         4 0 0 0 4 2        f e d c b a
       16           18
         4 0 0 0 0 0        A B C D E F      north to move
    """)


@BOTH
def test_w3_own_houses_are_never_captured(game: str) -> None:
    """The last seed makes E two; nothing happens."""
    before = parse(game, "0,0,0,1,1,4/4,4,4,4,4,4 9,9 S")
    assert str(before.play("D")) == "0,0,0,0,2,4/4,4,4,4,4,4 9,9 N"


@BOTH
def test_w4_a_starving_opponent_must_be_fed(game: str) -> None:
    """Only F with one seed and E with two reach the other side."""
    before = position(
        game,
        """
         0 0 0 0 0 0        f e d c b a
       20           20
         1 1 2 1 2 1        A B C D E F      south to move
        """,
    )
    assert before.legal_moves == ("E", "F")


@BOTH
def test_w4_without_a_feeding_move_the_player_takes_the_own_side(game: str) -> None:
    """Nothing of south's reaches the other side."""
    over = parse(game, "1,1,2,0,0,0/0,0,0,0,0,0 20,24 S")
    assert str(over) == "0,0,0,0,0,0/0,0,0,0,0,0 24,24 -"
    assert (over.outcome.winner, over.outcome.reason) == (None, "no-feeding-move")


SLAM = """
         0 0 0 0 1 1        f e d c b a
       22           22
         0 0 0 0 0 2        A B C D E F      south to move
"""


def test_w5_oware_cuts_off_the_heads() -> None:
    """All the opponent has is captured."""
    over = position("oware", SLAM).play("F")
    assert str(over) == "0,0,0,0,0,0/0,0,0,0,0,0 26,22 -"
    assert over.outcome.winner == "south"


def test_w5_w6_after_a_grand_slam_the_rest_is_the_movers() -> None:
    """South captures four; north has nothing to play, so south keeps A's seed too."""
    over = parse("oware", "1,0,0,0,0,2/1,1,0,0,0,0 19,24 S").play("F")
    assert str(over) == "0,0,0,0,0,0/0,0,0,0,0,0 24,24 -"
    assert (over.outcome.winner, over.outcome.reason) == (None, "no-seeds")


def test_w5_abapa_captures_nothing_with_a_grand_slam() -> None:
    """The seeds stay; north cannot feed south (W4) and takes them."""
    over = position("oware-abapa", SLAM).play("F")
    assert str(over) == "0,0,0,0,0,0/0,0,0,0,0,0 22,26 -"
    assert [s.kind for s in position("oware-abapa", SLAM).steps("F")] == [
        "lift",
        "sow",
        "sow",
        "sweep",
        "sweep",
    ]


def test_w5_abapa_captures_when_a_seed_is_left() -> None:
    """It is no grand slam when f keeps one."""
    before = parse("oware-abapa", "1,0,0,0,0,2/1,1,0,0,0,1 20,22 S")
    assert str(before.play("F")) == "1,0,0,0,0,0/0,0,0,0,0,1 24,22 N"


@BOTH
def test_w6_a_player_without_seeds_ends_the_game(game: str) -> None:
    """South has nothing to play; north keeps what it has."""
    over = parse(game, "0,0,0,0,0,0/1,0,4,0,0,3 20,20 S")
    assert str(over) == "0,0,0,0,0,0/0,0,0,0,0,0 20,28 -"
    assert (over.outcome.winner, over.outcome.reason) == ("north", "no-seeds")


@BOTH
def test_w6_giving_the_last_seed_away_does_not_end_the_game(game: str) -> None:
    """North has seeds to move, and feeds south with f."""
    before = parse(game, "0,0,0,0,0,1/0,0,4,0,0,3 20,20 S")
    assert before.play("F").legal_moves == ("c", "f")


@BOTH
def test_w7_more_than_half_wins_at_once(game: str) -> None:
    """What is left stays where it is."""
    over = parse(game, "4,4,4,0,0,1/1,1,4,4,0,0 24,1 S").play("F")
    assert str(over) == "4,4,4,0,0,0/0,1,4,4,0,0 26,1 -"
    assert (over.outcome.winner, over.outcome.reason) == ("south", "majority")


@BOTH
def test_w7_half_and_half_is_a_draw(game: str) -> None:
    """24 each, and nothing is left to play for."""
    over = parse(game, "0,0,0,0,0,0/0,0,0,0,0,0 24,24 S")
    assert (over.outcome.winner, over.outcome.reason) == (None, "halves")


def test_w7_a_capture_can_lead_to_halves() -> None:
    """South's four bring it to 24 as well."""
    over = parse("oware", "0,0,0,0,0,2/1,1,0,0,0,0 20,24 S").play("F")
    assert (over.outcome.winner, over.outcome.reason) == (None, "halves")


@BOTH
def test_w7_with_six_seeds_the_half_is_36(game: str) -> None:
    """The half belongs to the number of seeds."""
    before = parse(game, "4,0,0,0,0,1/1,1,0,0,0,9 35,21 S", {"seeds": 6})
    assert before.play("A").outcome is None
    assert before.play("F").outcome.reason == "majority"


def play_round_and_round(game: str) -> tuple[Position, Position, list[str]]:
    """Two single seeds run after one another and never meet; north has more."""
    position = parse(game, "0,0,0,0,0,1/0,0,0,0,0,1 22,24 S")
    seen = [str(position)]
    while position.outcome is None:
        last, position = position, position.play(position.legal_moves[0])
        seen.append(str(position))
    return last, position, seen


def test_w8_g9_oware_is_drawn_at_the_third_occurrence() -> None:
    """The position text has come up three times when the game ends."""
    _, over, seen = play_round_and_round("oware")
    assert (over.outcome.winner, over.outcome.reason) == (None, "standstill")
    board = seen[-1].removesuffix("-")
    assert sum(text.startswith(board) for text in seen) == 3


def test_w8_g9_abapa_gives_each_side_to_its_player() -> None:
    """22 + 1 against 24 + 1."""
    last, over, _ = play_round_and_round("oware-abapa")
    assert str(over) == "0,0,0,0,0,0/0,0,0,0,0,0 23,25 -"
    assert (over.outcome.winner, over.outcome.reason) == ("north", "standstill")
    assert [s.kind for s in last.steps(last.legal_moves[0])][-2:] == ["sweep", "sweep"]
