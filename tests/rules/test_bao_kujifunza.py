"""Bao la Kujifunza, rule by rule; what lies in b1 only makes up the 64."""

from typing import Any

import pytest

from rules_core import InvalidPosition, Position, find_game, parse, restore, start
from rules_core.games import bao_kujifunza

GAME = "bao-kujifunza"


def row(**kete) -> str:
    """Return a row with kete in some columns, as in `row(_3=2)`."""
    return ",".join(str(kete.get(f"_{column}", 0)) for column in range(1, 9))


def text_of(front: str, back: str, their_front: str, mover: str = "S") -> str:
    """Return a position text; the kete not named lie in north's b1."""
    rest = 64
    for counts in (front, back, their_front):
        rest -= sum(map(int, counts.split(",")))
    return f"{front}/{back}/{their_front}/{row(_1=rest)} - {mover}"


def south(front: str, their_front: str, back: str | None = None) -> Position:
    """Return a position with south to move."""
    return parse(GAME, text_of(front, back or row(), their_front))


def test_j1_four_rows_of_eight_two_kete_each() -> None:
    """A1 faces a8; each seat sees its rows from its own left."""
    first = start(GAME)
    twos = ",".join("2" * 8)
    assert str(first) == f"{twos}/{twos}/{twos}/{twos} - S"
    layout = find_game(GAME).layout(None)
    assert [r[0] for r in layout.rows] == ["b8", "a8", "A1", "B1"]
    assert [r[-1] for r in layout.rows] == ["b1", "a1", "A8", "B8"]
    assert layout.owners["B3"] == "south"
    assert layout.stores == {}


def test_j2_moves_have_a_direction_as_the_owner_sees_it() -> None:
    """From the back row the left is clockwise: B1 is followed by A1."""
    before = south(row(_1=1), row(_5=1), back=row(_1=2, _8=1))
    assert before.legal_moves == ("B1L", "B1R")
    left = str(before.play("B1L")).split("/")
    assert left[:2] == [row(_1=2, _2=1), row(_8=1)]
    right = str(before.play("B1R")).split("/")
    assert right[:2] == [row(_1=1), row(_2=1, _3=1, _8=1)]


def test_j2_nobody_sows_on_the_other_side() -> None:
    """Sixteen mashimo, round and round."""
    before = south(row(_1=3), row(_5=1, _2=1))
    sown = {step.at for step in before.steps("A1R") if step.kind == "sow"}
    assert all(place.isupper() for place in sown)


@pytest.mark.parametrize(
    ("front", "their_front", "captures"),
    [
        (row(_3=2, _5=1), row(_4=3, _1=1), True),
        (row(_3=2), row(_4=3, _1=1), False),  # A5 was not occupied
        (row(_3=2, _5=1), row(_5=3, _1=1), False),  # a4 faces A5, and is empty
    ],
)
def test_j3_a_capture_needs_an_occupied_shimo_facing_an_occupied_one(
    front: str, their_front: str, captures: Any
) -> None:
    """Both front rows; A5 faces a4."""
    before = south(front, their_front)
    steps = [step.as_json() for step in before.steps("A3R")]
    assert ({"kind": "enter", "at": "a4", "count": 3} in steps) == captures


def test_j4_a_capture_must_be_played_if_there_is_one() -> None:
    """A3 could also go left, and A1 has two."""
    assert south(row(_1=2, _3=2, _5=1), row(_4=3, _1=1)).legal_moves == ("A3R",)


def test_j4_a_mtaji_may_lie_in_the_back_row() -> None:
    """B1 goes left, round the corner: A1, A2."""
    before = south(row(_2=1, _8=2), row(_7=1, _1=1), back=row(_1=2))
    assert before.legal_moves == ("B1L",)


