"""Tables of endings: every position, the right values, files that are what they say."""

import math
from pathlib import Path

import pytest

from rules_core import find_game, start
from rules_core.compiled import find_compiled
from rules_core.game import Variant
from rules_core.search import INFINITE, PlainSearcher
from rules_core.search.ending_tables import (
    HEADER,
    SHELF,
    NoEndings,
    build_endings,
    count_places,
    file_name,
    read_endings,
    write_endings,
)
from rules_core.search.endings import UNKNOWN, ending_place, set_pits
from rules_core.search.root import TO_ANY_END
from rules_core.search.thinking import Budget, think
from tests.support.playing import dice

NOBODY = UNKNOWN & 255


def kalah(pits: int, empty_capture: bool = False) -> Variant:
    """Return Kalah with so many pits a side."""
    options = {"pits": pits, "seeds": 1, "empty_capture": empty_capture}
    return find_game("kalah").variant(options)


def congkak() -> Variant:
    """Return a small Congkak."""
    return find_game("congkak").variant({"pits": 5, "seeds": 3})


EACH = pytest.mark.parametrize(
    "variant", [kalah(2), kalah(3, True), congkak()], ids=["two", "three", "congkak"]
)


@EACH
def test_every_place_is_a_position_of_its_own(variant: Variant) -> None:
    """And fewer seeds come first."""
    engine, board = variant.engine, variant.deal()
    place = 0
    for seeds in range(4):
        while place < count_places(variant, seeds):
            set_pits(engine, board, place, seeds)
            pits = [engine.ring_cell(board, i) for i in range(engine.ring_size(board))]
            assert sum(board[pit] for pit in pits) == seeds
            assert ending_place(engine, board) == place
            place += 1


@EACH
def test_an_ending_is_worth_what_a_search_without_the_table_finds(
    variant: Variant,
) -> None:
    """To the end, with nothing left out."""
    seeds, engine, chance = 4, variant.engine, dice("endings")
    values = build_endings(variant, seeds).values
    board = variant.deal()
    known = [place for place, value in enumerate(values) if value != NOBODY]
    for place in chance.sample(known, 40):
        set_pits(engine, board, place, seeds_at(variant, place))
        searcher = PlainSearcher(variant.game, 10**6, 60)
        found = searcher.value(board, TO_ANY_END, -INFINITE, INFINITE)
        assert searcher.proven
        assert found == 100 * int.from_bytes(values[place : place + 1], signed=True)


def seeds_at(variant: Variant, place: int) -> int:
    """Return how many seeds there are at a place."""
    seeds = 0
    while place >= count_places(variant, seeds):
        seeds += 1
    return seeds


@pytest.mark.parametrize("pits", [1, 2, 3, 4])
def test_there_are_as_many_endings_as_can_be_counted(pits: int) -> None:
    """Irving, Donkers, Uiterwijk: with seeds on both sides, of n seeds at most."""
    seeds = 5
    values = build_endings(kalah(pits), seeds).values
    one_side = math.comb(seeds + pits, pits)
    expected = math.comb(seeds + 2 * pits, 2 * pits) - 2 * one_side + 1
    assert len(values) - values.count(NOBODY) == expected


@EACH
def test_plain_and_compiled_work_out_the_same(variant: Variant) -> None:
    """Byte by byte."""
    if find_compiled(variant.game) is None:
        pytest.skip("nothing is compiled here")
    fast = build_endings(variant, 3).values
    size, board = count_places(variant, 3), variant.deal()
    plain, searcher = bytearray([NOBODY]) * size, PlainSearcher(variant.game, 10**9, 60)
    for index in range(variant.engine.ring_size(board)):
        board[variant.engine.ring_cell(board, index)] = 0
    for seeds in range(4):
        searcher.fill_endings(board, plain, seeds)
    assert plain == fast


def test_a_table_is_found_by_rules_and_options_and_used(tmp_path: Path) -> None:
    """With it fewer positions are looked at, and the value is the same."""
    first = start("kalah", {"pits": 3, "seeds": 2})
    endings = build_endings(first.variant, 8)
    write_endings(tmp_path / file_name(first.variant), first.variant, endings)
    without = think(first, Budget(60, nodes=10**6))
    SHELF.use(tmp_path)
    try:
        with_it = think(first, Budget(60, nodes=10**6))
        other = start("kalah", {"pits": 4, "seeds": 2})
        assert SHELF.find(other.variant) is None
    finally:
        SHELF.use(None)
    assert with_it.nodes < without.nodes
    assert with_it.lines[0].exact
    assert without.lines[0].exact
    assert with_it.lines[0].value == without.lines[0].value


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda whole: whole[:-1], "damaged"),
        (lambda whole: whole[:-1] + b"\x01", "damaged"),
        (lambda whole: whole[:100], "cannot be read"),
        (lambda whole: b"[]".ljust(HEADER) + whole[HEADER:], "no table"),
        (lambda whole: whole.replace(b"endings/1", b"endings/2"), "no table"),
        (lambda whole: whole.replace(b'"pits": 2', b'"pits": 3'), "other options"),
        (lambda whole: whole.replace(b'"seeds": 4', b'"seeds": 5'), "damaged"),
    ],
)
def test_a_table_that_is_not_what_it_should_be_is_not_used(
    spoil: object, says: str, tmp_path: Path
) -> None:
    """A wrong value would be called proven."""
    variant = kalah(2)
    path = tmp_path / file_name(variant)
    write_endings(path, variant, build_endings(variant, 4))
    assert read_endings(path, variant).seeds == 4
    assert callable(spoil)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(NoEndings, match=says):
        read_endings(path, variant)
    SHELF.use(tmp_path)
    try:
        assert SHELF.find(variant) is None
    finally:
        SHELF.use(None)


def test_some_games_have_no_endings() -> None:
    """And no table is larger than what can be kept."""
    for variant, says in (
        (find_game("bao-children").variant(None), "no table"),
        (find_game("congkak").variant({"rounds": "match"}), "with these options"),
    ):
        with pytest.raises(NoEndings, match=says):
            build_endings(variant, 3)
    with pytest.raises(NoEndings, match="more than"):
        build_endings(find_game("kalah").variant(None), 60)
