"""Opening books: they say what a search found, from every side, and lose nothing."""

import json
import logging
import random
import tomllib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rules_core import GAMES, Game, Position, find_game, parse, start
from rules_core.search import book as books
from rules_core.search.book import (
    EQUAL,
    Book,
    Entry,
    NoBook,
    Worth,
    book_moves,
    book_path,
    find_book,
    key_of,
    read_book,
    write_book,
)
from rules_core.search.book_growing import CannotLook, Grower, begin_book
from rules_core.search.symmetry import NONE, View, find_symmetry, seen_alike, views_of

ROOT = Path(__file__).parents[2]
KALAH = find_game("kalah").variant(None)
NODES = 600


def grown(game: str, positions: int, nodes: int = NODES, plies: int = 9) -> Book:
    grower = Grower(begin_book(find_game(game).variant(None), nodes, plies))
    for _ in range(positions):
        assert grower.grow()
    return grower.book


def told(position: Position, **worth: Worth) -> Book:
    """Return a book that knows of one position, and of what follows its moves."""
    book = Book(position.variant, NONE, 1, 9)
    worths = {move: worth.get(move, Worth(-9999)) for move in position.legal_moves}
    book.entries[key_of(position)] = Entry(0, worths, dict(worths))
    for move in position.legal_moves:
        after = seen_alike(position.play(move), book.views)[0]
        book.entries.setdefault(key_of(after), Entry(1, {}, {}))
    return book


def lines_of(book: Book, first: Position) -> Iterator[Position]:
    """Yield every position of a book that its moves lead to."""
    waiting, done = [first], set[str]()
    while waiting:
        position = waiting.pop()
        if position.outcome is None and position.digest not in done:
            done.add(position.digest)
            if book.worth_of(position):
                yield position
                waiting += map(position.play, position.legal_moves)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_board_looks_the_same_from_other_sides(game: Game) -> None:
    """Two rows from both seats, squares from all corners."""
    symmetry = find_symmetry(game.variant(None))
    assert symmetry == ("corners" if game.key == "reversi" else "seats")


def test_a_game_that_favours_a_seat_looks_different_from_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then its book holds positions as they are."""
    seats = views_of(KALAH, "seats")
    odd = {**seats[1].moves, "A": "b", "B": "a"}
    other = View(odd, seats[1].turn)
    monkeypatch.setattr(
        "rules_core.search.symmetry.views_of",
        lambda variant, symmetry: seats[:1] if symmetry == NONE else (seats[0], other),
    )
    assert find_symmetry(KALAH) == NONE


def test_all_that_look_the_same_are_one_position() -> None:
    """The four openings of Reversi, the first moves of north and south in Kalah."""
    reversi = find_game("reversi").variant(None)
    views = views_of(reversi, "corners")
    first = start("reversi")
    after = {seen_alike(first.play(move), views)[0] for move in first.legal_moves}
    assert len(first.legal_moves) == 4
    assert len(after) == 1

    book = grown("kalah", 3)
    south = book.worth_of(start("kalah"))
    north = book.worth_of(start("kalah", starter="north"))
    assert set(south) == set("ABCDEF")
    assert {move.upper(): worth for move, worth in north.items()} == south
    assert book_moves(start("kalah", starter="north"), book) == tuple(
        move.lower() for move in book_moves(start("kalah"), book)
    )


def test_a_position_is_found_however_it_was_come_to() -> None:
    """Oware remembers what came up on the way; a book does not."""
    one = parse("oware", "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S")
    ways = [["A", "a", "F"], ["F", "a", "A"]]
    ends = []
    for way in ways:
        end = one
        for move in way:
            end = end.play(move)
        ends.append(end)
    board = str(ends[0])
    same = parse("oware", board)
    book = told(same, b=Worth(300))
    assert ends[0].digest != same.digest
    assert book_moves(ends[0], book) == book_moves(same, book) == ("b",)


@pytest.mark.parametrize("game", ["kalah", "reversi", "oware", "bao-kujifunza"])
def test_a_move_is_worth_what_the_best_reply_leaves(game: str) -> None:
    """Whatever the search has said of it at first, unless that was a proof."""
    book, first = grown(game, 30), start(game)
    followed = 0
    for position in lines_of(book, first):
        here, _ = seen_alike(position, book.views)
        entry = book.entries[key_of(here)]
        for move, worth in book.worth_of(here).items():
            after = here.play(move)
            reply = None
            if after.outcome is None:
                reply = book.entries.get(key_of(seen_alike(after, book.views)[0]))
            if reply is None or reply.ply <= entry.ply or entry.searched[move].exact:
                assert worth == entry.searched[move]
                continue
            best = max(reply.worth.values(), key=lambda worth: worth.rank).value
            assert worth.value == (best if after.to_move == here.to_move else -best)
            followed += 1
    assert followed >= 29  # every position but the first follows a move


def test_what_was_put_away_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    """To the last byte, which tells the command that makes it again."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    write_book(whole, grown("kalah", 12))
    write_book(parts, grown("kalah", 5))
    grower = Grower(read_book(parts, KALAH))
    for _ in range(7):
        grower.grow()
    write_book(parts, grower.book)
    assert parts.read_bytes() == whole.read_bytes()
    head = json.loads(whole.read_bytes().partition(b"\n")[0])
    command = f"seedlog book kalah --nodes {NODES} --plies 9 --positions 12"
    assert head["command"] == command
    assert list(tmp_path.iterdir()) != [whole]  # and no draft beside them
    assert len(list(tmp_path.iterdir())) == 2