@pytest.mark.parametrize(("kete", "mtaji"), [(15, True), (16, False)])
def test_j4_a_mtaji_has_two_to_fifteen_kete(kete: int, mtaji: Any) -> None:
    """Fifteen end one short of the shimo sown from, sixteen in it."""
    before = south(row(_3=kete, _2=1, _4=1), row(_7=1, _6=1, _5=1))
    kinds = [step.kind for step in before.steps("A3R")]
    assert ("enter" in kinds) == mtaji


@pytest.mark.parametrize(
    ("front", "their_front", "move", "after"),
    [
        # A5, in the middle, clockwise: from the left
        (row(_3=2, _5=1), row(_4=3, _1=1), "A3R", "1,1,1,1,2,0,0,0"),
        # A4, in the middle, counter-clockwise: from the right
        (row(_4=1, _6=2), row(_5=2, _1=1), "A6L", "0,0,0,2,1,0,1,1"),
        # A7, at the right side, clockwise: from the right; A7 laps counter-clockwise
        (row(_5=2, _7=1), row(_2=2, _1=1), "A5R", "0,0,0,1,1,2,0,1"),
        # A2, at the left side, counter-clockwise: from the left; A2 laps clockwise
        (row(_2=1, _4=2), row(_7=2, _1=1), "A4L", "1,0,2,1,1,0,0,0"),
    ],
)
def test_j5_j6_captured_kete_enter_at_one_end_of_the_front_row(
    front: str, their_front: str, move: str, after: str
) -> None:
    """The near end at the sides, in the middle the way the sowing ran."""
    played = south(front, their_front).play(move)
    rows = str(played).split("/")
    assert rows[0] == after
    assert rows[2] == row(_1=1)
    assert played.to_move == "north"


def test_j5_j6_a_later_capture_goes_by_the_direction_now_running() -> None:
    """A5 ran clockwise, but what A7 took enters from the right, and so does a3."""
    before = south(row(_5=2, _7=1), row(_2=3, _3=1, _8=1))
    told = [(s.kind, s.at) for s in before.steps("A5R") if s.kind != "sow"]
    captures = [("enter", "a2"), ("enter", "a3")]
    assert told == [("lift", "A5"), *captures, ("lap", "A8"), ("lap", "A6")]
    rows = str(before.play("A5R")).split("/")
    assert rows[0] == row(_3=1, _4=1, _5=1, _7=4)
    assert rows[2] == row(_8=1)


def test_j7_takata_laps_through_the_back_row_and_ends_in_an_empty_shimo() -> None:
    """B8 was occupied: its two go on to B7 and B6."""
    before = south(row(_7=2), row(_8=1), back=row(_8=1))
    assert before.legal_moves == ("A7L", "A7R")
    rows = str(before.play("A7R")).split("/")
    assert rows[:2] == [row(_8=1), row(_7=1, _6=1)]


def test_j7_in_takata_nothing_is_captured() -> None:
    """A3 and A6 are lapped from; a3, which A6 faces, stays."""
    before = south(row(_1=2, _3=2, _6=1), row(_3=1))
    assert before.legal_moves == ("A1L", "A1R", "A3L", "A3R")
    rows = str(before.play("A1R")).split("/")
    assert rows[0] == row(_2=1, _4=1, _5=1, _7=1, _8=1)
    assert rows[2] == row(_3=1)


def test_j7_takata_from_the_back_row_only_if_none_from_the_front() -> None:
    """Singles cannot be played."""
    assert south(row(_4=1, _6=1), row(_8=1), back=row(_3=2)).legal_moves == (
        "B3L",
        "B3R",
    )
    both = south(row(_4=2, _6=1), row(_8=1), back=row(_3=2))
    assert both.legal_moves == ("A4L", "A4R")


def test_j8_a_capture_that_empties_the_front_row_wins_at_once() -> None:
    """The four captured are sown once, though A4 was occupied."""
    before = south(row(_3=2, _5=1), row(_4=4))
    over = before.play("A3R")
    assert str(over).startswith("1,1,1,2,2,0,0,0/")
    assert (over.outcome.winner, over.outcome.reason) == ("south", "front-row-empty")
    assert over.outcome.score == {"south": 7, "north": 57}


