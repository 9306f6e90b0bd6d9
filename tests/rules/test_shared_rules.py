"""What all games share (RULES 0), where it is not a law of random play."""

import pytest

from rules_core import GAMES, Game, find_game, parse, start
from rules_core.kernel import ENDLESS
from tests.support.playing import dice, play_on

RING = {
    # the places of a board in the order in which they are sown, without stores
    "kalah": "ABCDEFabcdef",
    "oware": "ABCDEFabcdef",
    "oware-abapa": "ABCDEFabcdef",
    "oware-nam-nam": "ABCDEFabcdef",
    "bao-children": "ABCDEFGHabcdefgh",
    "bao-laps": "ABCDEFGHabcdefgh",
    "congkak": "GFEDCBAgfedcba",
}


@pytest.mark.parametrize("game", RING)
def test_g4_the_first_seeds_run_counter_clockwise_in_congkak_clockwise(
    game: str,
) -> None:
    """From the place sown from to the next ones, a store between the sides."""
    first = start(game)
    move = first.legal_moves[3]
    steps = first.steps(move)
    ring = RING[game]
    sown = [s.at for s in steps[1 : 1 + steps[0].count] if s.at != "south"]
    at = ring.index(move)
    assert sown == [ring[(at + n) % len(ring)] for n in range(1, len(sown) + 1)]


def test_g3_labels_face_each_other() -> None:
    """A capture of Kalah goes across: A faces f, F faces a."""
    for own, across in zip("ABCDEF", "fedcba", strict=True):
        layout = find_game("kalah").layout(None)
        assert layout.rows[1].index(own) == layout.rows[0].index(across)


def test_g8_a_thousand_takings_are_allowed() -> None:
    """The first one counts, and the thousand-and-first is too much."""
    assert ENDLESS == 1000


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_g10_a_finished_game_has_no_moves(game: Game) -> None:
    """Played to its end, whatever that is."""
    options = {"max_rounds": 2} if game.key == "oware-nam-nam" else None
    *_, last = play_on(start(game.key, options), dice(1), 3000)
    assert last.outcome is not None
    assert last.legal_moves == ()
    assert str(last).split()[-1] == "-" or " - " in str(last)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_g11_the_score_counts_what_each_seat_has(game: Game) -> None:
    """Stores, discs or kete, in the order of the seats."""
    options = {"max_rounds": 2} if game.key == "oware-nam-nam" else None
    *_, last = play_on(start(game.key, options), dice(2), 3000)
    score, board = last.outcome.score, last.board
    assert tuple(score) == game.seats
    for seat in game.seats:
        if game.key == "reversi":
            assert score[seat] == list(board.values()).count(seat)
        elif game.key == "bao-kujifunza":
            side = "AB" if seat == "south" else "ab"
            assert score[seat] == sum(
                n for place, n in board.items() if place[0] in side
            )
        else:
            assert score[seat] == board[seat]


def test_g12_nobody_can_send_a_pass() -> None:
    """Passing follows from the position; the seat that moved moves again."""
    after = parse("congkak", "0,1,0,0,0/0,0,0,0,0 15,14 S", {"pits": 5, "seeds": 3})
    passed = after.play("B")
    assert passed.passes == ("north",)
    assert passed.legal_moves == ("A",)


def test_g13_captures_are_part_of_the_move() -> None:
    """There is nothing to be forgotten, or to be put right later."""
    before = parse("kalah", "1,0,0,0,0,2/0,2,0,0,5,0 20,18 S")
    assert [step.kind for step in before.steps("A")] == [
        "lift",
        "sow",
        "capture",
        "capture",
    ]
    assert before.play("A").board["south"] == 26