def test_a_book_ends_at_its_last_ply() -> None:
    grower = Grower(begin_book(find_game("reversi").variant(None), 200, 2))
    count = 0
    while grower.grow():
        count += 1
    assert count == len(grower.book.entries)
    assert {entry.ply for entry in grower.book.entries.values()} == {0, 1, 2}
    assert count == 1 + 1 + 3  # the first moves are one, and have three replies


def test_a_budget_too_small_is_refused() -> None:
    with pytest.raises(CannotLook, match="too few"):
        grown("kalah", 1, nodes=1)


PROVEN, WON = {"exact": True, "decided": True}, {"decided": True}


@pytest.mark.parametrize(
    ("worth", "good"),
    [
        ({"A": Worth(100), "B": Worth(100 - EQUAL), "C": Worth(99 - EQUAL)}, "AB"),
        ({"A": Worth(300), "B": Worth(200, **PROVEN)}, "B"),
        ({"A": Worth(200, **PROVEN), "B": Worth(200, **PROVEN)}, "AB"),
        ({"A": Worth(200, **PROVEN), "B": Worth(190, **PROVEN)}, "A"),
        ({"A": Worth(200, **PROVEN), "B": Worth(200)}, "A"),
        ({"A": Worth(200, **WON), "B": Worth(300, **WON)}, "B"),
        ({"A": Worth(0, **PROVEN), "B": Worth(0), "C": Worth(0, **PROVEN)}, "AC"),
        ({"A": Worth(10), "B": Worth(0, **PROVEN)}, "A"),
        ({"A": Worth(-10, **PROVEN), "B": Worth(-10)}, "A"),
        ({"A": Worth(-10, **WON), "B": Worth(-20)}, ""),
        ({"A": Worth(-10), "B": Worth(-20)}, "AB"),
    ],
)
def test_as_good_is_nearly_as_much_or_proven_as_much(
    worth: dict[str, Worth], good: str
) -> None:
    """A proven win is never given away, not even for a promise of more.

    Where defeat is proven, the search plays on: it knows what lasts longest. What is
    proven to lose fewest seeds is played, where they are counted.
    """
    first = start("kalah")
    assert "".join(book_moves(first, told(first, **worth))) == good


def test_a_move_whose_replies_were_not_looked_at_is_not_played() -> None:
    """The search looks as deep by itself; what is proven needs no look."""
    first = start("kalah")
    book = told(first, A=Worth(10), B=Worth(5))
    del book.entries[key_of(first.play("A"))]
    assert book_moves(first, book) == ("B",)
    book = told(first, A=Worth(10, **PROVEN), B=Worth(5))
    del book.entries[key_of(first.play("A"))]
    assert book_moves(first, book) == ("A",)


def test_nothing_is_played_that_lets_a_position_come_up_again() -> None:
    """Two seeds chase each other: the third time would be a standstill."""
    position = parse("oware", "0,0,0,0,0,1/0,0,0,0,0,1 22,24 S")
    seen = set[str]()
    while str(position.play(position.legal_moves[0])) not in seen:
        seen.add(str(position))
        move = position.legal_moves[0]
        assert book_moves(position, told(position, **{move: Worth(5)})) == (move,)
        position = position.play(move)
    move = position.legal_moves[0]
    assert book_moves(position, told(position, **{move: Worth(5)})) == ()
    position = position.play(move)
    move = position.legal_moves[0]
    assert book_moves(position, told(position, **{move: Worth(5)})) == ()


