"""Endings of Reversi are solved to the disc, by our rules."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rules_core import Position, find_game, parse, start
from rules_core.compiled import find_compiled
from rules_core.games import reversi_ends as ends
from rules_core.games.reversi_rows import outflanked
from rules_core.search import PlainSearcher
from tests.support.ffo import FFO
from tests.support.playing import dice
from tests.support.require import skip_without

REVERSI = find_game("reversi")
Solve = Callable[[list[int], int, int], int]


def compiled() -> Any:
    """Return the compiled game, or skip."""
    found = find_compiled(REVERSI)
    if found is None:
        skip_without("compiled", "python -m rules_core.translation.c.build")
    return found


def solved_plainly(board: list[int], alpha: int = -64, beta: int = 64) -> int:
    return PlainSearcher(REVERSI, 10**9, 60).solve(board, alpha, beta)


def solved_compiled(board: list[int], alpha: int = -64, beta: int = 64) -> int:
    searcher = compiled().Searcher(10**12, 60)
    found: int = searcher.solve(board, alpha, beta)
    assert not searcher.stopped
    return found


EACH_WAY = pytest.mark.parametrize("solved", [solved_plainly, solved_compiled])


def margin(position: Position) -> int:
    """Return the margin of the seat to move, by looking at every line of play."""
    engine = REVERSI.engine
    boards, moves = [position.flat], [0] * engine.max_moves
    board = boards[0]
    turn = board[engine.turn]

    def black_ahead(board: list[int]) -> int:
        legal = moves[: engine.legal(board, moves)]
        if not legal:
            return engine.score(board)
        found = []
        for move in legal:
            after = board.copy()
            engine.apply(after, move, None)
            found.append(black_ahead(after))
        return min(found) if board[engine.turn] else max(found)

    ahead = black_ahead(board)
    return -ahead if turn else ahead


def endings(empty: int, count: int, seed: int) -> Iterator[Position]:
    """Yield positions of random games with so many squares empty."""
    chance = dice(seed)
    while count:
        position = start("reversi")
        while position.legal_moves and len(position.board) < 64 - empty:
            position = position.play(chance.choice(position.legal_moves))
        if position.legal_moves:
            count -= 1
            yield position


def sparse(chance: Any) -> Position:
    """Return a board with much of one colour: seats pass, and squares stay empty."""
    while True:
        squares = "".join(chance.choices("XO", (1, 12), k=64))
        for at in chance.sample(range(64), 7):
            squares = f"{squares[:at]}-{squares[at + 1 :]}"
        try:
            return parse("reversi", f"{squares} {chance.choice('XO')}")
        except ValueError:
            continue


@EACH_WAY
@pytest.mark.parametrize("empty", [1, 2, 3, 4, 5, 6])
def test_the_margin_is_that_of_looking_at_every_line(solved: Solve, empty: int) -> None:
    """Passes, and games that end before the board is full, are among them."""
    for position in endings(empty, 12, seed=empty):
        assert solved(position.flat, -64, 64) == margin(position), str(position)


@EACH_WAY
def test_empty_squares_count_for_nobody(solved: Solve) -> None:
    """R6: so that a margin may be odd, and a clean sweep worth less than 64."""
    chance, found = dice("sparse"), set[int]()
    for _ in range(25):
        position = sparse(chance)
        found.add(solved(position.flat, -64, 64))
        assert solved(position.flat, -64, 64) == margin(position), str(position)
    assert any(value % 2 for value in found)


@EACH_WAY
def test_outside_its_window_the_margin_is_a_bound(solved: Solve) -> None:
    """Never beyond the margin, and on its side of the window."""
    for position in endings(6, 6, seed=7):
        exact = margin(position)
        for low in range(-64, 64, 7):
            found = solved(position.flat, low, low + 3)
            if found <= low:
                assert exact <= found
            elif found >= low + 3:
                assert exact >= found
            else:
                assert exact == found


def test_both_solve_the_same_where_the_table_is_used() -> None:
    """Eight and nine squares: sorted, remembered, cut off by stable discs."""
    for empty in (8, 9):
        for position in endings(empty, 3, seed=empty):
            assert solved_plainly(position.flat) == solved_compiled(position.flat)


def test_a_table_that_was_used_before_does_no_harm() -> None:
    """What is proven of one position is remembered for others of the same game."""
    fresh, chance = compiled(), dice("line")
    kept = fresh.Searcher(10**12, 60)
    [position] = endings(14, 1, seed=14)
    while position.legal_moves:
        assert kept.solve(position.flat, -64, 64) == solved_compiled(position.flat)
        position = position.play(chance.choice(position.legal_moves))


@EACH_WAY
def test_discs_in_hand_change_nothing(solved: Solve) -> None:
    """R5: without one of its own a seat is given one."""
    for position in endings(5, 4, seed=5):
        board = position.flat
        for hands in ((5, 0), (0, 5)):
            poor = [*board[:5], *hands, *board[7:]]
            assert solved(poor, -64, 64) == solved(board, -64, 64)


def test_the_solved_game_is_a_draw_from_twenty_squares_on() -> None:
    """Perfect play of both sides (Takizawa 2023)."""
    position = start("reversi")
    for move in SOLVED.lower().split()[:40]:
        position = position.play(move)
    assert solved_compiled(position.flat) == 0
    for move in SOLVED.lower().split()[40:-1]:
        position = position.play(move)
        assert solved_compiled(position.flat, -1, 1) == 0


SOLVED = """
F5 D6 C3 D3 C4 F4 F6 F3 E6 E7 D7 C5 B6 D8 C6 C7 D2 B5 A5 A6 A7 G5 E3 B4 C8 G6 G4 C2 E8
D1 F7 E2 G3 H4 F1 E1 F2 G1 B1 F8 G8 B3 H3 B2 H5 B7 A3 A4 A1 A2 C1 H2 H1 G2 B8 A8 G7 H8
H7 H6
"""


def test_a_known_ending_is_solved() -> None:
    """The first of the FFO suite; `tests/bench/endings.py` solves the others."""
    first = FFO[0]
    assert solved_compiled(parse("reversi", first.text).flat) == first.margin


def test_the_budget_ends_it() -> None:
    """Then the answer is worthless, and says so."""
    board = parse("reversi", FFO[5].text).flat
    for searcher in (PlainSearcher(REVERSI, 20, 60), compiled().Searcher(5_000, 60)):
        searcher.solve(board, -64, 64)
        assert searcher.stopped
        assert searcher.nodes < 20_000


def test_what_a_disc_flips_is_found_by_tables_as_by_the_rules() -> None:
    """For every square of random boards, the edges among them."""
    chance = dice("turned")
    for _ in range(200):
        empty = chance.getrandbits(64)
        own = chance.getrandbits(64) & ~empty
        other = chance.getrandbits(64) & ~empty & ~own
        for square in range(64):
            if not (own | other) >> square & 1:
                flipped = outflanked(own, other, 1 << square)
                assert ends.turned(own, other, square) == flipped


def test_the_last_flips_are_counted_right() -> None:
    """All squares are taken but one."""
    chance = dice("last")
    for _ in range(500):
        square = chance.randrange(64)
        own = chance.getrandbits(64) & ~(1 << square)
        other = ends.ALL ^ own ^ (1 << square)
        flips = ends.turned(own, other, square).bit_count()
        assert ends.flips_of_last(own, square) == flips


def test_a_stable_disc_is_never_flipped() -> None:
    """Whatever is played; corners, sides and full lines make discs stable."""
    chance, seen = dice("stable"), 0
    for position in endings(24, 40, seed=24):
        board = position.flat
        kept = [(seat, ends.stable(board[seat], board[1 - seat])) for seat in (0, 1)]
        seen += sum(squares.bit_count() for _, squares in kept)
        while position.legal_moves:
            position = position.play(chance.choice(position.legal_moves))
            for seat, squares in kept:
                assert position.flat[seat] & squares == squares
    assert seen > 40
