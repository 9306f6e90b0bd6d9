"""The highest level opens by the book of its game: good moves, not always the same."""

from collections.abc import Mapping

import pytest

from rules_core import GAMES, Game, Position, start
from rules_core.game import Variant
from rules_core.levels import FIRST, latest_ladder, levels_of
from rules_core.search.book import Book, Entry, Worth, book_moves, find_book, key_of
from rules_core.search.symmetry import NONE
from rules_core.search.thinking import Thought
from workers.ai import choice, choose

SEEDS = range(24)


def book_of(position: Position, worth: Mapping[str, int]) -> Book:
    """Return a book of a position and of what follows these moves."""
    book = Book(position.variant, NONE, 1, 9)
    worths = {move: Worth(worth.get(move, -900)) for move in position.legal_moves}
    book.entries[key_of(position)] = Entry(0, worths, worths)
    for move in worth:
        book.entries[key_of(position.play(move))] = Entry(1, {}, {})
    return book


class Heard:
    """Hears what is thought."""

    def __init__(self) -> None:
        self.thoughts: list[Thought] = []

    def note(self, position: Position, thought: Thought, time_s: float) -> None:
        self.thoughts.append(thought)


def put_up(monkeypatch: pytest.MonkeyPatch, book: Book | None) -> list[Variant]:
    """Let a book be that of its game; return of which games a book is asked for."""
    asked: list[Variant] = []

    def find(variant: Variant) -> Book | None:
        asked.append(variant)
        return book

    monkeypatch.setattr(choice, "find_book", find)
    return asked


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_the_highest_level_of_its_own_ladder_alone_knows_of_a_book(game: Game) -> None:
    """Those of the first ladder play on as ever: matches that run have them."""
    own = levels_of(game, latest_ladder(game))
    assert [level.book for level in own] == [False] * (len(own) - 1) + [True]
    if latest_ladder(game) > FIRST:
        assert not any(level.book for level in levels_of(game, FIRST))


def test_levels_below_and_earlier_ladders_open_no_book(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = start("kalah")
    asked = put_up(monkeypatch, book_of(first, {"A": 0}))
    assert choose(first, 10, 1) == "A"
    assert len(asked) == 1
    for level in range(1, 8):
        assert choose(first, level, 1) in first.legal_moves
    assert choose(first, 8, 1, time_s=0.05, ladder=FIRST) != "A"
    assert len(asked) == 1


def test_moves_that_are_equally_good_are_all_played_the_same_for_a_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A job that is done again answers the same; nobody thinks about it."""
    first = start("kalah")
    put_up(monkeypatch, book_of(first, {"A": 90, "D": 100, "E": 10}))
    heard = Heard()
    moves = [choose(first, 10, seed, note=heard.note) for seed in SEEDS]
    assert set(moves) == {"A", "D"}
    assert moves == [choose(first, 10, seed) for seed in SEEDS]
    assert heard.thoughts == []


def test_where_the_book_ends_the_search_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is heard of; so is what has another game's options."""
    first = start("kalah")
    put_up(monkeypatch, book_of(first, {"C": 0}))
    for position in (first.play("C"), start("kalah", {"seeds": 3, "pits": 3})):
        heard = Heard()
        assert choose(position, 10, 1, 0.1, note=heard.note) in position.legal_moves
        assert len(heard.thoughts) == 1


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_the_book_that_comes_with_a_game_is_played(game: Game) -> None:
    """From either seat that may begin."""
    book = find_book(game.variant(None))
    assert book is not None
    highest = len(levels_of(game, latest_ladder(game)))
    for starter in game.starters:
        first = start(game.key, starter=starter)
        played = {choose(first, highest, seed) for seed in SEEDS}
        assert played <= set(book_moves(first, book))
