"""Books that prove: who plays by them never has less than the start is worth."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules_core import Position, find_game, start
from rules_core.search import book_proving
from rules_core.search.book import (
    Book,
    Entry,
    book_moves,
    find_book,
    key_of,
    read_book,
    write_book,
)
from rules_core.search.book_growing import CannotLook, begin_book
from rules_core.search.book_proving import Prover
from rules_core.search.cancel import Cancel
from rules_core.search.symmetry import SEATS, seen_alike
from rules_core.search.thinking import Budget, think

SMALL = find_game("kalah").variant({"pits": 3, "seeds": 3})
KALAH = find_game("kalah").variant(None)
WORTH = 200
"""What the start of the small game is worth, in hundredths of a seed."""

NODES, ALL = 60, 99


@pytest.fixture(autouse=True)
def _of_a_small_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_proving, "TABLE_MEGABYTES", 1)


def begun(proves: int, nodes: int = NODES) -> Book:
    return Book(SMALL, SEATS, nodes, 30, proves=proves)


def proven(proves: int, nodes: int = NODES) -> Book:
    prover = Prover(begun(proves, nodes))
    while prover.grow():
        pass
    return prover.book


def value_of(position: Position) -> int:
    """Return the proven margin of the seat to move, in hundredths of a seed."""
    best = think(position, Budget(60.0), everything=False).lines[0]
    assert best.exact
    return round(100 * best.value)


def entries_of(book: Book) -> Iterator[tuple[Position, Entry]]:
    """Yield the positions of a book as they stand in it."""
    variant = book.variant
    first = start(variant.game.key, variant.options)
    waiting, done = [seen_alike(first, book.views)[0]], set[str]()
    while waiting:
        position = waiting.pop()
        key = key_of(position)
        if key in book.entries and key not in done:
            done.add(key)
            yield position, book.entries[key]
            after = [position.play(move) for move in position.legal_moves]
            waiting += [
                seen_alike(one, book.views)[0] for one in after if one.outcome is None
            ]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("proves", [2, ALL])
def test_who_plays_by_it_has_what_is_due_whatever_the_other_plays(
    seat: int, proves: int
) -> None:
    """Until the search proves the rest with as many nodes, or the other is behind."""
    book, due = proven(proves), WORTH if seat == 0 else -WORTH
    own = SMALL.game.seats[seat]
    waiting, by_book, left = [start("kalah", SMALL.options)], 0, 0
    while waiting:
        position = waiting.pop()
        is_own = position.to_move == own
        if position.outcome is not None:
            score = SMALL.game.engine.score(position.flat)
            assert 100 * (score if seat == 0 else -score) >= due
        elif is_own and (good := book_moves(position, book)):
            by_book += 1
            waiting += [position.play(move) for move in good]
        elif book.has(position) and not is_own:
            waiting += [position.play(move) for move in position.legal_moves]
        else:
            left += 1
            assert (1 if is_own else -1) * value_of(position) >= due
    assert by_book >= 3
    assert left >= 3


@pytest.mark.parametrize("proves", [2, ALL])
def test_what_it_says_is_so(proves: int) -> None:
    """A move that it plays is worth as much; those of the other are worth no more."""
    own = others = 0
    for position, entry in entries_of(proven(proves)):
        best = [move for move, worth in entry.worth.items() if worth.exact]
        for move in best or position.legal_moves:
            after = position.play(move)
            if after.outcome is not None:
                score = SMALL.game.engine.score(after.flat)
                value = 100 * (score if position.to_move == "south" else -score)
            else:
                value = value_of(after)
                value = value if after.to_move == position.to_move else -value
            told = entry.worth[move].value
            assert value >= told if best else value <= told
            own += bool(best)
            others += not best
    assert own >= 2
    assert others >= 4


def test_what_the_search_proves_is_not_in_it() -> None:
    """With the nodes of the book; so more of them make a smaller book."""
    few, more = proven(ALL), proven(ALL, 10 * NODES)
    assert 1 < len(more.entries) < len(few.entries)
    for position, entry in entries_of(more):
        if entry.ply == 0:
            continue  # the start is in it anyway
        lines = think(position, Budget(60.0, more.nodes), everything=False).lines
        assert not (lines and lines[0].exact)


def test_what_gives_away_more_is_not_followed() -> None:
    assert len(proven(2).entries) < len(proven(6).entries) <= len(proven(ALL).entries)


def test_what_was_put_away_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    """To the last byte, which tells the command that makes it again."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    write_book(whole, proven(4))
    prover = Prover(begun(4))
    for _ in range(3):
        assert prover.grow()
    write_book(parts, prover.book)
    prover = Prover(read_book(parts, SMALL))
    while prover.grow():
        pass
    write_book(parts, prover.book)
    assert parts.read_bytes() == whole.read_bytes()
    count = len(prover.book.entries)
    head = json.loads(whole.read_bytes().partition(b"\n")[0])
    given = f"--prove 4 --nodes {NODES} --plies 30 --positions {count}"
    assert head["command"] == f"seedlog book kalah {given}"
    assert head["proves"] == 4


def test_a_position_that_is_cut_off_is_not_kept() -> None:
    """Nor is one that was only looked at; and the prover goes on from there."""
    cancel, prover = Cancel(), Prover(begun(4))
    cancel.set()
    assert not prover.grow(cancel)
    assert prover.book.entries == {}
    assert prover.grow()
    while prover.grow(cancel):
        pass
    while prover.grow():
        pass
    assert prover.book.entries == proven(4).entries


@pytest.mark.parametrize("game", ["oware", "reversi", "bao-laps"])
def test_a_game_without_banks_is_refused(game: str) -> None:
    with pytest.raises(CannotLook, match=f"nothing proves {game}/1 to its end"):
        Prover(begin_book(find_game(game).variant(None), NODES, 30))


# -- the book that comes with Kalah


@pytest.mark.parametrize(("seat", "due"), [("south", 800), ("north", -800)])
def test_the_book_of_kalah_keeps_what_the_start_is_worth(seat: str, due: int) -> None:
    """To the last position of it: there is one move, and it is proven to be enough."""
    book = find_book(KALAH)
    assert book is not None
    waiting, by_book, left = [start("kalah")], 0, list[Position]()
    done = set[str]()
    while waiting:
        position = waiting.pop()
        if position.outcome is not None or position.digest in done:
            continue
        done.add(position.digest)
        is_own = position.to_move == seat
        good = book_moves(position, book) if is_own else ()
        if is_own and good:
            assert len(good) == 1
            worth = book.worth_of(position)[good[0]]
            assert worth.exact
            assert worth.value >= due
            by_book += 1
            waiting += [position.play(move) for move in good]
        elif not is_own and book.has(position):
            waiting += [position.play(move) for move in position.legal_moves]
        else:
            left.append(position)
    assert by_book >= 5
    for position in left[:2]:  # of all of them it would take minutes
        alike = seen_alike(position, book.views)[0]
        lines = think(alike, Budget(600.0, book.nodes), everything=False).lines
        ahead = 100 * (1 if position.to_move == seat else -1) * lines[0].value - due
        assert lines[0].exact or ahead >= 100 * book.proves