def changed(head: dict[str, object]) -> Callable[[bytes], bytes]:
    def change(whole: bytes) -> bytes:
        first, _, rest = whole.partition(b"\n")
        return json.dumps(json.loads(first) | head).encode() + b"\n" + rest

    return change


def without_a_member(whole: bytes) -> bytes:
    first, _, rest = whole.partition(b"\n")
    facts = json.loads(first)
    del facts["nodes"]
    return json.dumps(facts).encode() + b"\n" + rest


def another_byte(whole: bytes) -> bytes:
    first, _, rest = whole.partition(b"\n")
    data = zlib.decompress(rest).replace(b"A", b"B", 1)
    return first + b"\n" + zlib.compress(data)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda whole: whole[:-9], "is damaged"),
        (lambda whole: whole[:40], "cannot be read"),
        (lambda whole: b"", "cannot be read"),
        (lambda whole: b"\xff" + whole, "cannot be read"),
        (lambda whole: b"[]\n", "is no book of the format"),
        (another_byte, "its sha256 is another"),
        (without_a_member, "is damaged"),
        (changed({"format": "seedlog-book/2"}), "is no book of the format"),
        (changed({"rules": "kalah/2"}), "is a book of kalah/2, not of kalah/1"),
        (changed({"options": {"pits": 5}}), "of other options"),
        (changed({"symmetry": "upside down"}), "is damaged"),
    ],
    ids=[
        "cut-off", "short", "empty", "no-text", "a-list", "another-byte",
        "without-a-member", "format", "rules", "options", "symmetry",
    ],
)  # fmt: skip
def test_what_is_no_book_of_the_game_is_refused_and_played_without(
    change: Callable[[bytes], bytes],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "kalah-1.book"
    write_book(path, grown("kalah", 2))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(NoBook, match=says):
        read_book(path, KALAH)
    monkeypatch.setattr(books, "book_path", lambda game: path)
    with caplog.at_level(logging.WARNING):
        assert find_book.__wrapped__(KALAH) is None
    assert says in caplog.text


def test_a_book_is_for_the_default_options_alone() -> None:
    game = find_game("kalah")
    assert find_book(game.variant({"pits": 6})) is find_book(game.variant(None))
    assert find_book(game.variant({"pits": 5})) is None
    assert find_book(game.variant({"empty_capture": True})) is None


# -- the books that come with the games


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_game_has_a_book_of_its_rules(game: Game) -> None:
    """It is small, says how it was made, and each of its positions can be come to."""
    path = book_path(game)
    book = find_book(game.variant(None))
    assert book is not None
    assert path.stat().st_size < 100_000
    assert len(book.entries) >= 60
    assert book.nodes >= 1_000_000
    assert book.symmetry == find_symmetry(game.variant(None))
    first = start(game.key)
    assert set(book.worth_of(first)) == set(first.legal_moves)
    assert book_moves(first, book)
    found = {key_of(seen_alike(p, book.views)[0]) for p in lines_of(book, first)}
    assert found == set(book.entries)


def test_books_are_part_of_the_package_and_of_the_image() -> None:
    """The image is installed from what its builder is sent."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packed = project["tool"]["setuptools"]["package-data"]["*"]
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "!rules_core" in ignored
    for game in GAMES:
        path = book_path(game)
        assert path.is_relative_to(ROOT / "rules_core")
        assert any(path.match(pattern) for pattern in packed)
        kept_out = [pattern for pattern in ignored if pattern.startswith("**/")]
        assert not any(path.match(pattern[3:]) for pattern in kept_out)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_who_plays_by_the_book_loses_nothing(game: Game) -> None:
    """At each move of them no other is proven better, or promises much more."""
    book, first = find_book(game.variant(None)), start(game.key)
    assert book is not None
    for seed in range(20):
        position, chance = first, random.Random(seed)
        while position.outcome is None and (good := book_moves(position, book)):
            known = book.worth_of(position)
            best = max(worth.rank for worth in known.values())
            for move in good:
                margin = 0 if known[move].decided else EQUAL
                assert best - known[move].rank <= margin
            position = position.play(chance.choice(good))


def test_the_openings_of_reversi_are_equal() -> None:
    book = find_book(find_game("reversi").variant(None))
    assert book is not None
    first = start("reversi")
    assert len(set(book.worth_of(first).values())) == 1
    assert book_moves(first, book) == first.legal_moves


def test_what_has_no_end_is_not_read() -> None:
    with pytest.raises(NoBook, match="full is no file"):
        read_book(Path("/dev/full"), KALAH)
