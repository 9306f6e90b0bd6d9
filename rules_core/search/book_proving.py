"""How a book proves what a seat can make sure of, whatever the other plays.

Each seat in turn is the one that plays by the book: to have what the start is worth to
it, at the least. Where it is to move, one move is enough that keeps that; where the
other is, all are followed. A line ends where a search with the nodes of the book proves
the rest, or promises so much more that it may err by that: there who plays by the book
needs none. Positions are taken up in the order of their plies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from rules_core.compiled import fingerprint
from rules_core.origins import start
from rules_core.position import Position
from rules_core.search import Table, find_searcher
from rules_core.search.book import Book, Entry, Worth, key_of
from rules_core.search.book_growing import HUNDREDTHS, NO_TIME_LIMIT_S, CannotLook
from rules_core.search.cancel import Cancel
from rules_core.search.ending_tables import SHELF
from rules_core.search.root import Root, Stopped
from rules_core.search.symmetry import seen_alike
from rules_core.search.thinking import (
    NO_LIMIT,
    Budget,
    Line,
    nodes_to_prove,
    think,
)

TABLE_MEGABYTES = 512
"""What is proven of the start tells most of what is asked later."""

LOOK_DEPTH = 9
"""Looked at before a proof, so that good moves are known."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A position to take up, and whether who plays by the book is to move there.

    It is worth as much to that seat as is *due* to it, or more.
    """

    position: Position
    ply: int
    by_book: bool
    due: int


class Prover:
    """Makes a book larger, position by position, until both seats are proven.

    All that it keeps are proofs. What a search meets by chance decides nothing, so the
    same book grows the same way, however often it was put away in between.
    """

    def __init__(self, book: Book) -> None:
        """Take a book that was begun to prove something.

        :raises CannotLook: the game cannot be looked through to its end.
        """
        game = book.variant.game
        first = start(game.key, book.variant.options, rules=game.rules)
        if nodes_to_prove(first) == NO_LIMIT:
            raise CannotLook(f"nothing proves {game.rules} to its end")
        self.book = book.by(fingerprint(game))
        self._views = book.views
        self._start = seen_alike(first, self._views)[0]
        self._table = Table(TABLE_MEGABYTES)
        self._waiting: deque[_Place] | None = None
        self._old, self._come_to = len(book.entries), set[str]()
        self._left: dict[tuple[str, bool, int], bool] = {}
        self._due: dict[str, int] = {}
        self._followed = set[tuple[str, bool, int]]()

    def grow(self, cancel: Cancel | None = None) -> bool:
        """Prove one position more; return whether there was one, and time for it.

        It goes on to the next one, which is for the next time.
        """
        cancel, grown = Cancel() if cancel is None else cancel, False
        known = self.book.entries
        try:
            if self._waiting is None:
                self._waiting = deque(self._begin(cancel))
            while self._waiting:
                place = self._waiting[0]
                key = key_of(place.position)
                due = self._dues(place, key)
                is_new = key not in known and not self._is_left(place, key, cancel)
                if is_new and grown:
                    return True
                if is_new or (key in known and not _keeps(known[key], place, due)):
                    worth = self._worth_in(place, due, cancel)
                    known[key] = Entry(place.ply, worth, dict(worth))
                    grown = grown or is_new
                if key in known:
                    self._waiting += self._follow(place, key)
                self._waiting.popleft()
        except Stopped:
            pass
        return grown

    def _dues(self, place: _Place, key: str) -> int:
        """Return what a move there has to keep: the most that is due to its seat.

        To each seat of the start another sum is; and the search may be left to keep the
        one where the book has to keep the other.
        """
        if not place.by_book:
            return place.due
        self._due[key] = max(place.due, self._due.get(key, place.due))
        return self._due[key]

    def _begin(self, cancel: Cancel) -> Iterator[_Place]:
        """Yield the start, for each seat that may play by the book.

        :raises Stopped: it is cancelled.
        """
        entry = self.book.entries.get(key_of(self._start))
        if entry is not None:
            value = entry.worth[best_proven(entry)].value
        else:
            root = self._look(self._start, cancel)
            if not root.settled:
                root.prove()
            value = root.known[root.order[0]].value
        yield _Place(self._start, 0, by_book=True, due=value)
        yield _Place(self._start, 0, by_book=False, due=-value)

    def _is_left(self, place: _Place, key: str, cancel: Cancel) -> bool:
        """Tell whether a position is left to the search.

        Of what a book that was put away comes to before its last position, all that it
        has not is such.

        :raises Stopped: it is cancelled.
        """
        if len(self._come_to) < self._old:
            return True
        if place.ply == 0:
            return False
        asked = key, place.by_book, place.due
        if asked not in self._left:
            budget = Budget(NO_TIME_LIMIT_S, self.book.nodes)
            found = think(place.position, budget, cancel=cancel, everything=False)
            if cancel.is_set():
                raise Stopped
            self._left[asked] = bool(found.lines) and self._is_sure(
                place, found.lines[0]
            )
        return self._left[asked]

    def _is_sure(self, place: _Place, best: Line) -> bool:
        ahead = HUNDREDTHS * (best.value if place.by_book else -best.value) - place.due
        return best.exact or ahead >= HUNDREDTHS * self.book.proves

    def _worth_in(self, place: _Place, due: int, cancel: Cancel) -> dict[str, Worth]:
        """Return what is kept of the moves of a position.

        Of who plays by the book that one of them keeps what is due; of the other that
        none of them gets more.

        :raises Stopped: it is cancelled.
        """
        moves = place.position.legal_moves
        if not place.by_book:
            return {move: Worth(-due) for move in moves}
        budget = Budget(NO_TIME_LIMIT_S, self.book.nodes)
        hoped = think(
            place.position, budget, lines=len(moves), cancel=cancel, everything=False
        )
        order = [line.moves[0] for line in hoped.lines] or moves
        root = self._look(place.position, cancel)
        best = next(move for move in order if root.is_worth(move, due))
        proven = Worth(due, exact=True, decided=True)
        return {move: proven if move == best else Worth(due) for move in moves}

    def _look(self, position: Position, cancel: Cancel) -> Root:
        """Return the moves of a position, and let the table know the good ones.

        :raises Stopped: it is cancelled.
        """
        self._table.begin(fresh=False)
        game = position.game
        searcher = find_searcher(game, NO_LIMIT, NO_TIME_LIMIT_S, cancel, self._table)
        SHELF.lend(position.variant, searcher)
        root = Root(position, searcher, 1)
        for depth in range(1, LOOK_DEPTH + 1):
            root.look(depth)
            if root.settled:
                break
        return root

    def _follow(self, place: _Place, key: str) -> Iterator[_Place]:
        """Yield what comes after a position of the book."""
        entry, position = self.book.entries[key], place.position
        self._come_to.add(key)
        followed = key, place.by_book, place.due
        if entry.ply == self.book.plies or followed in self._followed:
            return
        self._followed.add(followed)
        for move in (best_proven(entry),) if place.by_book else position.legal_moves:
            after = position.play(move)
            if after.outcome is None:
                by_book = place.by_book == (after.to_move == position.to_move)
                alike, _ = seen_alike(after, self._views)
                yield _Place(alike, place.ply + 1, by_book, place.due)


def best_proven(entry: Entry) -> str:
    """Return the move of an entry that is proven to be worth most."""
    exact = [move for move, worth in entry.worth.items() if worth.exact]
    return max(exact, key=lambda move: entry.worth[move].value)


def _keeps(entry: Entry, place: _Place, due: int) -> bool:
    """Tell whether an entry knows how to keep what is due there."""
    proven = [worth.value for worth in entry.worth.values() if worth.exact]
    return not place.by_book or max(proven, default=due - 1) >= due
