"""What holds in every game, with all options, at every ply of random play."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules_core import (
    GAMES,
    REASONS,
    Game,
    IllegalMove,
    Position,
    find_game,
    from_moves,
    parse,
    restore,
    start,
)
from rules_core.boards.steps import KINDS
from tests.support.playing import (
    dice,
    lines,
    options_of,
    other_side,
    play_on,
    replay_steps,
)

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)


def seeds_of(position: Position) -> int:
    """Count what lies on the board; a disc counts one."""
    return sum(n if isinstance(n, int) else 1 for n in position.board.values())


@given(lines())
def test_g7_no_move_creates_or_destroys_a_seed(line: list[Position]) -> None:
    """Discs are never taken away, and one more lies there after each move."""
    counts = [seeds_of(position) for position in line]
    if line[0].game.key == "reversi":
        assert counts == list(range(4, 4 + len(line)))
    else:
        assert set(counts) == {counts[0]}


@given(lines())
def test_g5_legal_moves_are_in_label_order_and_belong_to_the_seat_to_move(
    line: list[Position],
) -> None:
    """`A` before `B`, the front row before the back, rows of squares from the top."""
    for position in line:
        moves = position.legal_moves
        assert len(set(moves)) == len(moves)
        if position.game.key == "reversi":
            assert sorted(moves, key=lambda square: square[::-1]) == list(moves)
        else:
            # 'L' stands before 'R', and capitals before small letters
            assert sorted(moves) == list(moves)


@given(lines(plies=40), st.data())
def test_every_legal_move_can_be_played_and_no_other(
    line: list[Position], data: st.DataObject
) -> None:
    """A position offers moves exactly while it is not over."""
    position = data.draw(st.sampled_from(line))
    assert bool(position.legal_moves) == (position.outcome is None)
    assert (position.to_move is None) == (position.outcome is not None)
    for move in position.legal_moves:
        assert position.play(move).mover == position.to_move
    for move in {"A", "f", "a1", "d3", "A3R", "b2L", "@c", "pass", ""}:
        if move not in position.legal_moves:
            with pytest.raises(IllegalMove) as refused:
                position.play(move)
            assert refused.value.legal == position.legal_moves


@given(lines(plies=40), st.data())
def test_the_steps_of_a_move_lead_to_its_board(
    line: list[Position], data: st.DataObject
) -> None:
    """Seed by seed, disc by disc."""
    position = data.draw(st.sampled_from(line))
    for move in position.legal_moves:
        steps = position.steps(move)
        assert all(step.kind in KINDS for step in steps)
        after = position.play(move)
        assert replay_steps(position.board, steps) == after.board
        passed = tuple(step.to for step in steps if step.kind == "pass")
        assert passed == after.passes


@given(st.sampled_from(("kalah", "congkak")), st.data(), st.integers(0, 2**32))
def test_k7_c9_after_a_swap_everything_is_the_others(
    key: str, data: st.DataObject, seed: int
) -> None:
    """Whatever the first seat plays now, the second could have played before."""
    options = data.draw(options_of(find_game(key))) | {"pie": True}
    starter = data.draw(st.sampled_from(("south", "north")))
    offered = [
        position
        for position in play_on(start(key, options, starter), dice(seed), 40)
        if "swap" in position.legal_moves
    ]
    assert len(offered) <= 1
    for position in offered:
        swapped = position.play("swap")
        assert (position.to_move, swapped.to_move) == (swapped.mover, starter)
        assert (*map(other_side, swapped.legal_moves), "swap") == position.legal_moves
        for move in swapped.legal_moves:
            one, other = swapped.play(move), position.play(other_side(move))
            assert one.board == {other_side(at): n for at, n in other.board.items()}
            assert bool(one.outcome) == bool(other.outcome)


@given(lines(plies=60), st.data())
def test_playing_leaves_the_position_as_it_was(
    line: list[Position], data: st.DataObject
) -> None:
    """A position never changes."""
    position = data.draw(st.sampled_from(line))
    before = position.snapshot, dict(position.board)
    for move in position.legal_moves:
        position.steps(move)
        position.play(move)
    assert (position.snapshot, dict(position.board)) == before


@given(lines())
def test_g6_the_text_of_a_position_can_be_read_back(line: list[Position]) -> None:
    """All but what is inside a position and not in its text."""
    for position in line:
        if position.outcome is None:
            game = position.game.key
            again = parse(game, str(position), position.options)
            assert str(again) == str(position)
            assert again.legal_moves == position.legal_moves
            assert again.board == position.board


@given(lines())
def test_a_snapshot_can_be_restored(line: list[Position]) -> None:
    """With everything: the rest of the game goes the same way."""
    for position in line:
        game = position.game.key
        again = restore(game, position.options, position.snapshot)
        assert again == position
        assert hash(again) == hash(position)
        assert again.digest == position.digest
        assert again.outcome == position.outcome
        for move in position.legal_moves:
            assert again.play(move).snapshot == position.play(move).snapshot


@given(lines(plies=30))
def test_a_position_can_be_pickled(line: list[Position]) -> None:
    """With the move that led to it."""
    again = pickle.loads(pickle.dumps(line[-1]))  # noqa: S301
    assert again == line[-1]
    assert (again.mover, again.passes) == (line[-1].mover, line[-1].passes)


@given(st.sampled_from(GAMES), st.data(), st.integers(0, 2**32))
def test_a_list_of_moves_leads_to_the_same_position(
    game: Game, data: st.DataObject, seed: int
) -> None:
    """Bulk replay and playing move by move are one."""
    options = data.draw(options_of(game))
    starter = data.draw(st.sampled_from(game.starters))
    chance = dice(seed)
    position, moves = start(game.key, options, starter), []
    while position.legal_moves and len(moves) < 80:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    bulk = from_moves(game.key, options, starter, moves)
    assert bulk == position
    assert bulk.legal_moves == position.legal_moves
    assert (bulk.mover, bulk.passes) == (position.mover, position.passes)


@EACH_GAME
def test_random_games_end(game: Game) -> None:
    """Within 3,000 plies, with a reason and a winner that are known."""
    # without a last round, Nam Nam by random moves goes on for very long
    options = {"max_rounds": 5} if game.key == "oware-nam-nam" else None
    for seed in range(10):
        *_, last = play_on(start(game.key, options), dice(seed), 3000)
        assert last.outcome is not None
        assert last.outcome.reason in REASONS
        assert tuple(last.outcome.score) == game.seats
        assert last.outcome.winner in (None, *game.seats)


@EACH_GAME
def test_g1_g2_seats_and_starters(game: Game) -> None:
    """Seat index 0 is south or black; reversi is always begun by black."""
    if game.key == "reversi":
        assert game.seats == ("black", "white")
        assert game.starters == ("black",)
    else:
        assert game.seats == game.starters == ("south", "north")
    for seat in game.starters:
        assert start(game.key, None, seat).to_move == seat
    assert start(game.key).to_move == game.starters[0]


@EACH_GAME
def test_the_layout_shows_every_place_once(game: Game) -> None:
    """As the first seat sees it."""
    layout = game.layout(None)
    shown = [place for row in layout.rows for place in row]
    assert len(set(shown)) == len(shown)
    if layout.kind == "squares":
        assert layout.rows[0][0] == "a1"
        assert layout.rows[7][7] == "h8"
        assert not layout.stores
        assert not layout.owners
    else:
        assert set(shown) | set(layout.stores) == set(start(game.key).board)
        assert set(layout.owners) == set(shown)
        assert layout.rows[-1][0][0] in "AB"


def test_g3_a_faces_the_last_house_of_north() -> None:
    """Labels run from the owner's left to the owner's right."""
    layout = find_game("kalah").layout(None)
    assert layout.rows == (tuple("fedcba"), tuple("ABCDEF"))
    assert layout.stores == {"south": "right", "north": "left"}
    assert layout.owners["A"] == "south"
    assert layout.owners["a"] == "north"