def test_j8_an_own_front_row_left_empty_loses() -> None:
    """A8's two go round the corner."""
    over = south(row(_8=2), row(_8=1)).play("A8R")
    assert (over.outcome.winner, over.outcome.reason) == ("north", "front-row-empty")


def test_j8_without_a_legal_move_the_player_loses() -> None:
    """Singles only."""
    over = south(row(_1=1, _2=1), row(_1=1))
    assert (over.outcome.winner, over.outcome.reason) == ("north", "no-moves")


def test_j9_an_endless_capture_is_no_mtaji_but_may_be_played_as_takata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With two takings counted as endless, A3R may not capture any more."""
    before = text_of(row(_3=2, _5=1), row(), row(_4=3, _1=1))
    monkeypatch.setattr(bao_kujifunza, "ENDLESS", 1)
    assert parse(GAME, before).legal_moves == ("A3L",)
    monkeypatch.setattr(bao_kujifunza, "ENDLESS", 2)
    assert parse(GAME, before).legal_moves == ("A3R",)
    # entering from the left ends in A3 after its lap: three takings
    longer = text_of(row(_3=2, _5=1, _1=1), row(), row(_4=1, _1=1))
    assert parse(GAME, longer).legal_moves == ("A3L", "A3R")
    kinds = {step.kind for step in parse(GAME, longer).steps("A3R")}
    assert kinds == {"lift", "sow", "lap"}


ENDLESS = "3,6,2,3,5,1,3,2/2,1,2,3,4,3,6,3/0,0,0,0,0,1,0,0/14,0,0,0,0,0,0,0 - S"


def test_g8_j9_an_endless_takata_is_not_legal() -> None:
    """A2R alone would take kete in hand more than a thousand times."""
    ways = [f"A{column}{way}" for column in (1, 2, 3, 4, 5, 7, 8) for way in "LR"]
    ways.remove("A2R")
    assert list(parse(GAME, ENDLESS).legal_moves) == ways


def test_j8_j9_a_player_with_endless_moves_only_has_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A1R would lap in A3, A1L in B2."""
    monkeypatch.setattr(bao_kujifunza, "ENDLESS", 1)
    over = south(row(_1=2, _3=1), row(_1=1), back=row(_2=1))
    assert (over.outcome.winner, over.outcome.reason) == ("north", "no-moves")


def key_of(position: Position) -> str:
    """Return how a position is written among those seen: ring by ring."""
    board = position.board
    rings = [f"A{n}" for n in range(1, 9)] + [f"B{n}" for n in range(8, 0, -1)]
    rings += [place.lower() for place in rings]
    mover = "01"[position.to_move == "north"]
    return "".join(chr(48 + board[place]) for place in rings) + mover


def test_j10_g9_the_third_occurrence_of_a_position_is_a_draw() -> None:
    """It has come up twice before, in the snapshot."""
    first = start(GAME)
    after = first.play("A1R")
    seen = sorted([key_of(first), key_of(after), key_of(after)])
    over = restore(GAME, None, f"p1|{first}|seen={','.join(seen)}").play("A1R")
    assert (over.outcome.winner, over.outcome.reason) == (None, "standstill")
    assert str(over) == str(after)[:-1] + "-"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected"),
        (str(start(GAME)).replace(" - ", " 0,0 "), "expected"),
        (str(start(GAME)).replace("2,2", "2,3", 1), "64 kete, not 65"),
        (str(start(GAME)).replace("2,2", "4", 1), "row A has 8 mashimo, not 7"),
    ],
)
def test_j2_the_text_is_read_strictly(text: str, says: str) -> None:
    """Four rows, no stores, 64 kete."""
    with pytest.raises(InvalidPosition, match=says):
        parse(GAME, text)
