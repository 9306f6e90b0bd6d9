"""Opening books: what the first moves of a game are worth, worked out at leisure.

A book belongs to a game by its rules, with the default options. It lies beside the game
file, whoever brings that, and is one line of JSON, which says by which command and from
what it was made, and then, compressed, a line of JSON for each position: by its key, in
the order in which they were looked at.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from rules_core.game import Game, Variant
from rules_core.position import Position, digest_of
from rules_core.search.symmetry import SYMMETRIES, View, seen_alike, text_of, views_of
from rules_core.search.whole_files import write_whole
from rules_core.search.worth import WIN

FORMAT = "seedlog-book/1"

EQUAL = 50
"""In hundredths of a seed or disc: hoped for values so near each other are the same. To
look at what follows a move changes its value by more than that, in every game."""

_DECIDED, _EXACT = 2, 1


class NoBook(Exception):
    """A file is no book, or not one of this game; says why."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What a move is worth to who makes it, in hundredths of a seed or disc.

    *exact*: proven. *decided*: it is proven who wins, if perhaps not by how much.
    """

    value: int
    exact: bool = False
    decided: bool = False

    @property
    def rank(self) -> int:
        """A number to sort by: no promise is as good as a win that is proven."""
        return self.value + (WIN if self.decided and self.value > 0 else 0)

    def to_number(self) -> int:
        """Return the number that is kept of it."""
        return 4 * self.value + _DECIDED * self.decided + _EXACT * self.exact

    @classmethod
    def from_number(cls, number: int) -> Worth:
        """Return what a number that was kept stands for."""
        flags = number & 3
        return cls(number >> 2, bool(flags & _EXACT), bool(flags & _DECIDED))


@dataclass(slots=True)
class Entry:
    """A position of a book: its ply, and its moves as they are called there.

    *searched* is what a search from there has found, *worth* what is known of the move
    by all that the book holds of the positions behind it.
    """

    ply: int
    searched: dict[str, Worth]
    worth: dict[str, Worth]


@dataclass(frozen=True, slots=True)
class Book:
    """The positions of a book by their keys, and how it was made.

    *nodes*: so many were looked at for each position. *engines*: the fingerprints of
    the game files and searches that did it, the last one last. *proves*: it holds how
    each seat keeps what the start is worth to it, until a search of so many nodes
    proves the rest or promises so many seeds more; 0: it is no such book.
    """

    variant: Variant
    symmetry: str
    nodes: int
    plies: int
    engines: tuple[str, ...] = ()
    entries: dict[str, Entry] = field(default_factory=dict)
    proves: int = 0

    def by(self, engine: str) -> Book:
        """Return the same book, to be made larger by this engine."""
        if engine in self.engines[-1:]:
            return self
        return replace(self, engines=(*self.engines, engine))

    @property
    def views(self) -> tuple[View, ...]:
        """The sides from which a position looks the same."""
        return views_of(self.variant, self.symmetry)

    def worth_of(self, position: Position) -> Mapping[str, Worth]:
        """Return what is known of each move of a position; nothing: it is not here."""
        alike, view = seen_alike(position, self.views)
        entry = self.entries.get(key_of(alike))
        if entry is None:
            return {}
        names = {move: view.moves[move] for move in position.legal_moves}
        if set(names.values()) != set(entry.worth):
            return {}  # the key of another position: once in some millions of millions
        return {move: entry.worth[name] for move, name in names.items()}

    def has(self, position: Position) -> bool:
        """Tell whether a position was looked at."""
        return key_of(seen_alike(position, self.views)[0]) in self.entries


def book_moves(position: Position, book: Book) -> tuple[str, ...]:
    """Return the moves that are equally good by a book; none where it cannot tell.

    Where something proven is best, the others have to be proven as good; otherwise a
    move counts whose value is nearly that of the best, if the book has looked at what
    follows it, too. No move is meant that lets a position come up again, and where one
    has, the search decides: a book knows of no repetition (G9). So it does where all is
    lost: it knows what lasts longest; but where seeds are counted, what is proven to
    lose fewest is played.
    """
    known = book.worth_of(position)
    if not known or len(set(position.seen)) < len(position.seen):
        return ()
    best = max(known.values(), key=lambda worth: (worth.rank, worth.decided))
    if book.proves and not best.exact:
        return ()  # who plays by the book is not meant to be to move
    loses_fewest = best.exact and position.game.engine.counts
    if best.decided and best.value < 0 and not loses_fewest:
        return ()
    good = [move for move, worth in known.items() if _is_as_good(worth, best)]
    return tuple(move for move in good if _is_new(position, move, book, known[move]))


def _is_as_good(worth: Worth, best: Worth) -> bool:
    if best.decided:
        return worth.rank == best.rank and worth.exact == best.exact and worth.decided
    return not worth.decided and best.value - worth.value <= EQUAL


def _is_new(position: Position, move: str, book: Book, worth: Worth) -> bool:
    after = position.play(move)
    if len(set(after.seen)) < len(after.seen):
        return False
    return worth.decided or (after.outcome is None and book.has(after))


def key_of(alike: Position) -> str:
    """Return what a position is found by: its digest, had nothing come up before."""
    return digest_of(text_of(alike.variant, alike.flat))


@cache
def find_book(variant: Variant) -> Book | None:
    """Return the book of a game with these options, if it has one that can be read.

    One that cannot is named in the log, and the game goes on without.
    """
    path = book_path(variant.game)
    if variant is not variant.game.variant(None) or not path.exists():
        return None
    try:
        return read_book(path, variant)
    except NoBook as reason:
        logging.getLogger(__name__).warning("a book is not used: %s", reason)
        return None


def book_path(game: Game) -> Path:
    """Return where the book of a game lies: beside its file."""
    file = sys.modules[game.module].__file__
    name = f"{game.rules.replace('/', '-')}.book"
    return Path(str(file)).with_name(name)


def read_book(path: Path, variant: Variant) -> Book:
    """Return the book that a file holds.

    :raises NoBook: it is damaged, or that of another game, or not to be read.
    """
    if path.exists() and not path.is_file():
        raise NoBook(f"{path.name} is no file")
    try:
        head, _, packed = path.read_bytes().partition(b"\n")
        facts = json.loads(head)
    except (OSError, ValueError) as error:
        raise NoBook(f"{path.name} cannot be read: {error}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise NoBook(f"{path.name} is no book of the format {FORMAT}")
    if facts.get("rules") != variant.game.rules:
        told, wanted = facts.get("rules"), variant.game.rules
        raise NoBook(f"{path.name} is a book of {told}, not of {wanted}")
    if facts.get("options") != variant.game.options_on_record(variant.options):
        raise NoBook(f"{path.name} is a book of other options")
    try:
        data = zlib.decompress(packed)
        if hashlib.sha256(data).hexdigest() != facts["sha256"]:
            raise NoBook(f"{path.name} is damaged: its sha256 is another")
        return _unpack(variant, facts, data)
    except (zlib.error, KeyError, ValueError, TypeError) as error:
        raise NoBook(f"{path.name} is damaged: {error!r}") from error


def write_book(path: Path, book: Book) -> None:
    """Write a book, which appears whole or not at all."""
    data = "".join(
        f"{json.dumps(_row(key, entry), separators=(',', ':'))}\n"
        for key, entry in book.entries.items()
    ).encode()
    facts = {
        "format": FORMAT,
        "rules": book.variant.game.rules,
        "options": book.variant.game.options_on_record(book.variant.options),
        "command": command_of(book),
        "engines": book.engines,
        "symmetry": book.symmetry,
        "nodes": book.nodes,
        "plies": book.plies,
        "positions": len(book.entries),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    if book.proves:
        facts["proves"] = book.proves
    write_whole(path, json.dumps(facts).encode() + b"\n", zlib.compress(data, 9))


def command_of(book: Book) -> str:
    """Return the command that makes the same book again."""
    given = f"--nodes {book.nodes} --plies {book.plies} --positions {len(book.entries)}"
    proving = f"--prove {book.proves} " if book.proves else ""
    return f"seedlog book {book.variant.game.key} {proving}{given}"


def _row(key: str, entry: Entry) -> Sequence[Any]:
    row: list[Any] = [key, entry.ply]
    for move, worth in entry.worth.items():
        row += [move, entry.searched[move].to_number(), worth.to_number()]
    return row


def _unpack(variant: Variant, facts: Mapping[str, Any], data: bytes) -> Book:
    if facts["symmetry"] not in SYMMETRIES:
        raise ValueError(facts["symmetry"])
    engines, nodes, plies = facts["engines"], facts["nodes"], facts["plies"]
    proves = facts.get("proves", 0)
    book = Book(variant, facts["symmetry"], nodes, plies, tuple(engines), proves=proves)
    for line in data.splitlines():
        key, ply, *told = json.loads(line)
        moves = told[::3]
        searched = map(Worth.from_number, told[1::3])
        worth = map(Worth.from_number, told[2::3])
        book.entries[key] = Entry(
            ply,
            dict(zip(moves, searched, strict=True)),
            dict(zip(moves, worth, strict=True)),
        )
    return book
