"""`seedlog book`: a book is made, goes on, and is never lost."""

import json
from pathlib import Path

import pytest

from rules_core import find_game
from rules_core.search.book import Book, read_book, write_book
from rules_core.search.book_growing import Grower, begin_book
from rules_core.search.cancel import Cancel
from services.cli import book_command
from tests.support.commands import seedlog

KALAH = find_game("kalah").variant(None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kalah.book"


def made(path: Path, *arguments: object) -> str:
    ran = seedlog("book", "kalah", "--out", path, *arguments)
    assert ran.exit_code == 0, ran.output
    return ran.output


def book(path: Path) -> Book:
    return read_book(path, KALAH)


def test_a_book_is_made_and_goes_on(path: Path) -> None:
    """It says how far it goes, and what its first moves are worth."""
    output = made(path, "--positions", 3, "--nodes", 400, "--plies", 8)
    assert "3 positions" in output
    assert sum(line[1:].startswith(": perhaps ") for line in output.splitlines()) == 6
    first = book(path)
    assert (len(first.entries), first.nodes, first.plies) == (3, 400, 8)

    output = made(path, "--positions", 7)
    assert "7 positions" in output
    assert ", played" in output
    assert list(book(path).entries)[:3] == list(first.entries)
    head = json.loads(path.read_bytes().partition(b"\n")[0])

    again = path.with_name("again")
    made(again, *head["command"].split()[3:])
    assert again.read_bytes() == path.read_bytes()


def test_time_is_a_limit_too(path: Path) -> None:
    """Without any, what there is is told."""
    assert "nothing yet" in made(path, "--minutes", 0)
    assert not path.exists()
    made(path, "--minutes", 0.01, "--nodes", 100)
    held = path.read_bytes()
    assert book(path).entries
    assert "positions" in made(path, "--minutes", 0)
    assert path.read_bytes() == held


def test_a_book_that_has_all_there_is_ends_by_itself(path: Path) -> None:
    made(path, "--positions", 1_000, "--nodes", 100, "--plies", 0)
    assert len(book(path).entries) == 1


def test_ctrl_c_leaves_a_good_book(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that was worked out before."""
    looks: list[Grower] = []
    grow = Grower.grow

    def interrupted(grower: Grower, cancel: Cancel | None = None) -> bool:
        looks.append(grower)
        if len(looks) > 4:
            raise KeyboardInterrupt
        return grow(grower, cancel)

    monkeypatch.setattr(Grower, "grow", interrupted)
    made(path, "--positions", 1_000, "--nodes", 100)
    assert len(book(path).entries) == 4


def test_a_look_that_is_cut_off_is_not_kept() -> None:
    """A search in C is told to end, and has found too little."""
    cancel = Cancel()
    cancel.set()
    grower = Grower(begin_book(KALAH, 10**9, 9))
    assert not grower.grow(cancel)
    assert grower.book.entries == {}


def test_what_was_worked_out_is_written_now_and_then(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is killed has lost some seconds."""
    written: list[int] = []

    def noted(to: Path, book: Book) -> None:
        written.append(len(book.entries))
        write_book(to, book)

    monkeypatch.setattr(book_command, "write_book", noted)
    monkeypatch.setattr(book_command, "WRITTEN_EVERY_S", -1.0)
    made(path, "--positions", 3, "--nodes", 100)
    assert written == [1, 2, 3, 3]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--nodes", 200), "was made with --nodes 100 --plies 30; remove it"),
        (("--plies", 2), "was made with --nodes 100 --plies 30; remove it"),
        (("--prove", 4), "was made with --prove 0; remove it"),
    ],
)
def test_a_book_keeps_to_its_budget(
    path: Path, arguments: tuple[object, ...], says: str
) -> None:
    """Values of another would not compare."""
    made(path, "--positions", 1, "--nodes", 100)
    ran = seedlog("book", "kalah", "--out", path, *arguments)
    assert ran.exit_code == 1
    assert says in ran.output


def test_what_cannot_be_done_is_said(path: Path) -> None:
    """And nothing is written over."""
    few = seedlog("book", "kalah", "--out", path, "--nodes", 1)
    assert few.exit_code == 1
    assert "1 nodes are too few" in few.output
    assert not path.exists()
    path.write_bytes(b"something else")
    damaged = seedlog("book", "kalah", "--out", path)
    assert damaged.exit_code == 1
    assert "cannot be read" in damaged.output
    assert path.read_bytes() == b"something else"
    endless = seedlog("book", "oware", "--out", path.with_name("o"), "--prove", 4)
    assert endless.exit_code == 1
    assert "nothing proves oware/1 to its end" in endless.output
    unknown = seedlog("book", "chess")
    assert unknown.exit_code == 1
    assert "chess" in unknown.output
    nowhere = path.with_name("nowhere") / "book"
    lost = seedlog("book", "kalah", "--out", nowhere, "--positions", 1, "--nodes", 100)
    assert lost.exit_code == 1
    assert "cannot be written" in lost.output


@pytest.mark.parametrize("minutes", ["nan", "inf", "-1"])
def test_a_time_that_never_ends_is_refused(path: Path, minutes: str) -> None:
    refused = seedlog("book", "kalah", "--out", path, "--minutes", minutes)
    assert refused.exit_code
    assert "--minutes" in refused.output
    assert not path.exists()
